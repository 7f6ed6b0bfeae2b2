package io.rtransport.simulator;

import static io.rtransport.simulator.ScenarioBound.bound;

import io.rtransport.core.stats.CounterId;
import io.rtransport.simulator.DeadEntry.Way;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.random.RandomGenerator;

/** Scenarios of a client whose source port has a dead entry at a translator on the way. */
final class PortScenarios {
  private static final long MICRO = 1_000;
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000_000_000L;
  private static final int MESSAGES = 400;

  /** Longest time without a delivery on a way that loses nothing else. */
  private static final long GAP_NS_MAX = 100 * MILLI;

  /** The same on a bad way: a peer without a round-trip sample resends in vain for a second. */
  private static final long BAD_GAP_NS_MAX = 3 * SECOND;

  /** Longest time until a client has noticed that only its acknowledgements are eaten. */
  private static final long CHANGE_NS_MAX = 300 * MILLI;

  /** Longest set-up likewise: CONNECT leaves by a second port after a quarter of a second. */
  private static final long SET_UP_NS_MAX = 300 * MILLI;

  private static final long BAD_SET_UP_NS_MAX = 2 * SECOND;

  /** Longest time until a client that waits hears the end: its PINGs show the silence. */
  private static final long SILENCE_NS_MAX = 2 * SECOND;

  private static final int SET_UPS = 10;

  /** Loss and copies of a bad way, and how much later a datagram may be. */
  private static final double BAD_SHARE = 0.02;

  /** What the sides do when the entry dies. */
  private enum Traffic {
    CLIENT_PUSHES,
    CLIENT_PULLS,
    BOTH_PUSH,
    SERVER_PUSHES,

    /** The client's application takes messages and ends none, so only acknowledgements go back. */
    SERVER_PUSHES_UNENDED;

    /**
     * Returns whether the client can tell that the entry of its port is dead. One that waits for
     * nothing, and that nothing reaches, cannot.
     */
    boolean canTell(Way way) {
      return way == Way.THERE || this != SERVER_PUSHES && this != SERVER_PUSHES_UNENDED;
    }
  }

  private final ScenarioNet net;
  private final ScenarioNet.Host client;
  private final ScenarioNet.Host server;
  private final RandomGenerator draws;
  private final DeadEntry entry;
  private final long delayNs;
  private final boolean isBad;

  private PortScenarios(long seed, Way way, boolean isBad) {
    net = new ScenarioNet(seed, MILLI);
    client = net.host();
    server = net.host();
    draws = SimRandom.fork(seed, "entry");
    delayNs = SimRandom.logUniform(draws, 20 * MICRO, 500 * MICRO);
    entry = new DeadEntry(way);
    this.isBad = isBad;
    net.fate = this::fate;
  }

  private long[] fate(Datagram datagram) {
    if (entry.eats(datagram)) {
      return ScenarioNet.LOST;
    }
    if (!isBad) {
      return new long[] {delayNs};
    }
    long first = delayNs + (draws.nextDouble() < 0.1 ? draws.nextLong(2 * delayNs) : 0);
    double fate = draws.nextDouble();
    if (fate < BAD_SHARE) {
      return ScenarioNet.LOST;
    }
    return fate < 2 * BAD_SHARE ? new long[] {first, first + delayNs} : new long[] {first};
  }

  // ---- in mid-traffic

  /** Tests each way, each traffic, with and without other trouble. */
  static String inTraffic(long seed) {
    long worstNs = 0;
    long worstBadNs = 0;
    long changes = 0;
    for (Way way : Way.values()) {
      for (Traffic traffic : Traffic.values()) {
        for (int trouble = 0; traffic.canTell(way) && trouble < 2; trouble++) {
          boolean isBad = trouble > 0;
          PortScenarios world = new PortScenarios(seed, way, isBad);
          String what = way + ", " + traffic + (isBad ? ", bad" : "");
          try {
            long gapNs = world.loseInTraffic(traffic);
            worstNs = isBad ? worstNs : Math.max(worstNs, gapNs);
            worstBadNs = Math.max(worstBadNs, gapNs);
            changes += world.client.count(CounterId.PORTS_CHANGED);
          } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(what + ": " + e.getMessage(), e);
          }
        }
      }
    }
    bound(worstNs <= GAP_NS_MAX, "a gap of %,d ns", worstNs);
    bound(worstBadNs <= BAD_GAP_NS_MAX, "a gap of %,d ns on a bad way", worstBadNs);
    return String.format(
        "longest gap %.1f ms, %.1f ms on a bad way, %d ports",
        worstNs / 1e6, worstBadNs / 1e6, changes);
  }

  /** Returns the longest time without a delivery, ns. */
  private long loseInTraffic(Traffic traffic) {
    ScenarioPeer peer = client.connectByFreePort(server);
    bound(net.run(() -> peer.isEstablished && !server.accepted.isEmpty(), 10 * SECOND), "not up");
    net.runFor(10 * MILLI);
    ScenarioPeer other = server.accepted.get(0);
    boolean isUnended = traffic == Traffic.SERVER_PUSHES_UNENDED;
    peer.isSlow = isUnended;
    long beginNs = net.nowNs;
    int count = isUnended ? MESSAGES / 8 : MESSAGES; // so few that no credit is told
    for (int i = 0; i < count; i++) {
      int bytes = draws.nextInt(isUnended ? 10 : 4_000);
      net.at(beginNs + i * MILLI, () -> send(traffic, peer, other, bytes));
    }
    InetSocketAddress first = client.address;
    long diesNs = beginNs + draws.nextLong(count * MILLI / 8, count * MILLI / 2);
    net.at(diesNs, () -> entry.dies(first));
    long longestNs = 0;
    long lastNs = beginNs;
    long lastProgress = 0;
    while (net.nowNs < beginNs + count * MILLI || !isOver(peer, other, isUnended)) {
      net.runFor(MILLI / 2);
      long progress = peer.delivered + other.delivered + peer.pullsCompleted;
      lastNs = progress > lastProgress ? net.nowNs : lastNs;
      lastProgress = progress;
      longestNs = Math.max(longestNs, net.nowNs - lastNs);
      bound(longestNs < 10 * SECOND, "no progress behind %d; %s", progress, peer.reason);
    }
    long limitNs = isBad ? BAD_GAP_NS_MAX : CHANGE_NS_MAX;
    boolean hasChanged = net.run(() -> client.count(CounterId.PORTS_CHANGED) > 0, limitNs);
    bound(hasChanged, "the port was not changed");
    boolean hasFollowed = net.run(() -> server.count(CounterId.PATHS_MOVED) > 0, SECOND);
    bound(hasFollowed, "the server has not followed");
    bound(
        other.connection.remote().getPort() != first.getPort(), "the server sends to the old port");
    for (int i = 0; isUnended && i < count; i++) {
      peer.acknowledgeOne();
    }
    net.run(() -> peer.isDone() && other.isDone(), 10 * SECOND);
    peer.requireAllCompleted();
    other.requireAllCompleted();
    net.runFor(10 * SECOND); // the old port is given back
    bound(Long.bitCount(peer.connection.nis()) == 1, "ports %x", peer.connection.nis());
    net.closeAll(List.of(peer));
    return longestNs;
  }

  private static boolean isOver(ScenarioPeer peer, ScenarioPeer other, boolean isUnended) {
    return isUnended ? peer.delivered == MESSAGES / 8 : peer.isDone() && other.isDone();
  }

  private static void send(Traffic traffic, ScenarioPeer peer, ScenarioPeer other, int bytes) {
    switch (traffic) {
      case CLIENT_PUSHES -> peer.push(bytes);
      case CLIENT_PULLS -> peer.pull(bytes);
      case BOTH_PUSH -> {
        peer.push(bytes);
        other.push(bytes);
      }
      default -> other.push(bytes);
    }
  }

  /**
   * Tests a client that waits for the end of its push, with nothing unacknowledged. The server's
   * application ends it when the entry is dead.
   */
  static String inSilence(long seed) {
    long longestNs = 0;
    for (Way way : Way.values()) {
      PortScenarios world = new PortScenarios(seed, way, false);
      longestNs = Math.max(longestNs, world.waitForEnd(way));
    }
    return String.format("the end came %.1f ms after it was said", longestNs / 1e6);
  }

  private long waitForEnd(Way way) {
    ScenarioPeer peer = client.connectByFreePort(server);
    bound(net.run(() -> peer.isEstablished && !server.accepted.isEmpty(), SECOND), "not up");
    ScenarioPeer other = server.accepted.get(0);
    other.isSlow = true;
    peer.push(1_000);
    net.runFor(100 * MILLI);
    entry.dies(client.address);
    net.runFor(MILLI);
    other.acknowledgeOne();
    final long saidNs = net.nowNs;
    bound(net.run(peer::isDone, 10 * SECOND), "%s: no end", way);
    peer.requireAllCompleted();
    long tookNs = net.nowNs - saidNs;
    bound(tookNs <= SILENCE_NS_MAX, "%s: an end after %,d ns", way, tookNs);
    net.closeAll(List.of(peer));
    return tookNs;
  }

  // ---- at set-up

  /** Tests an entry that is dead from the beginning. */
  static String atSetUp(long seed) {
    long longestNs = 0;
    long longestBadNs = 0;
    for (int i = 0; i < SET_UPS; i++) {
      for (Way way : Way.values()) {
        boolean isBad = i % 2 > 0;
        PortScenarios world = new PortScenarios(seed * SET_UPS + i, way, isBad);
        long tookNs = world.setUp(way);
        longestNs = isBad ? longestNs : Math.max(longestNs, tookNs);
        longestBadNs = Math.max(longestBadNs, tookNs);
      }
    }
    bound(longestNs <= SET_UP_NS_MAX, "set up after %,d ns", longestNs);
    bound(longestBadNs <= BAD_SET_UP_NS_MAX, "set up after %,d ns on a bad way", longestBadNs);
    return String.format(
        "set up after at most %.1f ms, %.1f on a bad way", longestNs / 1e6, longestBadNs / 1e6);
  }

  private long setUp(Way way) {
    entry.dies(client.address);
    final long beginNs = net.nowNs;
    ScenarioPeer peer = client.connectByFreePort(server);
    bound(net.run(() -> peer.isEstablished, 30 * SECOND), "%s: no connection", way);
    final long tookNs = net.nowNs - beginNs;
    bound(client.count(CounterId.PORTS_CHANGED) == 1, "%s: not by one more port", way);
    peer.push(10, 1_000);
    bound(net.run(peer::isDone, 10 * SECOND), "%s: not done", way);
    peer.requireAllCompleted();
    bound(server.accepted.size() == 1, "%s: %d connections", way, server.accepted.size());
    bound(server.accepted.get(0).delivered == 10, "%s: not delivered", way);
    net.runFor(10 * SECOND); // the first port is given back
    bound(peer.connection.nis() == 2, "%s: ports %x", way, peer.connection.nis());
    bound(Integer.bitCount(peer.connection.openPaths()) == 1, "%s: more paths than one", way);
    net.closeAll(List.of(peer));
    return tookNs;
  }
}
