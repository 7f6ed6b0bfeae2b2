package io.rtransport.simulator;

import static io.rtransport.simulator.ScenarioBound.bound;

import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.rail.Nid;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** Scenarios of a client that knows one address of its server, and is told the others. */
final class ToldRails {
  private static final long MICRO = 1_000;
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000_000_000L;
  private static final int WORLDS = 20;
  private static final int MESSAGES = 400;

  /** Longest time without a delivery when a rail dies, at round trips of at most 1 ms. */
  private static final long GAP_NS_MAX = 20 * MILLI;

  private static final int CHALLENGE = 64;

  private final ScenarioNet net;
  private final RandomGenerator draws;
  private final ScenarioNet.Host client;
  private final ScenarioNet.Host server;
  private final long[] delaysNs;
  private final double loss;
  private final boolean[] isDark;
  private final int railCount;

  /** Datagrams to addresses that are nobody's. */
  private final Map<InetSocketAddress, Integer> strayed = new HashMap<>();

  private long strayedLengthMax;

  private ToldRails(long seed, int railCount, List<Nid> lies, double loss) {
    this.railCount = railCount;
    this.loss = loss;
    net = new ScenarioNet(seed, MILLI);
    draws = SimRandom.fork(seed, "told");
    client = net.host();
    server = net.host();
    client.interfaces(Limits.LOCAL_NIS_MAX); // sockets that it may open
    server.interfaces(railCount);
    List<Nid> nids = new ArrayList<>(lies);
    for (int i = 0; i < railCount; i++) {
      nids.add(new Nid(server.address(i), ""));
    }
    server.config = ConnectionConfig.builder().nids(nids).build();
    delaysNs = new long[railCount];
    isDark = new boolean[railCount];
    for (int i = 0; i < railCount; i++) {
      delaysNs[i] = SimRandom.logUniform(draws, 20 * MICRO, 500 * MICRO);
    }
    net.fate = this::fate;
  }

  /** Each address of the server is a rail of its own. */
  private long[] fate(Datagram datagram) {
    boolean isFromClient = client.hasSent(datagram);
    int rail = server.interfaceAt(isFromClient ? datagram.destination : datagram.source);
    if (rail < 0) {
      strayed.merge(datagram.destination, 1, Integer::sum);
      strayedLengthMax = Math.max(strayedLengthMax, datagram.length);
      return ScenarioNet.LOST;
    }
    return isDark[rail] || net.random().nextDouble() < loss
        ? ScenarioNet.LOST
        : new long[] {delaysNs[rail]};
  }

  private static int usable(ScenarioPeer peer) {
    return Integer.bitCount(peer.connection.usablePaths());
  }

  /** Tests drawn connections: the rail that the client knew goes dark, or another one. */
  static String told(long seed) {
    long longestNs = 0;
    long moved = 0;
    long found = 0;
    for (int i = 0; i < WORLDS; i++) {
      long worldSeed = seed * WORLDS + i;
      try {
        int railCount = 2 + Math.floorMod(worldSeed, 7);
        double loss = i % 2 == 0 ? 0 : 0.01;
        ToldRails world = new ToldRails(worldSeed, railCount, List.of(), loss);
        long gapNs = world.loseOne(i % 4 < 3);
        longestNs = loss == 0 ? Math.max(longestNs, gapNs) : longestNs;
        found += Math.min(1, world.client.count(CounterId.PATHS_SUSPECTED));
        moved += world.client.count(CounterId.RETRANSMITS_MOVED);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("world " + worldSeed, e);
      }
    }
    bound(longestNs <= GAP_NS_MAX, "a gap of %,d ns", longestNs);
    bound(moved > 0, "nothing moved");
    bound(2 * found > WORLDS, "a rail was suspected in %d worlds only", found);
    return String.format(
        "%d worlds: longest gap without loss %.1f ms, %d packets moved",
        WORLDS, longestNs / 1e6, moved);
  }

  /** Returns the longest time without a delivery, ns. */
  private long loseOne(boolean isKnownLost) {
    int known = draws.nextInt(railCount);
    int lost = isKnownLost ? known : (known + 1) % railCount;
    delaysNs[lost] = 20 * MICRO; // the best: it carries traffic
    ScenarioPeer peer = client.connectAndLearn(server, known);
    bound(net.run(() -> usable(peer) == railCount, 10 * SECOND), "%d paths", usable(peer));
    bound(client.count(CounterId.NIDS_REFUSED) == 0, "an address was refused");
    ScenarioPeer other = server.accepted.get(0);
    long beginNs = net.nowNs;
    long[] last = {beginNs + MILLI, 0};
    other.onDelivered =
        number -> {
          last[1] = Math.max(last[1], net.nowNs - last[0]);
          last[0] = net.nowNs;
        };
    for (int i = 0; i < MESSAGES; i++) {
      net.at(beginNs + i * MILLI, () -> peer.push(64));
    }
    net.at(beginNs + draws.nextLong(100 * MILLI, 200 * MILLI), () -> isDark[lost] = true);
    bound(
        net.run(() -> net.nowNs > beginNs + MESSAGES * MILLI && peer.isDone(), 10 * SECOND),
        "not done");
    peer.requireAllCompleted();
    net.closeAll(List.of(peer));
    return last[1];
  }

  /** Tests a server that tells addresses of others beside its own. */
  static String lies(long seed) {
    int most = 0;
    for (int lieCount = 1; lieCount <= Limits.LOCAL_NIS_MAX - 2; lieCount++) {
      List<Nid> lies = new ArrayList<>();
      for (int i = 0; i < lieCount; i++) {
        lies.add(new Nid(new InetSocketAddress("10.9.0." + (1 + i), 53), ""));
      }
      ToldRails world = new ToldRails(seed + lieCount, 2, lies, 0);
      ScenarioPeer peer = world.client.connectAndLearn(world.server, 0);
      ScenarioNet net = world.net;
      bound(net.run(() -> peer.isEstablished, SECOND), "lies %d: no connection", lieCount);
      for (int i = 0; i < 30; i++) { // it has something to do for longer than it asks
        peer.push(100);
        net.runFor(100 * MILLI);
      }
      peer.requireAllCompleted();
      int addresses = Math.min(lieCount, Limits.TOLD_ADDRESSES_MAX);
      bound(world.strayed.size() == addresses, "lies %d: %s", lieCount, world.strayed);
      for (int count : world.strayed.values()) {
        bound(count == Limits.TOLD_CHALLENGES_MAX, "lies %d: %s", lieCount, world.strayed);
        most = Math.max(most, count);
      }
      bound(world.strayedLengthMax == CHALLENGE, "%d bytes", world.strayedLengthMax);
      boolean hasPlace = lieCount < Limits.TOLD_ADDRESSES_MAX;
      bound(usable(peer) == (hasPlace ? 2 : 1), "lies %d: %d paths", lieCount, usable(peer));
      bound(
          peer.connection.nis() == (hasPlace ? 1 | 1L << lieCount + 1 : 1),
          "lies %d: interfaces %x",
          lieCount,
          peer.connection.nis());
      net.closeAll(List.of(peer));
    }
    return String.format("at most %d datagrams of %d bytes to an address", most, CHALLENGE);
  }
}
