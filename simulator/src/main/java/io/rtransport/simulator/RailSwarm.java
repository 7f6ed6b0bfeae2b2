package io.rtransport.simulator;

import static io.rtransport.simulator.ScenarioBound.bound;

import io.rtransport.core.stats.CounterId;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Drawn connections over 2 to 8 rails with one kind of trouble after another, a world for each kind
 * and seed. Messages go one way at an interval, bulk goes the other way. One rail is always well,
 * except where all go dark. Where round trips are short, no message may come late.
 */
final class RailSwarm {
  private static final long MICRO = 1_000;
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;
  private static final long TRAFFIC_NS = 3 * SECOND;
  private static final int RECORD_BYTES = 64;

  /** Longest time without a message beyond their interval: the bar of issue 20. */
  private static final long GAP_NS_MAX = 20 * MILLI;

  /** Datagrams that wait for a rail of limited rate. */
  private static final int QUEUE_MAX = 100;

  private enum Trouble {
    /** A rail goes dark, and comes back. */
    KILL(true),
    /** It is dark for half of each second. */
    FLAP(true),
    /** It loses half of its packets. */
    HALF_LOSS(true),
    /** It is dark in one direction. */
    ONE_WAY(true),
    /** It holds its packets for 200 ms, and then delivers them. */
    PAUSE(true),
    /** All rails go dark. First one comes back, then the others. */
    ALL_DARK(false),
    /** A rail has 20 times the delay of the others. */
    DELAYS(false),
    /** A rail has 10 times the rate of the others. */
    RATES(false);

    /** Whether messages come in time in spite of it. */
    final boolean isPrompt;

    Trouble(boolean isPrompt) {
      this.isPrompt = isPrompt;
    }
  }

  /** What happens to the packets of one rail. */
  private static final class Rail {
    long delayNs;
    long bytesPerSecond;
    double duplicate;
    double reorder;
    double loss;
    long heldUntilNs = Long.MIN_VALUE;

    /** By sender: the connecting host, the accepting one. */
    final boolean[] isDark = new boolean[2];

    final long[] freeNs = new long[2];
  }

  private final Trouble trouble;
  private final ScenarioNet net;
  private final RandomGenerator random;
  private final ScenarioNet.Host left;
  private final ScenarioNet.Host right;
  private final List<Rail> rails = new ArrayList<>();
  private final int well;
  private final long intervalNs;
  private long lastNs = -1;
  private long gapNs;

  private RailSwarm(Trouble trouble, long seed) {
    this.trouble = trouble;
    net = new ScenarioNet(seed, MILLI);
    random = net.random();
    left = net.host();
    right = net.host();
    int count = 2 + random.nextInt(7);
    well = random.nextInt(count);
    intervalNs = SimRandom.logUniform(random, 200 * MICRO, 3 * MILLI);
    left.interfaces(count);
    if (random.nextBoolean()) {
      right.interfaces(count);
    }
    for (int i = 0; i < count; i++) {
      rails.add(rail(i));
    }
    net.fate = this::fate;
  }

  private Rail rail(int index) {
    Rail rail = new Rail();
    rail.delayNs = SimRandom.logUniform(random, 30 * MICRO, 450 * MICRO);
    rail.duplicate = random.nextInt(3) == 0 ? 0.02 : 0;
    rail.reorder = random.nextInt(3) == 0 ? 0.05 : 0;
    if (trouble == Trouble.DELAYS) {
      rail.delayNs = index == well ? 500 * MICRO : 10 * MILLI;
    } else if (trouble == Trouble.RATES) {
      rail.bytesPerSecond = index == well ? 50_000_000 : 5_000_000;
    }
    return rail;
  }

  private long[] fate(Datagram datagram) {
    int from = left.hasSent(datagram) ? 0 : 1;
    int number = left.interfaceAt(from == 0 ? datagram.source : datagram.destination);
    Rail rail = rails.get(number);
    boolean isLost = random.nextDouble() < rail.loss;
    boolean isTwice = random.nextDouble() < rail.duplicate;
    long laterNs = random.nextDouble() < rail.reorder ? random.nextLong(2 * rail.delayNs) : 0;
    if (isLost || rail.isDark[from]) {
      return ScenarioNet.LOST;
    }
    long delayNs = rail.delayNs + laterNs + Math.max(0, rail.heldUntilNs - net.nowNs);
    if (rail.bytesPerSecond > 0) {
      long packetNs = datagram.length * SECOND / rail.bytesPerSecond;
      long beginNs = Math.max(net.nowNs, rail.freeNs[from]);
      if (beginNs - net.nowNs > QUEUE_MAX * packetNs) {
        return ScenarioNet.LOST;
      }
      rail.freeNs[from] = beginNs + packetNs;
      delayNs += beginNs + packetNs - net.nowNs;
    }
    return isTwice ? new long[] {delayNs, delayNs + rail.delayNs} : new long[] {delayNs};
  }

  private void dark(Rail rail, int ways, boolean isDark) {
    for (int from = 0; from < 2; from++) {
      rail.isDark[from] = (ways >>> from & 1) != 0 ? isDark : rail.isDark[from];
    }
  }

  private void plan() {
    long atNs = net.nowNs + 200 * MILLI + random.nextLong(500 * MILLI);
    long forNs = SimRandom.logUniform(random, 5 * MILLI, SECOND);
    int count = rails.size();
    Rail rail = rails.get((well + 1 + random.nextInt(count - 1)) % count);
    switch (trouble) {
      case KILL -> darkFor(rail, 3, atNs, forNs);
      case ONE_WAY -> darkFor(rail, 1 + random.nextInt(2), atNs, forNs);
      case FLAP -> {
        for (int i = 0; i < 3; i++) {
          darkFor(rail, 3, atNs + i * SECOND, SECOND / 2);
        }
      }
      case HALF_LOSS -> {
        net.at(atNs, () -> rail.loss = 0.5);
        net.at(atNs + SECOND, () -> rail.loss = 0);
      }
      case PAUSE -> net.at(atNs, () -> rail.heldUntilNs = net.nowNs + 200 * MILLI);
      case ALL_DARK -> {
        for (int i = 0; i < count; i++) {
          long laterNs = i == well ? 0 : random.nextLong(500 * MILLI);
          darkFor(rails.get(i), 3, atNs, forNs + laterNs);
        }
      }
      case DELAYS, RATES -> {}
    }
  }

  private void darkFor(Rail rail, int ways, long atNs, long forNs) {
    net.at(atNs, () -> dark(rail, ways, true));
    net.at(atNs + forNs, () -> dark(rail, ways, false));
  }

  private void run() {
    ScenarioPeer peer = left.connectByAll(right);
    bound(net.run(() -> peer.isEstablished, 30 * SECOND), "no connection");
    bound(net.run(() -> !right.accepted.isEmpty(), 10 * SECOND), "nothing accepted");
    ScenarioPeer other = right.accepted.get(0);
    other.onDelivered = lengthBytes -> onDelivered();
    plan();
    long endNs = net.nowNs + TRAFFIC_NS;
    long bulkBytes = SimRandom.logUniform(random, 1_000, 2_000_000);
    net.after(random.nextLong(SECOND), () -> other.push(bulkBytes));
    net.after(random.nextLong(SECOND), () -> other.pull(bulkBytes / 10));
    push(peer, endNs);
    net.run(() -> net.nowNs >= endNs, TRAFFIC_NS);
    bound(net.run(() -> peer.isDone() && other.isDone(), 60 * SECOND), "not done");
    peer.requireAllCompleted();
    other.requireAllCompleted();
    bound(other.delivered == peer.completed, "%d of %d", other.delivered, peer.completed);
    net.closeAll(List.of(peer));
  }

  private void push(ScenarioPeer peer, long endNs) {
    peer.push(RECORD_BYTES);
    if (net.nowNs + intervalNs < endNs) {
      net.after(intervalNs, () -> push(peer, endNs));
    }
  }

  private void onDelivered() {
    gapNs = lastNs < 0 ? 0 : Math.max(gapNs, net.nowNs - lastNs - intervalNs);
    lastNs = net.nowNs;
  }

  /** Runs a world for each kind of trouble. */
  static String swarm(long seed) {
    Map<Trouble, Long> gaps = new EnumMap<>(Trouble.class);
    long[] totals = new long[4];
    for (Trouble trouble : Trouble.values()) {
      RailSwarm world = new RailSwarm(trouble, seed * Trouble.values().length + trouble.ordinal());
      try {
        world.run();
        bound(
            !trouble.isPrompt || world.gapNs <= GAP_NS_MAX,
            "%,d ns without a message",
            world.gapNs);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + seed + ", " + trouble, e);
      }
      gaps.put(trouble, world.gapNs / MICRO);
      for (ScenarioNet.Host host : List.of(world.left, world.right)) {
        totals[0] += host.count(CounterId.PATHS_OPENED);
        totals[1] += host.count(CounterId.PATHS_SUSPECTED);
        totals[2] += host.count(CounterId.PATHS_RETURNED);
        totals[3] += host.count(CounterId.RETRANSMITS_MOVED);
      }
    }
    for (long total : totals) {
      bound(total > 0, "seed %d: something did not happen in any world", seed);
    }
    return String.format(
        "%d paths opened, %d suspected, %d returned, %d packets moved; longest gaps, µs: %s",
        totals[0], totals[1], totals[2], totals[3], gaps);
  }
}
