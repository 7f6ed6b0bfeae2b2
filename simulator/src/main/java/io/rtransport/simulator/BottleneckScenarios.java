package io.rtransport.simulator;

import static io.rtransport.simulator.ScenarioBound.bound;

import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.ConnectionConfig.Congestion;
import java.util.ArrayList;
import java.util.List;

/**
 * Scenarios of two connections from two hosts that share a wide-area link: 200 Mb/s, a round trip
 * of 20 ms, a queue of one bandwidth × delay.
 */
final class BottleneckScenarios {
  private static final long MILLI_NS = 1_000_000;
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long DELAY_NS = 10 * MILLI_NS;
  private static final long LINK_BYTES_PER_SECOND = 25_000_000;

  /** 25 MB/s × 20 ms / 1,408 bytes. */
  private static final int QUEUE_PACKETS = 355;

  private static final int MESSAGE_BYTES = 256 << 10;

  /** Two seconds of the whole link, which is always enough for the future. */
  private static final int MESSAGES_PER_SECOND = (int) (LINK_BYTES_PER_SECOND / MESSAGE_BYTES) + 1;

  private static final long SETTLE_NS = 5 * SECOND_NS;
  private static final long MEASURED_NS = 15 * SECOND_NS;

  /** Largest allowed ratio of the two shares. */
  private static final double UNEVEN_MAX = 1.2;

  private static final double LINK_SHARE_MIN = 0.9;

  /** Least share that the default control keeps next to a control by loss. */
  private static final double BESIDE_LOSS_MIN = 0.25;

  /**
   * Largest allowed ratio of the two shares with long datagrams. A window then is only a few of
   * them.
   */
  private static final double UNEVEN_LONG_MAX = 2;

  /** Lengths of datagrams, bytes. */
  private static final int SHORT_BYTES = 1_408;

  private static final int LONG_BYTES = 8_192;

  private BottleneckScenarios() {}

  /** The link, its senders, and the bytes received from each. */
  private static final class Link {
    final ScenarioNet net;
    final ScenarioNet.Host receiver;
    final List<ScenarioPeer> peers = new ArrayList<>();
    private long queuedSum;
    private long queuedSamples;

    Link(long seed, int datagramBytes, Congestion... controls) {
      net = new ScenarioNet(seed, DELAY_NS);
      receiver = net.host();
      receiver.config = ConnectionConfig.builder().datagramLengthBytes(datagramBytes).build();
      for (Congestion control : controls) {
        ScenarioNet.Host sender = net.host();
        sender.config =
            ConnectionConfig.builder()
                .congestion(control)
                .datagramLengthBytes(datagramBytes)
                .build();
        ScenarioPeer peer = sender.connect(receiver);
        bound(net.run(() -> peer.isEstablished, 30 * SECOND_NS), "no connection");
        peers.add(peer);
      }
      receiver.socket.limit(LINK_BYTES_PER_SECOND, QUEUE_PACKETS);
      net.runFor(net.random().nextLong(20 * MILLI_NS));
    }

    /** Starts a push of more than the link could carry in the given time. */
    private void start(int i, long durationNs) {
      peers.get(i).push((int) (MESSAGES_PER_SECOND * (durationNs / SECOND_NS + 1)), MESSAGE_BYTES);
    }

    /**
     * Runs both senders, the second {@code laterNs} after the first. Returns the shares after they
     * settled.
     */
    double[] compete(long laterNs) {
      long sentNs = laterNs + SETTLE_NS + MEASURED_NS;
      start(0, sentNs);
      net.runFor(laterNs + net.random().nextLong(20 * MILLI_NS));
      start(1, sentNs);
      net.runFor(SETTLE_NS);
      return shares(MEASURED_NS);
    }

    private long received(int i) {
      return receiver.accepted.get(i).receivedBytes;
    }

    /** Returns the share of the link that each sender has in the given time. */
    private double[] shares(long durationNs) {
      double[] shares = new double[peers.size()];
      for (int i = 0; i < shares.length; i++) {
        shares[i] = -received(i);
      }
      for (long passedNs = 0; passedNs < durationNs; passedNs += MILLI_NS) {
        net.runFor(MILLI_NS);
        queuedSum += receiver.socket.queued(net.nowNs);
        queuedSamples++;
      }
      double carried = (double) LINK_BYTES_PER_SECOND * durationNs / SECOND_NS;
      for (int i = 0; i < shares.length; i++) {
        shares[i] = (shares[i] + received(i)) / carried;
      }
      return shares;
    }

    double queuedMean() {
      return (double) queuedSum / queuedSamples;
    }

    void close() {
      peers.forEach(ScenarioPeer::abort);
      receiver.socket.unlimited();
      net.closeAll(List.of());
    }
  }

  static String twoAlike(long seed) {
    return alike(seed, SHORT_BYTES, 0)
        + "; one 2 s later: "
        + alike(seed, SHORT_BYTES, 2 * SECOND_NS)
        + "; datagrams of 8,192 bytes: "
        + alike(seed, LONG_BYTES, 0);
  }

  private static String alike(long seed, int datagramBytes, long laterNs) {
    Link link = new Link(seed, datagramBytes, Congestion.SWIFT, Congestion.SWIFT);
    double[] shares = link.compete(laterNs);
    String figure = figure(link, shares);
    double least = Math.min(shares[0], shares[1]);
    double most = Math.max(shares[0], shares[1]);
    double unevenMax = datagramBytes > SHORT_BYTES ? UNEVEN_LONG_MAX : UNEVEN_MAX;
    bound(most <= unevenMax * least, "%s", figure);
    bound(shares[0] + shares[1] >= LINK_SHARE_MIN, "%s", figure);
    link.close();
    return figure;
  }

  static String besideLoss(long seed) {
    return beside(seed, 0) + "; the second 2 s later: " + beside(seed, 2 * SECOND_NS);
  }

  private static String beside(long seed, long laterNs) {
    Link link = new Link(seed, SHORT_BYTES, Congestion.SWIFT, Congestion.AIMD);
    double[] shares = link.compete(laterNs);
    String figure = figure(link, shares);
    bound(shares[0] >= BESIDE_LOSS_MIN, "%s", figure);
    bound(shares[1] >= 1.0 / 3, "%s", figure);
    bound(shares[0] + shares[1] >= LINK_SHARE_MIN, "%s", figure);
    link.close();
    return figure;
  }

  /** Tests a long path: 2.5 MB in flight, 1,775 packets, where a fast path has 1,024. */
  static String longPath(long seed) {
    ScenarioNet net = new ScenarioNet(seed, 5 * DELAY_NS);
    ScenarioNet.Host sender = net.host();
    ScenarioNet.Host receiver = net.host();
    ScenarioPeer peer = sender.connect(receiver);
    bound(net.run(() -> peer.isEstablished, 30 * SECOND_NS), "no connection");
    receiver.socket.limit(LINK_BYTES_PER_SECOND, Integer.MAX_VALUE);
    peer.push(MESSAGES_PER_SECOND * 12, MESSAGE_BYTES);
    net.runFor(SETTLE_NS + net.random().nextLong(20 * MILLI_NS));
    long before = receiver.accepted.get(0).receivedBytes;
    net.runFor(5 * SECOND_NS);
    double share = (receiver.accepted.get(0).receivedBytes - before) / 5.0 / LINK_BYTES_PER_SECOND;
    String figure =
        String.format("%.1f %% of the link, %,d packets resent", share * 100, sender.resent());
    bound(share >= LINK_SHARE_MIN, "%s", figure);
    peer.abort();
    receiver.socket.unlimited();
    net.closeAll(List.of());
    return figure;
  }

  private static String figure(Link link, double[] shares) {
    return String.format(
        "%.1f and %.1f %% of the link, %.0f packets queued on average, %,d dropped",
        shares[0] * 100, shares[1] * 100, link.queuedMean(), link.receiver.socket.queueDrops());
  }
}
