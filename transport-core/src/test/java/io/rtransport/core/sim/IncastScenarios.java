package io.rtransport.core.sim;

import static io.rtransport.core.sim.NamedScenario.bound;

import io.rtransport.core.connection.ConnectionConfig;
import io.rtransport.core.connection.ConnectionConfig.Congestion;
import java.util.ArrayList;
import java.util.List;

/** Many senders to one receiver behind a link with a short queue. That the budget stays below 9/8 {@link ScenarioNet} looks at after each packet. */
final class IncastScenarios {
  private static final long DELAY_NS = 50_000;
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long LINK_BYTES_PER_SECOND = 125_000_000;
  private static final int QUEUE_PACKETS = 100;
  private static final double GOODPUT_MIN = 0.8;

  private IncastScenarios() {}

  static String thirtyTwo(long seed) {
    return String.format(
        "by loss: %s; by delay: %s",
        run(seed, 32, 32, 2 << 20, Congestion.AIMD), run(seed, 32, 32, 2 << 20, Congestion.SWIFT));
  }

  static String thousand(long seed) {
    return run(seed, 40, 1_000, 64 << 10, Congestion.SWIFT);
  }

  private static String run(
      long seed, int hosts, int connections, int bytesEach, Congestion congestion) {
    ScenarioNet net = new ScenarioNet(seed, DELAY_NS);
    ConnectionConfig config = ConnectionConfig.builder().congestion(congestion).build();
    ScenarioNet.Host receiver = net.host();
    receiver.config = config;
    List<ScenarioNet.Host> senders = new ArrayList<>();
    for (int i = 0; i < hosts; i++) {
      senders.add(net.host());
      senders.get(i).config = config;
    }
    List<ScenarioPeer> peers = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      ScenarioPeer peer = senders.get(i % hosts).connect(receiver);
      bound(net.run(() -> peer.isEstablished, 30 * SECOND_NS), "no connection");
      peers.add(peer);
    }
    receiver.bytesPerSecond = LINK_BYTES_PER_SECOND;
    receiver.queueMax = QUEUE_PACKETS;
    long startNs = net.nowNs;
    peers.forEach(peer -> peer.push(bytesEach)); // all in the same instant
    long left = 300 * SECOND_NS;
    for (ScenarioPeer peer : peers) {
      net.run(peer::isDone, left - (net.nowNs - startNs));
      peer.requireAllCompleted();
    }
    double seconds = (net.nowNs - startNs) / 1e9;
    double share = (double) connections * bytesEach / seconds / LINK_BYTES_PER_SECOND;
    long resent = senders.stream().mapToLong(ScenarioNet.Host::resent).sum();
    String figure =
        String.format(
            "goodput %.1f %% of the link, %,d packets dropped by the queue, %,d resent",
            share * 100, receiver.queueDrops, resent);
    bound(share >= GOODPUT_MIN, "%s", figure);
    receiver.bytesPerSecond = 0;
    net.closeAll(peers);
    return figure;
  }
}
