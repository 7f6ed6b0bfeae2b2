package io.rtransport.simulator;

import static io.rtransport.simulator.ScenarioBound.bound;

import io.rtransport.core.connection.Connection;
import io.rtransport.core.stats.CounterId;
import io.rtransport.simulator.ScenarioRails.Rail;
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

  private final Trouble trouble;
  private final ScenarioNet net;
  private final RandomGenerator random;
  private final ScenarioRails between;
  private final List<Rail> rails;
  private final int well;
  private final long intervalNs;
  private long lastNs = -1;
  private long gapNs;

  private RailSwarm(Trouble trouble, long seed) {
    this.trouble = trouble;
    net = new ScenarioNet(seed, MILLI);
    random = net.random();
    between = new ScenarioRails(net);
    rails = between.rails;
    int count = 2 + random.nextInt(7);
    well = random.nextInt(count);
    intervalNs = SimRandom.logUniform(random, 200 * MICRO, 3 * MILLI);
    between.interfaces(count, !random.nextBoolean());
    for (int i = 0; i < count; i++) {
      addRail(i);
    }
  }

  private void addRail(int index) {
    Rail rail = between.add(SimRandom.logUniform(random, 30 * MICRO, 450 * MICRO));
    rail.duplicate = random.nextInt(3) == 0 ? 0.02 : 0;
    rail.reorder = random.nextInt(3) == 0 ? 0.05 : 0;
    if (trouble == Trouble.DELAYS) {
      rail.delayNs = index == well ? 500 * MICRO : 10 * MILLI;
    } else if (trouble == Trouble.RATES) {
      rail.bytesPerSecond = index == well ? 50_000_000 : 5_000_000;
    }
  }

  private void plan() {
    long atNs = net.nowNs + 200 * MILLI + random.nextLong(500 * MILLI);
    long forNs = SimRandom.logUniform(random, 5 * MILLI, SECOND);
    int count = rails.size();
    Rail rail = rails.get((well + 1 + random.nextInt(count - 1)) % count);
    switch (trouble) {
      case KILL -> between.darkFor(rail, 3, atNs, forNs);
      case ONE_WAY -> between.darkFor(rail, 1 + random.nextInt(2), atNs, forNs);
      case FLAP -> {
        for (int i = 0; i < 3; i++) {
          between.darkFor(rail, 3, atNs + i * SECOND, SECOND / 2);
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
          between.darkFor(rails.get(i), 3, atNs, forNs + laterNs);
        }
      }
      case DELAYS, RATES -> {}
    }
  }

  private void run() {
    ScenarioPeer peer = between.left.connectByAll(between.right);
    bound(net.run(() -> peer.isEstablished, 30 * SECOND), "no connection");
    bound(net.run(() -> !between.right.accepted.isEmpty(), 10 * SECOND), "nothing accepted");
    ScenarioPeer other = between.right.accepted.get(0);
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
    checkRoundTrips(peer.connection);
    net.closeAll(List.of(peer));
  }

  /** Checks that rails have their delays: no path has measured a shorter round trip. */
  private void checkRoundTrips(Connection connection) {
    int measured = 0;
    for (int i = 0; connection.openPaths() >>> i != 0; i++) {
      if ((connection.openPaths() >>> i & 1) != 0) {
        long leastNs = 2 * rails.get(connection.ni(i)).delayNs;
        long seenNs = connection.window().path(i).minRttNs();
        bound(seenNs == 0 || seenNs >= leastNs, "rail of %,d ns measured as %,d", leastNs, seenNs);
        measured += seenNs > 0 ? 1 : 0;
      }
    }
    bound(measured > 0, "no round trip was measured");
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
      for (ScenarioNet.Host host : List.of(world.between.left, world.between.right)) {
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
