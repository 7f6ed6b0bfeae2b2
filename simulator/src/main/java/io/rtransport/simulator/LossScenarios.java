package io.rtransport.simulator;

import static io.rtransport.simulator.ScenarioBound.bound;

import io.rtransport.core.parameter.ConnectionConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Scenarios of datagrams that are lost, damaged or duplicated. */
final class LossScenarios {
  private static final double[] LADDER = {0, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3};
  private static final long DELAY_NS = 500_000;
  private static final long SECOND_NS = 1_000_000_000L;
  private static final int PUSHES = 200;
  private static final int LENGTH_MAX = 40_000;

  private LossScenarios() {}

  /** An established connection between two hosts. */
  private static final class Pair {
    final ScenarioNet net;
    final ScenarioNet.Host left;
    final ScenarioNet.Host right;
    final ScenarioPeer peer;

    Pair(long seed, long delayNs) {
      net = new ScenarioNet(seed, delayNs);
      left = net.host();
      right = net.host();
      peer = left.connect(right);
      bound(net.run(() -> peer.isEstablished, 30 * SECOND_NS), "no connection");
    }

    ScenarioPeer other() {
      return right.accepted.get(0);
    }

    void work() {
      RandomGenerator random = net.random();
      for (int i = 0; i < PUSHES; i++) {
        peer.push(random.nextInt(LENGTH_MAX));
      }
    }

    void finish(long limitNs) {
      net.run(peer::isDone, limitNs);
      peer.requireAllCompleted();
      net.closeAll(List.of(peer));
    }
  }

  private static SimLink.Fate losing(RandomGenerator random, double probability) {
    return datagram -> random.nextDouble() < probability ? ScenarioNet.LOST : new long[] {DELAY_NS};
  }

  static String lossLadder(long seed) {
    StringBuilder figures = new StringBuilder();
    for (double probability : LADDER) {
      Pair pair = new Pair(seed, DELAY_NS);
      pair.net.fate = losing(pair.net.random(), probability);
      long startNs = pair.net.nowNs;
      pair.work();
      pair.net.run(pair.peer::isDone, 60 * SECOND_NS);
      pair.peer.requireAllCompleted();
      long tookMillis = (pair.net.nowNs - startNs) / 1_000_000;
      bound(
          probability > 0 || pair.left.resent() == 0,
          "%d packets were resent though none was lost",
          pair.left.resent());
      figures.append(
          String.format(
              "%s%.1f %%: %d ms", figures.isEmpty() ? "" : ", ", probability * 100, tookMillis));
      pair.net.closeAll(List.of(pair.peer));
    }
    return figures.toString();
  }

  static String handshakes(long seed) {
    ScenarioNet net = new ScenarioNet(seed, DELAY_NS);
    net.fate = losing(net.random(), 0.3);
    ScenarioNet.Host left = net.host();
    ScenarioNet.Host right = net.host();
    left.config =
        ConnectionConfig.builder().connectTimeoutNs(30 * SECOND_NS).build(); // a channel's default
    List<ScenarioPeer> peers = new ArrayList<>();
    long slowestNs = 0;
    for (int i = 0; i < 50; i++) {
      long startNs = net.nowNs;
      ScenarioPeer peer = left.connect(right);
      peer.push(10);
      bound(net.run(() -> peer.isEstablished, 30 * SECOND_NS), "handshake %d: %s", i, peer.reason);
      slowestNs = Math.max(slowestNs, net.nowNs - startNs);
      net.run(peer::isDone, 60 * SECOND_NS);
      peer.requireAllCompleted();
      peers.add(peer);
    }
    bound(right.accepted.size() == 50, "%d connections accepted", right.accepted.size());
    net.fate = datagram -> new long[] {DELAY_NS};
    net.closeAll(peers);
    return String.format("the slowest took %d ms", slowestNs / 1_000_000);
  }

  static String corruption(long seed) {
    StringBuilder figures = new StringBuilder();
    for (double probability : new double[] {0.02, 0.3}) {
      Pair pair = new Pair(seed, DELAY_NS);
      long[] damaged = new long[1];
      RandomGenerator random = pair.net.random();
      pair.net.fate =
          datagram -> {
            if (random.nextDouble() < probability) {
              damaged[0]++;
              datagram.flip(8 * random.nextInt(datagram.length) + random.nextInt(8));
            }
            return new long[] {DELAY_NS};
          };
      pair.work();
      pair.net.run(pair.peer::isDone, 120 * SECOND_NS);
      pair.peer.requireAllCompleted();
      bound(damaged[0] > 0, "nothing was damaged");
      figures.append(
          String.format(
              "%s%.0f %%: %,d damaged",
              figures.isEmpty() ? "" : ", ", probability * 100, damaged[0]));
      pair.net.fate = datagram -> new long[] {DELAY_NS};
      pair.net.closeAll(List.of(pair.peer));
    }
    return figures.toString();
  }

  static String duplicates(long seed) {
    Pair pair = new Pair(seed, DELAY_NS);
    RandomGenerator random = pair.net.random();
    long[] doubled = new long[1];
    pair.net.fate =
        datagram -> {
          if (random.nextDouble() >= 0.1) {
            return new long[] {DELAY_NS};
          }
          doubled[0]++;
          return new long[] {DELAY_NS, DELAY_NS + random.nextLong(DELAY_NS)};
        };
    pair.work();
    pair.finish(60 * SECOND_NS);
    bound(doubled[0] > 0, "nothing was doubled");
    bound(pair.left.resent() == 0, "%d packets were resent, none lost", pair.left.resent());
    return String.format(
        "%,d datagrams doubled, %d packets resent", doubled[0], pair.left.resent());
  }

  static String gaps(long seed) {
    Pair pair = new Pair(seed, DELAY_NS);
    int[] gaps = new int[1];
    long first = 100 + pair.net.random().nextInt(20);
    pair.net.fate =
        datagram -> {
          boolean isGap =
              pair.left.hasSent(datagram)
                  && datagram.length > 1_000
                  && datagram.index >= first
                  && (datagram.index - first) % 60 == 0
                  && gaps[0] < 100;
          gaps[0] += isGap ? 1 : 0;
          return isGap ? ScenarioNet.LOST : new long[] {DELAY_NS};
        };
    pair.peer.push(160, 64 << 10);
    pair.finish(60 * SECOND_NS);
    bound(gaps[0] == 100, "%d gaps", gaps[0]);
    long resent = pair.left.resent();
    bound(resent >= 100 && resent <= 200, "%d packets were resent for 100 gaps", resent);
    return String.format("%d packets resent", resent);
  }

  static String lastAcks(long seed) {
    Pair pair = new Pair(seed, DELAY_NS);
    boolean[] isDue = new boolean[1];
    pair.net.fate =
        datagram -> {
          if (pair.right.hasSent(datagram) && isDue[0]) {
            isDue[0] = false;
            return ScenarioNet.LOST;
          }
          return new long[] {DELAY_NS};
        };
    long slowestNs = 0;
    for (int i = 0; i < 100; i++) {
      pair.net.runFor(50_000_000); // Quiet time: the next packet back is the answer.
      isDue[0] = true;
      long startNs = pair.net.nowNs;
      pair.peer.push(pair.net.random().nextInt(1_000));
      bound(pair.net.run(pair.peer::isDone, 10 * SECOND_NS), "push %d does not end", i);
      slowestNs = Math.max(slowestNs, pair.net.nowNs - startNs);
      bound(!isDue[0], "nothing came back that could be lost");
    }
    pair.peer.requireAllCompleted();
    bound(pair.other().delivered == 100, "%d delivered", pair.other().delivered);
    bound(slowestNs <= 300_000_000, "the slowest took %,d ns", slowestNs);
    pair.net.closeAll(List.of(pair.peer));
    return String.format("the slowest took %.1f ms", slowestNs / 1e6);
  }
}
