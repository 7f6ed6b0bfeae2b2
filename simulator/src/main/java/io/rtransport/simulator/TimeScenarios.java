package io.rtransport.simulator;

import static io.rtransport.simulator.ScenarioBound.bound;

import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.ConnectionConfig.Congestion;
import io.rtransport.core.stats.CounterId;
import java.util.List;
import java.util.random.RandomGenerator;

/** Scenarios of delay and of silence. */
final class TimeScenarios {
  private static final long MILLI_NS = 1_000_000;
  private static final long SECOND_NS = 1_000_000_000L;

  /** Largest share of packets that may be resent where nothing is lost. */
  private static final double RESENT_MAX = 0.05;

  private TimeScenarios() {}

  private static ScenarioPeer connect(ScenarioNet net, String profile) {
    ScenarioNet.Host left = net.host();
    ScenarioNet.Host right = net.host();
    ConnectionConfig config =
        ConnectionConfig.builder().adpProfile(BuiltInProfiles.find(profile)).build();
    left.config = config;
    right.config = config;
    ScenarioPeer peer = left.connect(right);
    bound(net.run(() -> peer.isEstablished, 30 * SECOND_NS), "no connection");
    return peer;
  }

  /** Pushes {@code count} messages, one each interval. */
  private static void pushEach(ScenarioNet net, ScenarioPeer peer, long intervalNs, int count) {
    if (count > 0 && peer.reason == null) {
      peer.push(net.random().nextInt(3_000));
      net.after(intervalNs, () -> pushEach(net, peer, intervalNs, count - 1));
    }
  }

  static String jitter(long seed) {
    return jitter(seed, Congestion.AIMD, false);
  }

  static String overtaking(long seed) {
    return "by loss "
        + jitter(seed, Congestion.AIMD, true)
        + "; by delay "
        + jitter(seed, Congestion.SWIFT, true);
  }

  private static String jitter(long seed, Congestion congestion, boolean isOvertaking) {
    long rttNs = MILLI_NS;
    ScenarioNet net = new ScenarioNet(seed, rttNs / 2);
    ScenarioNet.Host left = net.host();
    ScenarioNet.Host right = net.host();
    left.config = ConnectionConfig.builder().congestion(congestion).build();
    right.config = left.config;
    ScenarioPeer peer = left.connect(right);
    bound(net.run(() -> peer.isEstablished, 30 * SECOND_NS), "no connection");
    RandomGenerator random = net.random();
    long[] lastArrivalNs = new long[2];
    net.fate =
        datagram -> {
          int direction = left.hasSent(datagram) ? 0 : 1;
          long atNs = net.nowNs + rttNs / 2 + random.nextLong(10 * rttNs);
          lastArrivalNs[direction] = Math.max(lastArrivalNs[direction], atNs);
          return new long[] {(isOvertaking ? atNs : lastArrivalNs[direction]) - net.nowNs};
        };
    peer.push(160, 64 << 10);
    net.run(peer::isDone, 120 * SECOND_NS);
    peer.requireAllCompleted();
    long sent = left.count(CounterId.PACKETS_NUMBERED_SENT);
    double share = (double) left.resent() / sent;
    String figure =
        String.format(
            "%,d of %,d packets resent (%.2f %%): %,d early, %,d probes, %,d by timeout",
            left.resent(),
            sent,
            share * 100,
            left.count(CounterId.RETRANSMITS_EARLY),
            left.count(CounterId.RETRANSMITS_PROBE),
            left.count(CounterId.RETRANSMITS_TIMEOUT));
    bound(share <= RESENT_MAX, "%s", figure);
    net.closeAll(List.of(peer));
    return figure;
  }

  static String longRoundTrips(long seed) {
    StringBuilder figures = new StringBuilder();
    for (int rttMillis : new int[] {30, 250}) {
      ScenarioNet net = new ScenarioNet(seed, rttMillis * MILLI_NS / 2);
      ScenarioPeer peer = connect(net, "lan");
      for (int i = 0; i < 100; i++) { // first together, then one by one
        peer.push(net.random().nextInt(40_000));
      }
      net.run(peer::isDone, 120 * SECOND_NS);
      pushEach(net, peer, rttMillis * MILLI_NS / 3, 100);
      net.runFor(100 * rttMillis * MILLI_NS);
      net.run(peer::isDone, 60 * SECOND_NS);
      peer.requireAllCompleted();
      long timeouts = peer.connection.counters().value(CounterId.RETRANSMITS_TIMEOUT);
      long probes = peer.connection.counters().value(CounterId.RETRANSMITS_PROBE);
      bound(timeouts == 0, "RTT of %d ms: %d resent by timeout", rttMillis, timeouts);
      figures.append(
          String.format(
              "%s%d ms: 0 by timeout, %d probes",
              figures.isEmpty() ? "" : ", ", rttMillis, probes));
      net.closeAll(List.of(peer));
    }
    return figures.toString();
  }

  /**
   * Tests a host with too much work: the packets, and with them the acknowledgements, wait until it
   * continues.
   */
  static String pauses(long seed) {
    long[] millis = new long[2];
    long[] timeouts = new long[2];
    for (int i = 0; i < 2; i++) {
      long pauseNs = i * SECOND_NS / 2;
      ScenarioNet net = new ScenarioNet(seed, 50 * MILLI_NS);
      ScenarioPeer peer = connect(net, "lan");
      long startNs = net.nowNs;
      long phaseNs = net.random().nextLong(SECOND_NS);
      net.fate =
          datagram -> {
            long arrivalNs = net.nowNs + 50 * MILLI_NS;
            long intoNs = (arrivalNs - startNs + phaseNs) % (SECOND_NS + pauseNs) - SECOND_NS;
            return new long[] {50 * MILLI_NS + (intoNs > 0 ? pauseNs - intoNs : 0)};
          };
      peer.push(32, 1 << 20);
      net.run(peer::isDone, 300 * SECOND_NS);
      peer.requireAllCompleted();
      millis[i] = (net.nowNs - startNs) / MILLI_NS;
      timeouts[i] = peer.connection.counters().value(CounterId.TIMEOUTS);
      net.closeAll(List.of(peer));
    }
    String figure =
        String.format(
            "%,d ms, %,d ms with %d expiries of the timer", millis[0], millis[1], timeouts[1]);
    bound(timeouts[1] > 0, "nothing expired");
    bound(millis[1] <= millis[0] * 5 / 2, "%s", figure);
    return figure;
  }

  static String blackholeCycles(long seed) {
    ScenarioNet net = new ScenarioNet(seed, MILLI_NS / 2);
    ScenarioPeer peer = connect(net, "lan");
    long startNs = net.nowNs;
    net.fate =
        datagram ->
            (net.nowNs - startNs) % (7 * SECOND_NS) >= 5 * SECOND_NS
                ? ScenarioNet.LOST
                : new long[] {MILLI_NS / 2};
    pushEach(net, peer, 10 * MILLI_NS, 2_800); // for four of the cycles
    net.runFor(28 * SECOND_NS);
    net.run(peer::isDone, 30 * SECOND_NS);
    peer.requireAllCompleted();
    net.fate = datagram -> new long[] {MILLI_NS / 2};
    net.closeAll(List.of(peer));
    return String.format("%,d pushes over 4 cycles", peer.completed);
  }

  static String blackholeWan(long seed) {
    ScenarioNet net = new ScenarioNet(seed, MILLI_NS / 2);
    ScenarioPeer peer = connect(net, "wan");
    pushEach(net, peer, 10 * MILLI_NS, 3_500);
    net.runFor(SECOND_NS);
    SimLink.Fate fate = net.fate;
    net.fate = datagram -> ScenarioNet.LOST;
    net.runFor(30 * SECOND_NS);
    net.fate = fate;
    long healedNs = net.nowNs;
    long before = peer.completed;
    net.run(() -> peer.completed > before, 60 * SECOND_NS);
    final long goesOnMillis = (net.nowNs - healedNs) / MILLI_NS;
    net.runFor(4 * SECOND_NS);
    net.run(peer::isDone, 60 * SECOND_NS);
    peer.requireAllCompleted();
    net.closeAll(List.of(peer));
    return String.format("%,d pushes, goes on %d ms after it", peer.completed, goesOnMillis);
  }

  static String blackholeLan(long seed) {
    ScenarioNet net = new ScenarioNet(seed, MILLI_NS / 2);
    ScenarioNet.Host left = net.host();
    ScenarioNet.Host right = net.host();
    ScenarioPeer peer = left.connect(right);
    bound(net.run(() -> peer.isEstablished, 30 * SECOND_NS), "no connection");
    pushEach(net, peer, 10 * MILLI_NS, 3_500);
    net.runFor(SECOND_NS);
    ScenarioPeer other = right.accepted.get(0);
    net.fate = datagram -> ScenarioNet.LOST;
    final long darkNs = net.nowNs;
    peer.push(100_000); // so that both wait for something
    other.push(100_000);
    net.runFor(30 * SECOND_NS);
    long boundNs = BuiltInProfiles.LAN.totalNs(AdpParameters.DEFAULT) + 3 * SECOND_NS;
    for (ScenarioPeer side : List.of(peer, other)) {
      bound(side.reason != null, "one side still lives");
      bound(side.reason.code() == CloseCode.RETRY_EXCEEDED.code(), "ended by %s", side.reason);
      bound(
          side.reasonAtNs - darkNs <= boundNs,
          "ended after %,d ns, bound %,d",
          side.reasonAtNs - darkNs,
          boundNs);
      bound(side.isDone(), "a transaction without end");
    }
    net.closeAll(List.of());
    return String.format(
        "ended after %,d and %,d ms",
        (peer.reasonAtNs - darkNs) / MILLI_NS, (other.reasonAtNs - darkNs) / MILLI_NS);
  }
}
