package io.rtransport.simulator;

import static io.rtransport.simulator.ScenarioBound.bound;

import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import java.util.List;
import java.util.random.RandomGenerator;

/** Scenarios of whole connections over several rails, from their set-up to their close. */
final class RailedConnections {
  private static final long MICRO = 1_000;
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000_000_000L;
  private static final int WORLDS = 20;
  private static final int JUMBO = 8_192;
  private static final int NARROW = 1_372;

  private RailedConnections() {}

  private static ScenarioRails rails(long seed, int railCount, boolean hasOneServerAddress) {
    ScenarioRails rails = new ScenarioRails(new ScenarioNet(seed, MILLI));
    rails.interfaces(railCount, hasOneServerAddress);
    return rails;
  }

  // ---- set-up

  /** Tests every set of three rails that can be dark when the connection is set up. */
  static String setUp(long seed) {
    long latestNs = 0;
    for (int dark = 0; dark < 7; dark++) {
      ScenarioRails world = rails(seed + dark, 3, dark % 2 == 0);
      for (int i = 0; i < 3; i++) {
        world.add(500 * MICRO).dark((dark >>> i & 1) != 0 ? 3 : 0, true);
      }
      ScenarioNet net = world.net;
      ScenarioPeer peer = world.left.connectByAll(world.right);
      long beginNs = net.nowNs;
      bound(net.run(() -> peer.isEstablished, 10 * SECOND), "dark %d: no connection", dark);
      latestNs = Math.max(latestNs, net.nowNs - beginNs);
      peer.push(50, 10_000);
      bound(net.run(peer::isDone, 10 * SECOND), "dark %d: not done", dark);
      int light = Integer.bitCount(~dark & 7);
      bound(count(peer) == light, "dark %d: %d paths", dark, count(peer));
      for (int i = 0; i < 3; i++) {
        world.rails.get(i).dark(3, false);
      }
      for (int i = 0; i < 40 && count(peer) < 3; i++) { // they join while there is something to do
        peer.push(5, 100_000);
        net.runFor(100 * MILLI);
      }
      bound(count(peer) == 3, "dark %d: %d paths after the others are back", dark, count(peer));
      net.run(peer::isDone, 10 * SECOND);
      peer.requireAllCompleted();
      net.closeAll(List.of(peer));
    }
    return String.format("within %.1f ms each, the others join", latestNs / 1e6);
  }

  private static int count(ScenarioPeer peer) {
    return Integer.bitCount(peer.connection.openPaths());
  }

  // ---- rails of different MTU

  /**
   * Tests a rail of jumbo frames beside one of 1,400 bytes. The wide one goes dark while its long
   * packets are in flight: they go on by the narrow one, in pieces.
   */
  static String unlikeMtu(long seed) {
    long moved = 0;
    long shortened = 0;
    long latestNs = 0;
    for (int wide = 0; wide < 2; wide++) {
      ScenarioRails world = rails(seed + wide, 2, false);
      world.add(500 * MICRO).lengthMax = wide == 0 ? JUMBO : NARROW;
      world.add(500 * MICRO).lengthMax = wide == 0 ? NARROW : JUMBO;
      ConnectionConfig config =
          ConnectionConfig.builder().pathMtuDiscovered(true).datagramLengthBytes(JUMBO).build();
      world.left.config = config;
      world.right.config = config;
      ScenarioNet net = world.net;
      ScenarioPeer peer = world.left.connectByAll(world.right);
      bound(net.run(() -> peer.isEstablished, 30 * SECOND), "wide %d: no connection", wide);
      peer.push(100, 64 << 10);
      bound(net.run(peer::isDone, 30 * SECOND), "wide %d: not done", wide);
      bound(count(peer) == 2, "wide %d: %d paths", wide, count(peer));
      peer.push(400, 64 << 10);
      long before = peer.completed;
      bound(net.run(() -> peer.completed > before + 20, 10 * SECOND), "wide %d: stands", wide);
      world.rails.get(wide).dark(3, true);
      long darkNs = net.nowNs;
      long atDark = peer.completed;
      bound(net.run(() -> peer.completed > atDark + 64, 10 * SECOND), "wide %d: stopped", wide);
      latestNs = Math.max(latestNs, net.nowNs - darkNs);
      bound(net.run(peer::isDone, 60 * SECOND), "wide %d: not done by the narrow one", wide);
      world.rails.get(wide).dark(3, false);
      peer.push(400, 64 << 10);
      bound(net.run(peer::isDone, 60 * SECOND), "wide %d: not done after it is back", wide);
      peer.requireAllCompleted();
      moved += world.left.count(CounterId.RETRANSMITS_MOVED);
      shortened += world.left.count(CounterId.PACKETS_SHORTENED);
      net.closeAll(List.of(peer));
    }
    String figure =
        String.format(
            "64 messages within %.0f ms of the loss, %d packets moved, %d shortened",
            latestNs / 1e6, moved, shortened);
    bound(moved > 0 && shortened > 0, "%s", figure);
    return figure;
  }

  // ---- transfers

  /** Tests drawn connections whose rails go dark and come back during pushes and pulls. */
  static String transfers(long seed) {
    long[] counts = new long[5];
    for (int i = 0; i < WORLDS; i++) {
      long worldSeed = seed * WORLDS + i;
      try {
        transfer(worldSeed, counts);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("world " + worldSeed, e);
      }
    }
    for (long each : counts) {
      bound(each > 0, "something did not happen in %d worlds", WORLDS);
    }
    return String.format(
        "%d worlds: %d paths opened, %d suspected, %d returned, %d packets moved, %d cuts",
        WORLDS, counts[0], counts[1], counts[2], counts[3], counts[4]);
  }

  private static void transfer(long seed, long[] counts) {
    RandomGenerator draws = SimRandom.fork(seed, "railed");
    int railCount = 2 + draws.nextInt(7);
    ScenarioRails world = rails(seed, railCount, draws.nextBoolean());
    for (int i = 0; i < railCount; i++) {
      ScenarioRails.Rail rail = world.add(SimRandom.logUniform(draws, 20 * MICRO, 10 * MILLI));
      rail.loss = draws.nextInt(3) == 0 ? 0 : SimRandom.logUniform(draws, 1, 100) / 1_000.0;
      rail.duplicate = draws.nextInt(3) == 0 ? 0.02 : 0;
      rail.reorder = draws.nextInt(3) == 0 ? 0.05 : 0;
    }
    ScenarioNet net = world.net;
    ScenarioPeer peer = world.left.connectByAll(world.right);
    bound(net.run(() -> peer.isEstablished, 30 * SECOND), "no connection");
    bound(net.run(() -> !world.right.accepted.isEmpty(), 10 * SECOND), "nothing accepted");
    ScenarioPeer other = world.right.accepted.get(0);
    long endNs = net.nowNs + 3 * SECOND;
    for (int i = draws.nextInt(3 * railCount); i > 0; i--) {
      counts[4]++;
      ScenarioRails.Rail rail = world.rails.get(draws.nextInt(railCount));
      int ways = 1 + draws.nextInt(3);
      long atNs = net.nowNs + draws.nextLong(2 * SECOND);
      long forNs = SimRandom.logUniform(draws, MILLI, SECOND);
      world.darkFor(rail, ways, atNs, forNs);
    }
    for (int i = 0; i < 60; i++) {
      long lengthBytes = SimRandom.logUniform(draws, 1, 300_000);
      ScenarioPeer from = draws.nextBoolean() ? peer : other;
      boolean isPull = draws.nextInt(4) == 0;
      long atNs = net.nowNs + draws.nextLong(2 * SECOND);
      net.at(atNs, () -> submit(from, isPull, lengthBytes));
    }
    net.run(() -> net.nowNs >= endNs, 4 * SECOND);
    bound(net.run(() -> peer.isDone() && other.isDone(), 60 * SECOND), "not done");
    peer.requireAllCompleted();
    other.requireAllCompleted();
    for (ScenarioNet.Host host : List.of(world.left, world.right)) {
      counts[0] += host.count(CounterId.PATHS_OPENED);
      counts[1] += host.count(CounterId.PATHS_SUSPECTED);
      counts[2] += host.count(CounterId.PATHS_RETURNED);
      counts[3] += host.count(CounterId.RETRANSMITS_MOVED);
    }
    net.closeAll(List.of(peer));
  }

  private static void submit(ScenarioPeer from, boolean isPull, long lengthBytes) {
    if (isPull) {
      from.pull(lengthBytes);
    } else {
      from.push(lengthBytes);
    }
  }
}
