package io.rtransport.simulator;

import static io.rtransport.simulator.RailScenarios.alike;
import static io.rtransport.simulator.RailScenarios.cut;
import static io.rtransport.simulator.RailScenarios.lose;
import static io.rtransport.simulator.RailScenarios.oneWay;
import static io.rtransport.simulator.ScenarioBound.bound;

import io.rtransport.core.rail.RailHealthConfig;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import java.util.ArrayList;
import java.util.List;

/** Scenarios of the health of rails, each of two rails in a {@link RailWorld}. */
final class RailHealthScenarios {
  private static final long MICRO = 1_000;
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;
  private static final long START_NS = PairHarness.START_NS;

  /** Longest delay of a record: the bar of issue 20. */
  private static final long LATE_NS_MAX = 20 * MILLI;

  private static final long INTERVAL_NS = 100 * MICRO;

  /** What a world of two rails shows, the first of which is always well. */
  private record Outcome(RailWorld world, RailRecords records) {
    double share(long fromMillis, long toMillis) {
      return world.course().share(1, fromMillis * MILLI, toMillis * MILLI);
    }

    int health(long atMillis) {
      return world.course().health(1, atMillis * MILLI);
    }
  }

  private RailHealthScenarios() {}

  private static Outcome run(
      List<RailWorld.Event> events,
      long seconds,
      long delayNs,
      RailHealthConfig config,
      int[] peerOf,
      long seed) {
    int count = (int) (seconds * SECOND / INTERVAL_NS);
    RailRecords records = new RailRecords(count, 64, START_NS, INTERVAL_NS);
    RailWorld world =
        new RailWorld(
            alike(2, delayNs),
            oneWay(records),
            events,
            WindowSetting.of(Limits.WINDOW_PACKETS_MAX, config),
            peerOf,
            seed);
    world.run();
    return new Outcome(world, records);
  }

  private static Outcome usual(List<RailWorld.Event> events, long seconds, long seed) {
    return run(events, seconds, 250 * MICRO, RailHealthConfig.usual(), null, seed);
  }

  private static void requirePrompt(Outcome outcome) {
    long latestNs = outcome.records.latenessNsMax();
    bound(latestNs < LATE_NS_MAX, "%,d ns late", latestNs);
  }

  /** Tests a rail that loses half of its packets for three seconds. */
  static String lossy(long seed) {
    Outcome outcome = losing(seed);
    requirePrompt(outcome);
    double share = outcome.share(1_500, 4_000);
    bound(share < 0.1, "%.3f of the packets by a rail that loses half", share);
    bound(
        outcome.health(3_900) < 800,
        "health %d at half of the packets lost",
        outcome.health(3_900));
    double after = outcome.share(9_000, 10_000);
    bound(after > 0.25, "%.3f of the packets five seconds after the loss", after);
    return String.format(
        "%.3f by the lossy rail, %.3f five seconds after; at most %.1f ms late",
        share, after, outcome.records.latenessNsMax() / 1e6);
  }

  private static Outcome losing(long seed) {
    List<RailWorld.Event> events = new ArrayList<>();
    lose(events, START_NS + SECOND, START_NS + 4 * SECOND, 1, 3, 0.5);
    return usual(events, 10, seed);
  }

  /** Tests rails that lead to one interface of the peer: one loses, then one is killed. */
  static String onePeer(long seed) {
    for (double loss : new double[] {0.15, 0.5, 1}) {
      List<RailWorld.Event> events = new ArrayList<>();
      lose(events, START_NS + SECOND, START_NS + 4 * SECOND, 1, 3, loss);
      Outcome outcome = run(events, 10, 250 * MICRO, RailHealthConfig.usual(), new int[2], seed);
      requirePrompt(outcome);
      double share = outcome.share(1_500, 4_000);
      bound(share < 0.1, "loss %.2f: %.3f of the packets", loss, share);
      double after = outcome.share(9_000, 10_000);
      bound(after > 0.25, "loss %.2f: %.3f of the packets after it", loss, after);
      for (long at = 0; at < 10_000; at += 100) {
        bound(outcome.health(at) == 1_000, "loss %.2f: health %d", loss, outcome.health(at));
      }
    }
    return "less than a tenth by the bad one, nobody charged";
  }

  /** Tests an interface of the peer that one rail does not reach, and that another finds again. */
  static String besideDead(long seed) {
    List<RailWorld.Event> events = new ArrayList<>();
    cut(events, START_NS + SECOND, START_NS + 60 * SECOND, 1, 3);
    cut(events, START_NS + SECOND, START_NS + 8 * SECOND, 2, 3);
    RailRecords records = new RailRecords(140_000, 64, START_NS, INTERVAL_NS);
    int[] peerOf = {0, 1, 1};
    RailWorld world =
        new RailWorld(
            alike(3, 250 * MICRO),
            oneWay(records),
            events,
            WindowSetting.of(Limits.WINDOW_PACKETS_MAX, RailHealthConfig.usual()),
            peerOf,
            seed);
    world.run();
    int health = world.course().health(2, 11 * SECOND);
    double share = world.course().share(2, 11 * SECOND, 14 * SECOND);
    bound(world.course().health(2, 7_500 * MILLI) < 1_000, "not charged");
    bound(health == 1_000, "health %d three seconds after it is back", health);
    bound(share > 0.3, "%.3f of the packets again", share);
    return String.format("%.3f of the packets beside a dead rail to the same interface", share);
  }

  /** Tests a rail that becomes longer while little is sent. */
  static String longer(long seed) {
    List<RailWorld.Event> events = new ArrayList<>();
    for (int from = 0; from < 2; from++) {
      events.add(new RailWorld.Event(START_NS + 50 * MILLI, 1, from, 0, 2 * MILLI));
    }
    RailRecords records = new RailRecords(300, 64, START_NS, 200 * MILLI);
    RailWorld world = new RailWorld(alike(2, 250 * MICRO), oneWay(records), events, seed);
    for (int i = 5; i >= 0; i--) { // so it is asked by PING, and carries little else
      world.pair(0, 1).onSilent(false, START_NS - i * SECOND);
    }
    world.run();
    int health = world.course().health(1, 20 * SECOND);
    bound(health == 1_000, "health %d", health);
    return "the interfaces of a longer rail recover";
  }

  /** Tests kills of three seconds and of thirty. */
  static String killed(long seed) {
    StringBuilder figures = new StringBuilder();
    for (long seconds : new long[] {3, 30}) {
      Outcome outcome = kill(seconds, seed);
      requirePrompt(outcome);
      long restore = 1_000 * (1 + seconds);
      double again = outcome.share(restore + 1_500, restore + 2_500);
      bound(again > 0.25, "%d s: %.3f of the packets again", seconds, again);
      bound(outcome.health(restore - 100) < 1_000, "%d s: not charged", seconds);
      bound(outcome.health(restore + 2_000) == 1_000, "%d s: not recovered", seconds);
      figures.append(
          String.format(
              "%d s: health %d before it is back, then %.3f of the packets; ",
              seconds, outcome.health(restore - 100), again));
    }
    return figures.toString();
  }

  private static Outcome kill(long seconds, long seed) {
    List<RailWorld.Event> events = new ArrayList<>();
    cut(events, START_NS + SECOND, START_NS + (1 + seconds) * SECOND, 1, 3);
    return usual(events, seconds + 4, seed);
  }

  /** Tests a rail that is dark for half of each second. */
  static String flapping(long seed) {
    Outcome outcome = flap(seed);
    requirePrompt(outcome);
    long suspected = outcome.world.count(0, CounterId.PATHS_SUSPECTED);
    bound(suspected >= 8, "suspected %d times", suspected);
    double share = outcome.share(1_000, 9_000);
    bound(share < 0.2, "%.3f of the packets", share);
    return String.format(
        "suspected %d times, %.3f of the packets, at most %.1f ms late",
        suspected, share, outcome.records.latenessNsMax() / 1e6);
  }

  private static Outcome flap(long seed) {
    List<RailWorld.Event> events = new ArrayList<>();
    for (int i = 1; i < 9; i++) {
      cut(events, START_NS + i * SECOND, START_NS + i * SECOND + 500 * MILLI, 1, 3);
    }
    return usual(events, 11, seed);
  }

  /** Tests pauses of 100 to 200 ms at a round trip of 15 ms, as Wi-Fi has them. */
  static String pausing(long seed) {
    List<RailWorld.Event> events = new ArrayList<>();
    for (int i = 1; i < 9; i++) {
      long atNs = START_NS + i * SECOND;
      cut(events, atNs, atNs + 90 * MILLI + i * 12 * MILLI, 1, 3);
    }
    Outcome outcome = run(events, 10, 7_500 * MICRO, RailHealthConfig.usual(), null, seed);
    long suspected = outcome.world.count(0, CounterId.PATHS_SUSPECTED);
    bound(suspected > 0, "never suspected");
    for (long at = 0; at < 10_000; at += 100) {
      bound(outcome.health(at) == 1_000, "health %d at %d ms", outcome.health(at), at);
    }
    return String.format("suspected %d times, health untouched", suspected);
  }

  /** Tests the health of a dead rail by the letter of the document. */
  static String letter(long seed) {
    List<RailWorld.Event> events = new ArrayList<>();
    cut(events, START_NS + SECOND, START_NS + 13 * SECOND, 1, 3);
    Outcome outcome = run(events, 60, 250 * MICRO, RailHealthConfig.hld(), null, seed);
    requirePrompt(outcome);
    int lowest = outcome.health(12_900);
    int later = outcome.health(50_000) - outcome.health(40_000);
    bound(lowest <= 400 && lowest % 100 == 0, "health %d", lowest);
    bound(later == 10, "%d in ten seconds of answered PINGs", later);
    bound(outcome.share(20_000, 60_000) < 0.1, "used while less healthy");
    return String.format("health %d after 12 s, then 1 more each second", lowest);
  }

  // ---- courses, for docs/reference/health.md

  static String lossyCourse(long seed) {
    return losing(seed).world.course().table(1, 8 * SECOND);
  }

  static String killedCourse(long seed) {
    return kill(3, seed).world.course().table(1, 6 * SECOND);
  }

  static String flappingCourse(long seed) {
    return flap(seed).world.course().table(1, 4 * SECOND);
  }
}
