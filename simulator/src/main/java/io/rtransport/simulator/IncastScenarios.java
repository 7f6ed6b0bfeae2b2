package io.rtransport.simulator;

import static io.rtransport.simulator.ScenarioBound.bound;

import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.ConnectionConfig.Congestion;
import io.rtransport.core.stats.CounterId;
import java.util.ArrayList;
import java.util.List;

/**
 * Scenarios of many senders to one receiver behind a link with a short queue. {@link ScenarioNet}
 * checks after each packet that the budget stays below 9/8.
 */
final class IncastScenarios {
  private static final long DELAY_NS = 50_000;
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long LINK_BYTES_PER_SECOND = 125_000_000;
  private static final int QUEUE_PACKETS = 100;
  private static final double BY_LOSS_MIN = 0.8;
  private static final double BY_DELAY_MIN = 0.95;
  private static final double HONEST_MIN = 0.7; // alone it has 82 %
  private static final int SILENT = 100;
  private static final int SMALL_BYTES = 32 << 20;
  private static final int SMALL_PUSH_BYTES = 4 << 10;
  private static final int LEVEL_BYTES = 256;
  private static final int LEVEL_NONE_BYTES =
      ConnectionConfig.builder().build().congestedThresholdBytes();
  private static final double SMALL_MIN = 0.9;
  private static final long BUDGET_BYTES = 16L << 20;

  private IncastScenarios() {}

  static String thirtyTwo(long seed) {
    return String.format(
        "by loss: %s; by delay: %s",
        run(seed, 32, 32, 2 << 20, Congestion.AIMD), run(seed, 32, 32, 2 << 20, Congestion.SWIFT));
  }

  static String thousand(long seed) {
    return String.format(
        "by loss: %s; by delay: %s",
        run(seed, 40, 1_000, 64 << 10, Congestion.AIMD),
        run(seed, 40, 1_000, 64 << 10, Congestion.SWIFT));
  }

  /** Tests short pushes. They are unsolicited, or ask on a congested path if the level is set. */
  static String small(long seed) {
    StringBuilder figures = new StringBuilder();
    for (int connections : new int[] {32, 1_000}) {
      for (Congestion congestion : new Congestion[] {Congestion.AIMD, Congestion.SWIFT}) {
        Outcome unasked = small(seed, connections, congestion, LEVEL_NONE_BYTES);
        Outcome asking = small(seed, connections, congestion, LEVEL_BYTES);
        figures.append(
            String.format(
                "%s%,d to 1, %s: unasked %s; asking %s, %,d of %,d asked",
                figures.isEmpty() ? "" : "; ",
                connections,
                congestion == Congestion.AIMD ? "by loss" : "by delay",
                unasked.figure,
                asking.figure,
                asking.asked,
                SMALL_BYTES / SMALL_PUSH_BYTES));
        bound(unasked.asked == 0 && asking.asked > 0, "%s", figures);
        bound(connections > 32 || asking.share >= SMALL_MIN, "%s", figures);
      }
    }
    return figures.toString();
  }

  private static Outcome small(long seed, int connections, Congestion congestion, int levelBytes) {
    return run(
        new Receiver(seed, Math.min(40, connections), connections, congestion, levelBytes),
        SMALL_BYTES / SMALL_PUSH_BYTES / connections,
        SMALL_PUSH_BYTES);
  }

  /** Tests that senders with grants and without data do not keep others from their grants. */
  static String silent(long seed) {
    Receiver receiver = new Receiver(seed, 10, SILENT + 1, Congestion.SWIFT);
    ScenarioPeer honest = receiver.peers.get(0);
    receiver.limitLink();
    receiver.peers.forEach(peer -> peer.isSilent = peer != honest);
    for (ScenarioPeer peer : receiver.peers) {
      if (peer != honest) {
        peer.push(2, 64 << 10);
      }
    }
    ScenarioNet net = receiver.net;
    net.runFor(SECOND_NS / 5);
    long startNs = net.nowNs;
    int bytes = 8 << 20;
    honest.push(bytes);
    bound(net.run(honest::isDone, 10 * SECOND_NS), "the honest sender is never done");
    double share = bytes / ((net.nowNs - startNs) / 1e9) / LINK_BYTES_PER_SECOND;
    String figure = String.format("the honest sender has %.1f %% of the link", share * 100);
    bound(share >= HONEST_MIN, "%s", figure);
    receiver.peers.forEach(ScenarioPeer::abort);
    receiver.host.socket.unlimited();
    net.closeAll(List.of());
    return figure;
  }

  private static String run(
      long seed, int hosts, int connections, int bytesEach, Congestion congestion) {
    Outcome outcome = run(new Receiver(seed, hosts, connections, congestion), 1, bytesEach);
    double least = congestion == Congestion.AIMD ? BY_LOSS_MIN : BY_DELAY_MIN;
    bound(outcome.share >= least, "%s", outcome.figure);
    return outcome.figure;
  }

  private record Outcome(double share, long asked, String figure) {}

  private static Outcome run(Receiver receiver, int count, int bytesEach) {
    receiver.limitLink();
    ScenarioNet net = receiver.net;
    long startNs = net.nowNs;
    receiver.peers.forEach(peer -> peer.push(count, bytesEach)); // all at the same instant
    long left = 300 * SECOND_NS;
    for (ScenarioPeer peer : receiver.peers) {
      net.run(peer::isDone, left - (net.nowNs - startNs));
      peer.requireAllCompleted();
    }
    double seconds = (net.nowNs - startNs) / 1e9;
    double share =
        (double) receiver.peers.size() * count * bytesEach / seconds / LINK_BYTES_PER_SECOND;
    long asked =
        receiver.senders.stream().mapToLong(host -> host.count(CounterId.REQUESTS_SOLICITED)).sum();
    long resent = receiver.senders.stream().mapToLong(ScenarioNet.Host::resent).sum();
    String figure =
        String.format(
            "goodput %.1f %% of the link, %,d packets dropped by the queue, %,d resent",
            share * 100, receiver.host.socket.queueDrops(), resent);
    receiver.host.socket.unlimited();
    net.closeAll(receiver.peers);
    return new Outcome(share, asked, figure);
  }

  /** The receiver, and connections to it from each of its senders in turn. */
  private static final class Receiver {
    final ScenarioNet net;
    final ScenarioNet.Host host;
    final List<ScenarioNet.Host> senders = new ArrayList<>();
    final List<ScenarioPeer> peers = new ArrayList<>();

    Receiver(long seed, int hosts, int connections, Congestion congestion) {
      this(seed, hosts, connections, congestion, LEVEL_NONE_BYTES);
    }

    Receiver(long seed, int hosts, int connections, Congestion congestion, int levelBytes) {
      net = new ScenarioNet(seed, DELAY_NS);
      ConnectionConfig config =
          ConnectionConfig.builder()
              .congestion(congestion)
              .congestedThresholdBytes(levelBytes)
              .build();
      host = net.host(BUDGET_BYTES);
      host.config = config;
      for (int i = 0; i < hosts; i++) {
        senders.add(net.host());
        senders.get(i).config = config;
      }
      for (int i = 0; i < connections; i++) {
        ScenarioPeer peer = senders.get(i % hosts).connect(host);
        bound(net.run(() -> peer.isEstablished, 30 * SECOND_NS), "no connection");
        peers.add(peer);
      }
    }

    void limitLink() {
      host.socket.limit(LINK_BYTES_PER_SECOND, QUEUE_PACKETS);
    }
  }
}
