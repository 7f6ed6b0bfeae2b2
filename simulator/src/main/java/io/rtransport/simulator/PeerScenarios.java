package io.rtransport.simulator;

import static io.rtransport.simulator.ScenarioBound.bound;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** Scenarios of peers that restart, move, read slowly, or reach the end of their numbers. */
final class PeerScenarios {
  private static final long DELAY_NS = 500_000;
  private static final long SECOND_NS = 1_000_000_000L;

  private PeerScenarios() {}

  private static ScenarioPeer connect(ScenarioNet net, ScenarioNet.Host from, ScenarioNet.Host to) {
    ScenarioPeer peer = from.connect(to);
    bound(net.run(() -> peer.isEstablished, 30 * SECOND_NS), "no connection");
    return peer;
  }

  static String forgetful(long seed) {
    ScenarioNet net = new ScenarioNet(seed, DELAY_NS);
    ScenarioNet.Host left = net.host();
    ScenarioNet.Host right = net.host();
    ScenarioPeer old = connect(net, left, right);
    old.push(100, 5_000);
    net.runFor(3_000_000); // in the middle of the pushes
    right.restart();
    final long forgottenNs = net.nowNs;
    bound(net.run(() -> old.reason != null, 30 * SECOND_NS), "it never hears of it");
    long tookNs = old.reasonAtNs - forgottenNs;
    bound(tookNs <= SECOND_NS, "heard of it after %,d ns", tookNs);
    bound(
        old.reason.code() == CloseCode.RESET.code()
            || old.reason.code() == CloseCode.PEER_RESTARTED.code(),
        "ended by %s",
        old.reason);
    bound(old.isDone(), "a transaction without end");
    ScenarioPeer young = connect(net, left, right);
    young.push(10, 1_000);
    net.run(young::isDone, 30 * SECOND_NS);
    young.requireAllCompleted();
    bound(right.accepted.size() == 1, "%d connections", right.accepted.size());
    bound(right.accepted.get(0).delivered == 10, "%d delivered", right.accepted.get(0).delivered);
    net.closeAll(List.of(young));
    return String.format("heard of it after %.1f ms: %s", tookNs / 1e6, old.reason);
  }

  static String rebinding(long seed) {
    ScenarioNet net = new ScenarioNet(seed, DELAY_NS);
    ScenarioNet.Host left = net.host();
    ScenarioNet.Host right = net.host();
    ScenarioPeer peer = connect(net, left, right);
    for (int i = 0; i < 1_000; i++) {
      net.after(i * 10_000_000L, () -> peer.push(net.random().nextInt(3_000)));
    }
    for (int i = 1; i < 10; i++) {
      InetSocketAddress next = new InetSocketAddress(i < 5 ? "10.0.0.1" : "10.0.0.2", 9_000 + i);
      net.after(i * SECOND_NS, () -> left.address = next);
    }
    net.runFor(10 * SECOND_NS);
    net.run(peer::isDone, 30 * SECOND_NS);
    peer.requireAllCompleted();
    long moved = right.count(CounterId.PATHS_MOVED);
    bound(moved == 9, "followed %d times of 9", moved);
    net.closeAll(List.of(peer));
    return String.format("%,d pushes, followed %d times", peer.completed, moved);
  }

  static String psnWrap(long seed) {
    long pushes = 0;
    for (int window = 64; window <= 16_384; window *= 2) {
      ScenarioNet net = new ScenarioNet(seed, DELAY_NS);
      ScenarioNet.Host left = net.host();
      ScenarioNet.Host right = net.host();
      int first = -(window / 2 + net.random().nextInt(window / 2));
      ConnectionConfig config =
          ConnectionConfig.builder()
              .requestWindowPackets(window)
              .dataWindowPackets(window)
              .initialNumbers(
                  new InitialNumbers(first, first, first, first, 0xFF_FFFF - window / 2))
              .build();
      left.config = config;
      right.config = config;
      ScenarioPeer peer = connect(net, left, right);
      net.fate =
          datagram -> net.random().nextInt(50) == 0 ? ScenarioNet.LOST : new long[] {DELAY_NS};
      peer.push(window + 200, 1_300); // one packet each, in the request window
      peer.push(20 + window / 20, 32_000); // solicited ones, in the data window
      net.run(peer::isDone, 120 * SECOND_NS);
      peer.requireAllCompleted();
      pushes += peer.completed;
      net.fate = datagram -> new long[] {DELAY_NS};
      net.closeAll(List.of(peer));
    }
    return String.format("%,d pushes over 9 windows", pushes);
  }

  static String slowReader(long seed) {
    ScenarioNet net = new ScenarioNet(seed, DELAY_NS);
    ScenarioNet.Host left = net.host();
    ScenarioNet.Host right = net.host();
    ScenarioPeer reader = connect(net, left, right);
    net.runFor(10 * DELAY_NS); // until the other side also knows
    ScenarioPeer writer = right.accepted.get(0);
    reader.isSlow = true;
    writer.push(2_000, 4_000); // more than the credit
    net.runFor(SECOND_NS);
    bound(writer.completed < 2_000 && !writer.isDone(), "nothing waits for the reader");
    final long startNs = net.nowNs;
    reader.pull(1 << 20);
    bound(net.run(() -> reader.pullsCompleted == 1, SECOND_NS), "the pull does not get through");
    long tookNs = net.nowNs - startNs;
    acknowledgeEach(net, reader);
    net.run(writer::isDone, 60 * SECOND_NS);
    writer.requireAllCompleted();
    reader.requireAllCompleted();
    net.closeAll(List.of(reader));
    return String.format("the pull took %.1f ms", tookNs / 1e6);
  }

  /**
   * Tests a peer that accepts credit limits only up to 2 MiB ahead, as old versions did. It sends,
   * then receives.
   */
  static String oldPeer(long seed) {
    StringBuilder figures = new StringBuilder();
    for (boolean isSenderOld : new boolean[] {false, true}) {
      for (boolean isReceiverOld : new boolean[] {false, true}) {
        figures
            .append(figures.isEmpty() ? "" : ", ")
            .append(credit(seed, isSenderOld, isReceiverOld));
      }
    }
    return figures.toString();
  }

  private static String credit(long seed, boolean isSenderOld, boolean isReceiverOld) {
    ScenarioNet net = new ScenarioNet(seed, 10_000_000);
    ScenarioNet.Host sender = net.host();
    ScenarioNet.Host receiver = net.host();
    ConnectionConfig old =
        ConnectionConfig.builder().inFlightBytesMax(Limits.IN_FLIGHT_BYTES_MIN).build();
    sender.config = isSenderOld ? old : sender.config;
    receiver.config = isReceiverOld ? old : receiver.config;
    ScenarioPeer peer = connect(net, sender, receiver);
    final long startNs = net.nowNs;
    peer.push(16_000, 4_000); // 64 MB unsolicited
    long most = 0;
    while (!net.run(peer::isDone, 1_000_000)) {
      most = Math.max(most, receiver.budgets.credit().usedBytes());
      bound(net.nowNs - startNs <= 10 * SECOND_NS, "%d of 16,000 pushes done", peer.completed);
    }
    peer.requireAllCompleted();
    long ignored = sender.count(CounterId.CREDIT_IGNORED);
    bound(ignored == 0, "%d credit limits of the receiver were ignored", ignored);
    boolean isLong = !isSenderOld && !isReceiverOld;
    bound(
        most > Limits.CREDIT_BYTES_MAX == isLong,
        "%s sender, %s receiver: %,d bytes of credit",
        isSenderOld ? "old" : "new",
        isReceiverOld ? "old" : "new",
        most);
    net.closeAll(List.of(peer));
    return String.format(
        "%s to %s: %,d KB of credit, %.1f s",
        isSenderOld ? "old" : "new",
        isReceiverOld ? "old" : "new",
        most >> 10,
        (net.nowNs - startNs - 30 * SECOND_NS) / 1e9);
  }

  /** Tests a peer that asks for much and sends nothing, next to many that ask for little. */
  static String greedyPeer(long seed) {
    double withoutSeconds = honest(seed, false);
    double besideSeconds = honest(seed, true);
    double ratio = besideSeconds / withoutSeconds;
    bound(ratio <= 1.5, "%.2f times as long beside the greedy one", ratio);
    return String.format(
        "%.2f s without the greedy one, %.2f beside it", withoutSeconds, besideSeconds);
  }

  private static double honest(long seed, boolean isGreedyThere) {
    ScenarioNet net = new ScenarioNet(seed, DELAY_NS);
    ScenarioNet.Host receiver = net.host();
    ScenarioNet.Host sender = net.host();
    List<ScenarioPeer> peers = new ArrayList<>();
    if (isGreedyThere) {
      ScenarioPeer greedy = connect(net, net.host(), receiver);
      greedy.isSilent = true;
      greedy.push(256, 64 << 10);
      net.runFor(SECOND_NS);
      long heldBytes = receiver.budgets.solicitation().countedBytes();
      bound(receiver.count(CounterId.GRANTS_SENT) > 0, "the greedy one was granted nothing");
      bound(heldBytes <= ScenarioNet.BUDGET_BYTES / 2, "it holds %,d bytes", heldBytes);
      peers.add(greedy);
    }
    List<ScenarioPeer> honest = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      honest.add(connect(net, sender, receiver));
    }
    receiver.socket.limit(125_000_000, Integer.MAX_VALUE);
    final long startNs = net.nowNs;
    honest.forEach(peer -> peer.push(4, 64 << 10));
    for (ScenarioPeer peer : honest) {
      net.run(peer::isDone, 60 * SECOND_NS);
      peer.requireAllCompleted();
    }
    final double seconds = (net.nowNs - startNs) / 1e9;
    receiver.socket.unlimited();
    peers.addAll(honest);
    net.closeAll(peers);
    return seconds;
  }

  private static void acknowledgeEach(ScenarioNet net, ScenarioPeer reader) {
    reader.acknowledgeOne();
    if (reader.reason == null) {
      net.after(1_000_000, () -> acknowledgeEach(net, reader));
    }
  }
}
