package io.rtransport.simulator;

import io.rtransport.core.json.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Scenarios with a name and a bound: one world and one question each. {@code ./rt sim --scenario
 * NAME} runs them, and so do the tests. docs/reference/simulator.md has their table, which a test
 * compares with this one.
 */
public enum NamedScenario {
  LOSS_LADDER(
      "loss of 0, 0.1, 1, 2, 5, 10, 20 and 30 % each way",
      "200 pushes complete within 60 s at each step, nothing is resent where nothing is lost",
      LossScenarios::lossLadder),
  HANDSHAKES("50 handshakes at 30 % loss each way", "each within 30 s", LossScenarios::handshakes),
  CORRUPTION(
      "2 % and 30 % of datagrams damaged",
      "all complete, no damaged byte is taken", LossScenarios::corruption),
  DUPLICATES(
      "10 % of datagrams arrive twice",
      "all complete once, nothing is resent", LossScenarios::duplicates),
  GAPS("100 gaps in 10 MiB", "100 to 200 packets resent", LossScenarios::gaps),
  LAST_ACKS(
      "the first packet back is lost after each of 100 pushes",
      "each push completes once, within 300 ms",
      LossScenarios::lastAcks),
  JITTER(
      "each datagram up to 10 round trips later, in order",
      "at most 5 % of packets resent, nothing being lost",
      TimeScenarios::jitter),
  OVERTAKING(
      "each datagram up to 10 round trips later, overtaking each other, either congestion control",
      "at most 5 % of packets resent, nothing being lost",
      TimeScenarios::overtaking),
  LONG_ROUND_TRIPS(
      "round trips of 30 ms and 250 ms",
      "nothing is resent by timeout",
      TimeScenarios::longRoundTrips),
  PAUSES(
      "everything stands still for 500 ms after each second, nothing is lost; 100 ms round trip",
      "32 MiB in at most 2.5 times the time that they take without",
      TimeScenarios::pauses),
  STRICT_ADP(
      "strict profiles and fixed timers, from registers of any shape; then 5 % loss, doubled and overtaking datagrams",
      "every gap is the register's value, the first included; nothing is resent but by an acknowledgement or at an expiry",
      StrictAdpScenario::run),
  NARROW_PATH(
      "packets of 8,192 bytes over a path of 1,400, which becomes one of 1,300 in mid-transfer",
      "found within 300 round trips each time, all complete",
      MtuScenarios::narrowPath),
  BLACKHOLE_CYCLES(
      "dark for 2 s after each 5 s, profile lan",
      "all complete, the connection lives",
      TimeScenarios::blackholeCycles),
  BLACKHOLE_WAN(
      "30 s dark, profile wan", "all complete, the connection lives", TimeScenarios::blackholeWan),
  BLACKHOLE_LAN(
      "30 s dark, profile lan",
      "both sides end within the total and three timeouts, 7.2 s",
      TimeScenarios::blackholeLan),
  FORGETFUL(
      "one side forgets everything",
      "the other knows within 1 s; a new connection takes nothing of the old",
      PeerScenarios::forgetful),
  REBINDING(
      "another port every second, once another address",
      "all complete, the connection lives",
      PeerScenarios::rebinding),
  DEAD_ENTRY(
      "a translator eats everything from one source port of a client, or to it, or both, while either side or both push, or it pulls; with and without 2 % loss, copies and datagrams that overtake",
      "all complete once, the server follows to another port, no gap above 100 ms, or 3 s with the other trouble",
      PortScenarios::inTraffic),
  DEAD_ENTRY_IN_SILENCE(
      "the same while a client waits for the end of its push and sends nothing",
      "it has the end within 2 s",
      PortScenarios::inSilence),
  DEAD_ENTRY_AT_SET_UP(
      "the same from the first CONNECT on, five times without and five with the other trouble",
      "set up within 300 ms, or 2 s with the other trouble, one connection, the first port is given back",
      PortScenarios::atSetUp),
  PSN_WRAP(
      "the PSN wraps in windows of 64 to 16,384 packets",
      "all complete in each",
      PeerScenarios::psnWrap),
  SLOW_READER(
      "a slow reader that pulls, of a peer whose pushes it does not read",
      "the pull of 1 MiB completes within 1 s",
      PeerScenarios::slowReader),
  OLD_PEER(
      "64 MB pushed unasked at 20 ms between sides of which both, one or none take credit more than 2 MiB ahead",
      "all complete within 10 s, no limit is ignored, more than 2 MiB is given where both take it and only there",
      PeerScenarios::oldPeer),
  GREEDY_PEER(
      "1 peer asks for 256 pushes of 64 KiB, is granted and sends nothing; then 100 peers push 4 of 64 KiB each, 1 Gb/s",
      "the 100 complete within 1.5 times the time that they take without it, which holds at most half of the budget",
      PeerScenarios::greedyPeer),
  FAIRNESS(
      "8 senders that begin one after the other share 1 Gb/s, congestion control by delay",
      "Jain's index at least 0.95, at least 90 % of the link, on average at most 60 packets queued, none dropped",
      CongestionScenarios::fairness),
  RANDOM_LOSS(
      "loss of 0, 0.1, 1, 5 and 10 % each way on 1 Gb/s, congestion control by delay",
      "at least 97, 90, 70 and 70 % of the lossless rate", CongestionScenarios::randomLoss),
  LONGER_PATH(
      "the round trip becomes 2 ms instead of 0.1, congestion control by delay",
      "120 ms later at least 50 % of the link again",
      CongestionScenarios::longerPath),
  STANDING_QUEUE(
      "a sender alone on 20 Mb/s at 10 ms for 70 s, congestion control by delay",
      "the queue of the last 10 s is at most 1.5 times that of the first, at least 90 % of the link",
      CongestionScenarios::standingQueue),
  STANDSTILL(
      "each side stands still for 50 ms, congestion control by delay",
      "20 ms later at least 75 % of the link again",
      CongestionScenarios::standstill),
  LONG_PATH(
      "one connection alone on 200 Mb/s at 100 ms",
      "at least 90 % of the link, 5 s after it began",
      BottleneckScenarios::longPath),
  TWO_ALIKE(
      "two connections share 200 Mb/s at 20 ms with a queue of one bandwidth × delay, begun together and 2 s apart",
      "their shares are within 20 % (with datagrams of 8,192 bytes the larger at most twice the smaller), together at least 90 % of the link",
      BottleneckScenarios::twoAlike),
  BESIDE_LOSS(
      "the same, the second connection under congestion control by loss",
      "that one has at least a third of the link, the first a quarter, together at least 90 %",
      BottleneckScenarios::besideLoss),
  BUSY_HOST(
      "1,000 connections echo at 50, 90 and 150 % of what a host can do, which also stands still for 3 ms now and then",
      "all complete, at most 0.1 % of packets resent without evidence of loss (of the three loads together) and no more probes than the loops' budgets, a second after the overload echoes within 10 ms",
      BusyScenarios::busyHost),
  INCAST_32(
      "32 senders to 1, 1 Gb/s behind a queue of 100 packets, either congestion control",
      "budget never above 9/8, goodput at least 80 % of the link by loss, 95 % by delay",
      IncastScenarios::thirtyTwo),
  INCAST_1000(
      "1,000 senders to 1, 1 Gb/s behind a queue of 100 packets, either congestion control",
      "budget never above 9/8, all complete, goodput at least 80 % of the link by loss, 95 % by delay",
      IncastScenarios::thousand),
  INCAST_SMALL(
      "32 and 1,000 senders push 32 MiB by 4 KiB to 1, unasked and asking above 256 bytes where congested; 1 Gb/s",
      "all complete, none asks without the level and some do with it, 32 that ask have at least 90 % of the link",
      IncastScenarios::small),
  INCAST_SILENT(
      "100 senders ask for 64 KiB twice and send none of it, 200 ms later one pushes 8 MiB; 1 Gb/s",
      "that one has at least 70 % of the link",
      IncastScenarios::silent),
  RAIL_LOST(
      "one of two rails goes dark, both ways or one; a record every 20 µs to 7 ms, round trip 1 ms",
      "none is later than 20 ms",
      RailScenarios::railLost),
  RAIL_BACK(
      "one of two rails is dark for 1.9 s of 4, 20,000 records a second",
      "none is later than 20 ms, at least 15 % of the bytes take that rail",
      RailScenarios::railBack),
  RAIL_PAUSES(
      "the peer's answers stop on both rails for 50 ms, four times, and then for 1.5 s",
      "at most one path is suspected, no interface loses health",
      RailScenarios::railPauses),
  RAILS_DARK(
      "three rails go dark one after another, one comes back",
      "goes on at most 1.1 s later",
      RailScenarios::railsDark),
  RAILS_CROSSED(
      "one rail works only there, the other only back",
      "none is later than 200 ms",
      RailScenarios::railsCrossed),
  RAILS_UNLIKE(
      "200 Mb/s alone, with another such rail, with one of a tenth of the rate, with one of 20 times the delay",
      "at least 1.8 times with an equal rail, at least 0.95 with each of the others",
      RailScenarios::railsUnlike),
  RAIL_LOSSY(
      "one of two rails loses half of its packets for 3 s; 10,000 records a second, round trip 0.5 ms",
      "none is later than 20 ms, that rail carries less than a tenth, and a quarter 5 s after",
      RailHealthScenarios::lossy),
  RAIL_ONE_PEER(
      "two rails to one interface of the peer; one loses 15 %, 50 % or all for 3 s",
      "none is later than 20 ms, that rail carries less than a tenth, no interface loses health",
      RailHealthScenarios::onePeer),
  RAIL_BESIDE_DEAD(
      "two of three rails lead to one interface of the peer; one stays dark, the other comes back",
      "the interface has full health within 3 s, and that rail its share",
      RailHealthScenarios::besideDead),
  RAIL_LONGER(
      "one of two rails has a longer round trip while its interface recovers, 5 records a second",
      "the interface has full health",
      RailHealthScenarios::longer),
  RAIL_KILLED(
      "one of two rails is dark for 3 s, and for 30 s",
      "none is later than 20 ms, its health falls, and 1.5 s after it carries a quarter",
      RailHealthScenarios::killed),
  RAIL_FLAPS(
      "one of two rails is dark for half of each second",
      "none is later than 20 ms, that rail carries less than a fifth",
      RailHealthScenarios::flapping),
  RAIL_WAITS(
      "one of two rails of 15 ms stops for 100 to 190 ms, eight times",
      "it is suspected, and keeps its health",
      RailHealthScenarios::pausing),
  RAIL_LETTER(
      "one of two rails is dark for 12 s, with the knobs of the LNet Health document",
      "each charge costs 100, and each second of answered PINGs gives 1 back",
      RailHealthScenarios::letter),
  RAILS(
      "40 drawn worlds of 2 to 8 rails: loss, order, damage, outages, pauses, cuts of one or both ways",
      "each record arrives once, all is empty at the end",
      RailScenarios::rails),
  RAILS_SET_UP(
      "each set of three rails that is not all of them is dark at the set-up, and then comes back",
      "set up within 10 s, the others join",
      RailedConnections::setUp),
  RAILS_IN_USE(
      "20 drawn connections over 2 to 8 rails: pushes and pulls both ways, loss, order, rails that go dark one way or both",
      "all complete once, all is empty after the close",
      RailedConnections::transfers),
  RAILS_MTU(
      "one rail of 8,192 bytes and one of 1,400; the wide one goes dark with long packets in flight, and comes back",
      "all complete once, by the narrow one too; packets move and become shorter",
      RailedConnections::unlikeMtu),
  RAILS_TOLD(
      "20 drawn servers with 2 to 8 addresses, of which the client knows one; that rail goes dark, or another",
      "all paths open, all complete once, no gap above 20 ms where nothing else is lost",
      ToldRails::told),
  RAILS_LIES(
      "a server tells 1 to 14 addresses of others beside its two",
      "three datagrams of 64 bytes to each of at most eight, and their sockets are given back",
      ToldRails::lies),
  RAILS_SWARM(
      "8 drawn connections over 2 to 8 rails, one for each kind of trouble: kill, flap, loss of half, one way, pause, all dark, 1 : 20 delay, 10 : 1 rate",
      "all complete once; with the first five no gap above 20 ms at round trips below 1 ms",
      RailSwarm::swarm);

  /** A world, run to its end. */
  interface World {
    /** Runs the world and returns the measured figures. Throws if the bound does not hold. */
    String run(long seed);
  }

  private final String what;
  private final String bound;
  private final World world;

  NamedScenario(String what, String bound, World world) {
    this.what = what;
    this.bound = bound;
    this.world = world;
  }

  /** Returns the name as typed: lower case, words joined by hyphens. */
  public String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns what happens in the scenario. */
  public String what() {
    return what;
  }

  /** Returns what must hold. */
  public String bound() {
    return bound;
  }

  /** Returns the scenario with an id, or null. */
  public static NamedScenario find(String id) {
    for (NamedScenario scenario : values()) {
      if (scenario.id().equals(id)) {
        return scenario;
      }
    }
    return null;
  }

  /**
   * Runs the scenario once and returns the measured figures. Throws an {@link AssertionError} if a
   * bound or invariant does not hold.
   */
  public String run(long seed) {
    return world.run(seed);
  }

  /**
   * Runs the scenario with each of the seeds, and writes one line for each.
   *
   * @param json file for the results as JSON, or null
   * @return 1 if any failed, else 0
   */
  public int runAll(long first, long last, PrintWriter out, Path json) throws IOException {
    List<Map<String, Object>> runs = new ArrayList<>();
    int failed = 0;
    for (long seed = first; seed <= last; seed++) {
      Map<String, Object> run = new LinkedHashMap<>();
      run.put("seed", seed);
      try {
        String measured = run(seed);
        run.put("measured", measured);
        run.put("failure", null);
        out.printf("seed %d: %s: %s%n", seed, id(), measured);
      } catch (RuntimeException | AssertionError e) {
        failed++;
        run.put("measured", null);
        run.put("failure", e.toString());
        out.printf("seed %d: %s: FAILED: %s%n", seed, id(), e);
        out.printf("  replay: ./rt sim --seeds %d --scenario %s%n", seed, id());
      }
      out.flush();
      runs.add(run);
    }
    out.printf("%d of %d seeds failed; what must hold: %s%n", failed, runs.size(), bound);
    out.flush();
    if (json != null) {
      Map<String, Object> report = new LinkedHashMap<>();
      report.put("firstSeed", first);
      report.put("lastSeed", last);
      report.put("scenario", id());
      report.put("bound", bound);
      report.put("runs", runs);
      Files.writeString(json, Json.writeIndented(report));
    }
    return failed == 0 ? 0 : 1;
  }
}
