package io.rtransport.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.burst.PacketBurst;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimNetworkTest {
  private final SimTotals totals = new SimTotals();

  private static FaultPlan harsh() {
    return new FaultPlan(
        0.2, 0.2, 100_000, 0.2, 0.2, 10_000, 5_000, 1_000_000, 0.01, 50_000, 1_000, 20_000, 8, 0.1,
        30_000);
  }

  /**
   * Sends 1,000 numbered datagrams, one a microsecond, and returns what host 1 reads as (time,
   * number, length).
   */
  private List<Long> run(FaultPlan plan, long seed) {
    SimNetwork network = new SimNetwork(datagram -> 0, totals);
    SimLink link = network.connect(0, 0, new FaultPlan[] {plan, plan}, seed);
    ByteBuffer bytes = ByteBuffer.allocate(100);
    Datagram[] batch = new Datagram[PacketBurst.CAPACITY];
    List<Long> read = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      bytes.putInt(0, i);
      network.send(link, null, null, null, bytes, 0, 100, i * 1_000L);
    }
    long nowNs = 0;
    while (true) {
      nowNs = Math.max(nowNs, Math.min(network.nextArrivalNs(), network.socket(0).nextReadNs()));
      if (nowNs == Long.MAX_VALUE) {
        return read;
      }
      network.arrive(nowNs);
      int count =
          network.socket(0).nextReadNs() <= nowNs ? network.socket(0).read(batch, nowNs) : 0;
      for (int i = 0; i < count; i++) {
        read.add(nowNs);
        read.add((long) batch[i].bytes.getInt(0));
        read.add((long) batch[i].length);
        network.free(batch[i]);
      }
    }
  }

  @Test
  void shouldDoTheSameTwiceForTheSameSeedAndAnotherThingForAnother() {
    List<Long> first = run(harsh(), 7);
    assertThat(run(harsh(), 7)).isEqualTo(first);
    assertThat(run(harsh(), 8)).isNotEqualTo(first);
  }

  @Test
  void shouldDoEveryKindOfFault() {
    run(harsh(), 1);
    assertThat(totals.dropped).isBetween(100L, 500L);
    assertThat(totals.duplicated).isPositive();
    assertThat(totals.reordered).isPositive();
    assertThat(totals.corrupted).isPositive();
    assertThat(totals.outages).isPositive();
    assertThat(totals.pauses).isPositive();
  }

  @Test
  void shouldKeepOrderAndBytesWithoutFaults() {
    List<Long> read = run(FaultPlan.clean(10_000), 1);
    assertThat(read).hasSize(3_000);
    for (int i = 0; i < 1_000; i++) {
      assertThat(read.get(3 * i + 1)).isEqualTo(i);
    }
    assertThat(read.get(0)).isGreaterThanOrEqualTo(10_000);
    assertThat(totals.reordered + totals.dropped + totals.duplicated + totals.corrupted).isZero();
  }

  @Test
  void shouldLoseEverythingOnceCut() {
    SimNetwork network = new SimNetwork(datagram -> 0, totals);
    SimLink link = new SimLink(0, 0, FaultPlan.clean(1), SimRandom.fork(1, "network"));
    link.loss(1);
    network.send(link, null, null, null, ByteBuffer.allocate(10), 0, 10, 0);
    assertThat(network.nextArrivalNs()).isEqualTo(Long.MAX_VALUE);
    link.loss(0);
    network.send(link, null, null, null, ByteBuffer.allocate(10), 0, 10, 0);
    assertThat(network.nextArrivalNs()).isEqualTo(21);
  }

  @Test
  void shouldLetDatagramsWaitForTheLineOfTheSocketAndDropThoseThatFindItsQueueFull() {
    SimNetwork network = new SimNetwork(datagram -> 0, totals);
    SimLink link = new SimLink(0, datagram -> new long[] {5});
    SimSocket socket = network.socket(SimRandom.fork(1, "read"), 0, 1);
    socket.limit(1_000_000_000, 2); // a byte a nanosecond
    for (int i = 0; i < 3; i++) {
      network.send(link, null, null, null, ByteBuffer.allocate(10), 0, 10, 0);
    }
    network.arrive(5);
    assertThat(socket.nextReadNs()).isEqualTo(Long.MAX_VALUE);
    assertThat(socket.queueDrops()).isEqualTo(1);
    assertThat(socket.queued(14)).isEqualTo(2);
    assertThat(socket.queued(15)).isEqualTo(1);
    network.arrive(15);
    assertThat(socket.nextReadNs()).isEqualTo(15);
    assertThat(network.nextArrivalNs()).isEqualTo(25);
  }

  @Test
  void shouldLetAFateDecideAboutEachDatagram() {
    SimNetwork network = new SimNetwork(datagram -> 0, totals);
    network.socket(SimRandom.fork(1, "read"), 0, 1);
    SimLink link =
        new SimLink(
            0, datagram -> datagram.index == 0 ? new long[0] : new long[] {9, 4 + datagram.length});
    network.send(link, null, null, null, ByteBuffer.allocate(10), 0, 10, 100);
    assertThat(network.underWayCount()).isZero();
    network.send(link, null, null, null, ByteBuffer.allocate(10), 0, 10, 100);
    assertThat(network.underWayCount()).isEqualTo(2);
    assertThat(network.nextArrivalNs()).isEqualTo(109);
    network.arrive(113);
    assertThat(network.nextArrivalNs()).isEqualTo(114);
  }

  @Test
  void shouldTakeOneFaultAwayWithoutShiftingTheOthers() {
    List<Long> whole = run(harsh(), 3);
    long corrupted = totals.corrupted;
    run(harsh().without(FaultKind.DUPLICATE), 3);
    assertThat(totals.corrupted).isEqualTo(2 * corrupted);
    assertThat(whole).isNotEmpty();
    assertThat(harsh().without(FaultKind.LOSS).kinds()).doesNotContain(FaultKind.LOSS);
    assertThat(harsh().kinds()).containsExactlyInAnyOrder(FaultKind.values());
  }
}
