package io.rtransport.simulator;

import static io.rtransport.simulator.ScenarioBound.bound;

import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import java.util.List;

/** Scenarios of a path that carries longer or shorter datagrams than assumed. */
final class MtuScenarios {
  private static final long RTT_NS = 2_000_000;
  private static final long SECOND_NS = 1_000_000_000L;
  private static final int UDP_IPV4 = 28;

  private MtuScenarios() {}

  /**
   * Tests hosts that begin with jumbo frames on a path of 1,400. They find its length without a
   * loss. Then, in mid-transfer, the path carries 1,300.
   */
  static String narrowPath(long seed) {
    ScenarioNet net = new ScenarioNet(seed, RTT_NS / 2);
    ConnectionConfig config =
        ConnectionConfig.builder().pathMtuDiscovered(true).datagramLengthBytes(8_192).build();
    ScenarioNet.Host left = net.host();
    ScenarioNet.Host right = net.host();
    left.config = config;
    right.config = config;
    ScenarioPeer peer = left.connect(right);
    bound(net.run(() -> peer.isEstablished, 30 * SECOND_NS), "no connection");
    int[] mtu = {1_400 - UDP_IPV4};
    net.fate = datagram -> datagram.length > mtu[0] ? new long[0] : new long[] {RTT_NS / 2};
    long beginNs = net.nowNs;
    peer.push(400, 64 << 10);
    bound(
        net.run(() -> peer.connection.datagramLengthBytes() == mtu[0], 30 * SECOND_NS),
        "%d bytes found",
        peer.connection.datagramLengthBytes());
    long foundRtts = (net.nowNs - beginNs) / RTT_NS;
    mtu[0] = 1_300 - UDP_IPV4;
    long narrowedNs = net.nowNs;
    long before = peer.completed;
    bound(net.run(() -> peer.completed > before, 30 * SECOND_NS), "nothing goes on");
    bound(
        net.run(() -> peer.connection.datagramLengthBytes() == 1_232, 30 * SECOND_NS),
        "not narrowed");
    long narrowedRtts = (net.nowNs - narrowedNs) / RTT_NS;
    net.run(peer::isDone, 120 * SECOND_NS);
    peer.requireAllCompleted();
    String figure =
        String.format(
            "1,400 found after %d round trips, 1,300 after %d; %d probes lost, %d packets shortened",
            foundRtts,
            narrowedRtts,
            left.count(CounterId.MTU_PROBES_LOST),
            left.count(CounterId.PACKETS_SHORTENED));
    bound(foundRtts <= 300 && narrowedRtts <= 300, "%s", figure);
    net.closeAll(List.of(peer));
    return figure;
  }
}
