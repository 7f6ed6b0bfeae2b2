package io.rtransport.simulator;

import static io.rtransport.simulator.ScenarioBound.bound;

import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.ConnectionConfig.Congestion;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Scenarios of senders under congestion control by delay. They share a link of 1 Gb/s with a queue
 * of 100 packets, or each has its own.
 */
final class CongestionScenarios {
  private static final long MICRO_NS = 1_000;
  private static final long MILLI_NS = 1_000_000;
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long DELAY_NS = 50 * MICRO_NS;
  private static final long LINK_BYTES_PER_SECOND = 125_000_000;
  private static final int QUEUE_PACKETS = 100;
  private static final long SLOW_BYTES_PER_SECOND = 2_500_000;
  private static final int MESSAGE_BYTES = 64 << 10;

  private CongestionScenarios() {}

  /** Senders, the link they share, and the bytes it carries. */
  private static final class Shared {
    final ScenarioNet net;
    final ScenarioNet.Host receiver;
    final List<ScenarioNet.Host> senders = new ArrayList<>();
    final List<ScenarioPeer> peers = new ArrayList<>();
    long queuedSum;
    long queuedSamples;
    int queuedMost;

    Shared(long seed, int count, Congestion congestion) {
      net = new ScenarioNet(seed, DELAY_NS);
      ConnectionConfig config = ConnectionConfig.builder().congestion(congestion).build();
      receiver = net.host();
      receiver.config = config;
      for (int i = 0; i < count; i++) {
        ScenarioNet.Host sender = net.host();
        sender.config = config;
        senders.add(sender);
        ScenarioPeer peer = sender.connect(receiver);
        bound(net.run(() -> peer.isEstablished, 30 * SECOND_NS), "no connection");
        peers.add(peer);
      }
      receiver.socket.limit(LINK_BYTES_PER_SECOND, QUEUE_PACKETS);
    }

    long received(int i) {
      return receiver.accepted.get(i).receivedBytes;
    }

    /** Starts a push that is longer than the run. */
    void start(int i) {
      peers.get(i).push(800, MESSAGE_BYTES);
    }

    /**
     * Runs for a time. Returns the share of the link that arrives, and measures the standing queue.
     */
    double run(long durationNs) {
      queuedSum = 0;
      queuedSamples = 0;
      queuedMost = 0;
      long before = receivedByAll();
      for (long passedNs = 0; passedNs < durationNs; passedNs += 100 * MICRO_NS) {
        net.runFor(100 * MICRO_NS);
        int queued = receiver.socket.queued(net.nowNs);
        queuedSum += queued;
        queuedSamples++;
        queuedMost = Math.max(queuedMost, queued);
      }
      return (receivedByAll() - before) * 1e9 / durationNs / LINK_BYTES_PER_SECOND;
    }

    private long receivedByAll() {
      return receiver.accepted.stream().mapToLong(peer -> peer.receivedBytes).sum();
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

  static String fairness(long seed) {
    int count = 8;
    Shared shared = new Shared(seed, count, Congestion.SWIFT);
    for (int i = 0; i < count; i++) {
      shared.start(i);
      shared.net.runFor(10 * MILLI_NS + shared.net.random().nextLong(10 * MILLI_NS));
    }
    shared.run(80 * MILLI_NS);
    long[] before = new long[count];
    for (int i = 0; i < count; i++) {
      before[i] = shared.received(i);
    }
    long dropsBefore = shared.receiver.socket.queueDrops();
    double share = shared.run(80 * MILLI_NS);
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < count; i++) {
      double rate = shared.received(i) - before[i];
      sum += rate;
      squares += rate * rate;
    }
    double jain = sum * sum / (count * squares);
    String figure =
        String.format(
            "Jain's index %.3f, %.1f %% of the link, %.0f packets queued on average, %d at most, %d dropped",
            jain,
            share * 100,
            shared.queuedMean(),
            shared.queuedMost,
            shared.receiver.socket.queueDrops() - dropsBefore);
    bound(jain >= 0.95, "%s", figure);
    bound(share >= 0.9, "%s", figure);
    bound(
        shared.queuedMean() <= 60 && shared.receiver.socket.queueDrops() == dropsBefore,
        "%s",
        figure);
    shared.close();
    return figure;
  }

  static String randomLoss(long seed) {
    StringBuilder figures = new StringBuilder();
    double lossless = 0;
    for (double probability : new double[] {0, 0.001, 0.01, 0.05, 0.1}) {
      Shared shared = new Shared(seed, 1, Congestion.SWIFT);
      RandomGenerator random = shared.net.random();
      shared.net.fate =
          datagram -> random.nextDouble() < probability ? ScenarioNet.LOST : new long[] {DELAY_NS};
      shared.start(0);
      shared.run(20 * MILLI_NS);
      double share = shared.run(60 * MILLI_NS);
      lossless = probability == 0 ? share : lossless;
      double least = probability <= 0.001 ? 0.97 : probability <= 0.01 ? 0.9 : 0.7;
      String figure = String.format("%.1f %%: %.1f %%", probability * 100, share / lossless * 100);
      figures.append(figures.isEmpty() ? "" : ", ").append(figure);
      bound(
          lossless >= 0.75 && share >= least * lossless,
          "%.1f %% lossless; %s",
          lossless * 100,
          figures);
      shared.net.fate = datagram -> new long[] {DELAY_NS};
      shared.close();
    }
    return figures.toString();
  }

  static String longerPath(long seed) {
    Shared shared = new Shared(seed, 1, Congestion.SWIFT);
    shared.start(0);
    final double before = shared.run(20 * MILLI_NS);
    shared.net.fate = datagram -> new long[] {20 * DELAY_NS};
    shared.run(120 * MILLI_NS);
    double after = shared.run(50 * MILLI_NS);
    String figure =
        String.format(
            "%.1f %% of the link at 0.1 ms, %.1f %% 120 ms after the round trip became 2 ms",
            before * 100, after * 100);
    bound(after >= 0.5, "%s", figure);
    shared.net.fate = datagram -> new long[] {DELAY_NS};
    shared.close();
    return figure;
  }

  static String standingQueue(long seed) {
    Shared shared = new Shared(seed, 1, Congestion.SWIFT);
    shared.receiver.socket.limit(SLOW_BYTES_PER_SECOND, 20 * QUEUE_PACKETS);
    shared.net.fate = datagram -> new long[] {100 * DELAY_NS};
    shared.peers.get(0).push(4_000, MESSAGE_BYTES);
    shared.run(4 * SECOND_NS);
    final double shareFirst = shared.run(10 * SECOND_NS) * LINK_BYTES_PER_SECOND;
    final double queuedFirst = shared.queuedMean();
    shared.run(46 * SECOND_NS);
    double shareLast = shared.run(10 * SECOND_NS) * LINK_BYTES_PER_SECOND;
    String figure =
        String.format(
            "%.1f packets queued and %.1f %% of the link at first, %.1f and %.1f %% a minute later",
            queuedFirst,
            shareFirst / SLOW_BYTES_PER_SECOND * 100,
            shared.queuedMean(),
            shareLast / SLOW_BYTES_PER_SECOND * 100);
    bound(shared.queuedMean() <= 1.5 * queuedFirst, "%s", figure);
    bound(shareLast >= 0.9 * SLOW_BYTES_PER_SECOND, "%s", figure);
    shared.net.fate = datagram -> new long[] {DELAY_NS};
    shared.close();
    return figure;
  }

  static String standstill(long seed) {
    Shared shared = new Shared(seed, 1, Congestion.SWIFT);
    shared.start(0);
    shared.run(20 * MILLI_NS);
    StringBuilder figures = new StringBuilder();
    for (ScenarioNet.Host host : List.of(shared.receiver, shared.senders.get(0))) {
      host.socket.pause(shared.net.nowNs + 50 * MILLI_NS);
      shared.run(50 * MILLI_NS);
      shared.run(20 * MILLI_NS);
      double share = shared.run(20 * MILLI_NS);
      figures.append(
          String.format(
              "%s%.1f %% of the link 20 ms after a pause of the %s",
              figures.isEmpty() ? "" : ", ",
              share * 100,
              host == shared.receiver ? "receiver" : "sender"));
      bound(share >= 0.75, "%s", figures);
    }
    shared.close();
    return figures.toString();
  }
}
