package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.WindowClass;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.random.RandomGenerator;

/**
 * Two hosts and a seeded network between them: it loses, delays, reorders and duplicates. Time is
 * virtual.
 */
final class ToyNetwork implements ToyHost.Wire {
  private record Arrival(long timeNs, long order, ToyHost to, byte[] packet) {}

  private final PriorityQueue<Arrival> arrivals =
      new PriorityQueue<>(
          Comparator.comparingLong(Arrival::timeNs).thenComparingLong(Arrival::order));
  private final RandomGenerator random;
  final double loss;
  final double duplicate;
  final double reorder;
  final long delayNs;
  final long jitterNs;
  ToyHost a;
  ToyHost b;
  long nowNs = 1_000_000_000L;
  long order;
  int lostPackets;
  boolean isCut;

  ToyNetwork(
      RandomGenerator random,
      double loss,
      double duplicate,
      double reorder,
      long delayNs,
      long jitterNs) {
    this.random = random;
    this.loss = loss;
    this.duplicate = duplicate;
    this.reorder = reorder;
    this.delayNs = delayNs;
    this.jitterNs = jitterNs;
  }

  @Override
  public void send(ToyHost from, byte[] packet, long now) {
    if (isCut || random.nextDouble() < loss) {
      lostPackets++;
      return;
    }
    int copies = random.nextDouble() < duplicate ? 2 : 1;
    for (int i = 0; i < copies; i++) {
      // Without reordering the order of sending is kept: the delay grows by nothing but its order.
      long extra = random.nextDouble() < reorder ? random.nextLong(jitterNs + 1) : 0;
      arrivals.add(new Arrival(now + delayNs + extra, order++, from == a ? b : a, packet));
    }
  }

  /** Runs until nothing is left to happen, or the time is over. Returns whether nothing is left. */
  boolean run(long untilNs) {
    int stuck = 0;
    while (true) {
      long arrival = arrivals.isEmpty() ? Long.MAX_VALUE : arrivals.peek().timeNs();
      long deadline = Math.min(a.window.nextDeadlineNs(), b.window.nextDeadlineNs());
      long next = Math.min(arrival, deadline);
      if (next == Long.MAX_VALUE) {
        return true;
      }
      if (next > untilNs) {
        nowNs = untilNs;
        return false;
      }
      stuck = next <= nowNs ? stuck + 1 : 0;
      assertThat(stuck).as("a deadline that stays in the past").isLessThan(1_000);
      nowNs = Math.max(nowNs, next);
      deliver();
      fire(a);
      fire(b);
    }
  }

  private void deliver() {
    List<byte[]> toA = new ArrayList<>();
    List<byte[]> toB = new ArrayList<>();
    while (!arrivals.isEmpty() && arrivals.peek().timeNs() <= nowNs) {
      Arrival arrival = arrivals.poll();
      (arrival.to() == a ? toA : toB).add(arrival.packet());
    }
    if (!toA.isEmpty()) {
      a.receive(toA, nowNs);
    }
    if (!toB.isEmpty()) {
      b.receive(toB, nowNs);
    }
  }

  private void fire(ToyHost host) {
    if (host.window.nextDeadlineNs() <= nowNs) {
      host.onTimeout(nowNs);
    }
  }

  void assertAllDelivered() {
    for (WindowClass windowClass : WindowClass.values()) {
      assertThat(b.received(windowClass))
          .as("%s records at b", windowClass)
          .isEqualTo(a.records.submitted(windowClass));
      assertThat(a.received(windowClass))
          .as("%s records at a", windowClass)
          .isEqualTo(b.records.submitted(windowClass));
    }
    a.assertEmpty();
    b.assertEmpty();
    assertThat(a.window.failure()).isNull();
    assertThat(b.window.failure()).isNull();
    assertThat(a.count(CounterId.ACK_OF_UNSENT) + b.count(CounterId.ACK_OF_UNSENT)).isZero();
  }
}
