package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.congestion.Aimd;
import io.rtransport.core.stats.Bound;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.AckFlyweight;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What is sent, how packets are laid out, and which acknowledgements are asked for and given. */
class WindowSendingTest extends WindowFixture {
  @Test
  void shouldStopAtThePeersWindowAndAskForAnAcknowledgementThere() {
    send(100, START_NS);
    assertThat(fromA).hasSize(64);
    for (int i = 0; i < 63; i++) {
      assertThat(header(fromA.get(i)).isAckRequested()).isFalse();
    }
    assertThat(header(fromA.get(63)).isAckRequested()).isTrue();
    assertThat(a.window.bound()).isEqualTo(Bound.WINDOW);
    // The answer to that is under way: a few more packets ask for nothing.
    give(ack(-2, -1, 0), START_NS);
    fromA.clear();
    a.pump(START_NS);
    assertThat(fromA).hasSize(2);
    assertThat(header(fromA.get(1)).isAckRequested()).isFalse();
  }

  @Test
  void shouldTakeAFullCongestionWindowIntoTheNextPumpAndForgetItBehindOneThatLeavesNothing() {
    ToyHost wide = host(1, 2, 1_024, BuiltInProfiles.LAN);
    wide.path.congestion().onTimeout(START_NS);
    for (int i = 0; i < Aimd.MINIMUM_PACKETS + 2; i++) {
      wide.records.submit(WindowClass.DATA, 1_300);
    }
    PacketBurst burst = new PacketBurst();
    wide.window.pollTransmit(burst, wide.records, 1, START_NS);
    assertThat(burst.count()).isEqualTo(Aimd.MINIMUM_PACKETS);
    assertThat(wide.window.isCongested()).as("as it began").isFalse();

    burst.clear();
    burst.add(ack(-2, -3 + Aimd.MINIMUM_PACKETS, 0), 0, 512, 0, PacketBurst.TRANSIENT);
    wide.window.onBurst(burst, START_NS + RTT_NS);
    burst.clear();
    wide.window.pollTransmit(burst, wide.records, 1, START_NS + RTT_NS);
    assertThat(burst.count()).as("what had waited").isEqualTo(2);
    assertThat(wide.window.isCongested()).as("while it leaves").isTrue();

    burst.clear();
    wide.window.pollTransmit(burst, wide.records, 1, START_NS + RTT_NS);
    assertThat(wide.window.isCongested()).as("and then").isFalse();
  }

  @Test
  void shouldAskForAnAcknowledgementWhenOutOfCredit() {
    a.records.isCreditLimited = true;
    send(1, START_NS);
    assertThat(header(fromA.get(0)).isAckRequested()).isTrue();
  }

  @Test
  void shouldSendNothingWithoutRoomAtThePort() {
    a.hasLinkRoom = false;
    send(3, START_NS);
    assertThat(fromA).isEmpty();
    assertThat(a.window.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
    a.hasLinkRoom = true;
    a.pump(START_NS);
    assertThat(fromA).hasSize(3);
  }

  @Test
  void shouldLayARunOfPacketsOfEqualLengthEndToEnd() {
    for (int i = 0; i < 1_500; i++) {
      a.records.submit(WindowClass.DATA, 64 + i % 3);
    }
    PacketBurst burst = new PacketBurst();
    a.window.pollTransmit(burst, a.records, 1, START_NS);
    assertThat(burst.count()).isEqualTo(64);
    int sends = 1;
    for (int i = 1; i < 64; i++) {
      boolean isNeighbour =
          burst.offset(i) == burst.offset(i - 1) + burst.length(i - 1)
              && burst.length(i) == burst.length(i - 1);
      sends += isNeighbour ? 0 : 1;
    }
    // A unit with five packets, a block with 46, and the beginning of another.
    assertThat(sends).isEqualTo(3);
  }

  @Test
  void shouldCarryEchoesWithoutAnAckPacket() {
    long now = START_NS;
    for (int i = 0; i < 1_000; i++) {
      a.records.submit(WindowClass.DATA, 64);
      a.pump(now);
      now += 25_000;
      b.records.submit(WindowClass.DATA, 64);
      b.receive(ToyHost.take(fromA), now);
      now += 25_000;
      a.receive(ToyHost.take(fromB), now);
    }
    assertThat(a.count(CounterId.ACKS_SENT) + b.count(CounterId.ACKS_SENT)).isZero();
    assertThat(a.count(CounterId.PACKETS_NUMBERED_SENT)).isEqualTo(1_000);
    assertThat(a.cam.size()).isZero();
    assertThat(a.path.smoothedRttNs()).isBetween(49_000L, 51_000L);
    // A sample every half millisecond at the most.
    assertThat(b.ackBlocks).isBetween(50, 101);
    a.onTimeout(a.window.nextDeadlineNs());
    b.receive(ToyHost.take(fromA), now);
    a.assertEmpty();
    b.assertEmpty();
  }

  @Test
  void shouldAcknowledgeOneWayDataAboutOncePer128Kilobytes() {
    ToyHost sender = host(1, 2, 1_024, BuiltInProfiles.LAN);
    ToyHost receiver = host(2, 1, 1_024, BuiltInProfiles.LAN);
    long now = START_NS;
    int packets = 20_000;
    for (int i = 0; i < packets; i++) {
      sender.records.submit(WindowClass.DATA, 1_300);
    }
    sender.pump(now);
    while (sender.records.hasRecords(WindowClass.DATA, now) || sender.cam.size() > 0) {
      now += 100_000;
      List<byte[]> sent = ToyHost.take(fromA);
      for (int i = 0; i < sent.size(); i += 46) {
        receiver.receive(sent.subList(i, Math.min(sent.size(), i + 46)), now);
        now += 5_000;
      }
      if (sent.isEmpty()) {
        now = receiver.window.nextDeadlineNs();
        receiver.onTimeout(now);
      }
      sender.receive(ToyHost.take(fromB), now + 100_000);
    }
    assertThat(receiver.received(WindowClass.DATA)).isEqualTo(packets);
    long bytesPerAck = packets * 1_340L / receiver.count(CounterId.ACKS_SENT);
    assertThat(bytesPerAck).isBetween(90_000L, 260_000L);
    assertThat(sender.count(CounterId.RETRANSMITS_EARLY)).isZero();
    assertThat(sender.count(CounterId.RETRANSMITS_PROBE)).isZero();
  }

  @Test
  void shouldMakeNoSampleOfABlockRepeatedByAResend() {
    // b receives, and answers with a packet whose block reports a's path; that packet is resent
    // late.
    send(1, START_NS);
    b.window.onRttSample(0, RTT_NS, START_NS);
    b.records.submit(WindowClass.DATA, 100);
    b.receive(ToyHost.take(fromA), START_NS);
    assertThat(header(fromB.get(0)).hasAckBlock()).isTrue();
    fromB.clear();
    b.onTimeout(b.window.nextDeadlineNs());
    byte[] probe = fromB.get(0);
    assertThat(header(probe).hasAckBlock()).isTrue();
    assertThat(header(probe).psn()).isEqualTo(-3);
    a.receive(List.of(probe), START_NS + 100 * RTT_NS);
    assertThat(a.path.smoothedRttNs()).isZero();
    assertThat(a.window.isAllAcknowledged()).isTrue();
  }

  @Test
  void shouldRefreshHintsOnAResendOnlyIfTheyWereThere() {
    a.records.credit(1_000);
    send(1, START_NS);
    send(1, START_NS);
    assertThat(header(fromA.get(0)).hasCreditHint()).isTrue();
    assertThat(header(fromA.get(0)).creditHint()).isEqualTo(1_000);
    assertThat(header(fromA.get(1)).hasCreditHint()).isFalse();
    fromA.clear();
    a.records.credit(5_000);
    // Both packets are the oldest two at the first expiry.
    while (a.count(CounterId.TIMEOUTS) == 0) {
      fromA.clear();
      a.onTimeout(a.window.nextDeadlineNs());
    }
    assertThat(header(fromA.get(0)).creditHint()).isEqualTo(5_000);
    assertThat(header(fromA.get(1)).hasCreditHint()).isFalse();
  }

  @Test
  void shouldDropDuplicatesAndPacketsAboveTheWindowInTheBurst() {
    send(2, START_NS);
    b.receive(fromA, START_NS);
    byte[] far = fromA.get(1).clone();
    header(far).psn(-3 + 2 + 64);
    b.receive(List.of(fromA.get(0), far), START_NS + 1);
    assertThat(b.count(CounterId.DUPLICATES_RECEIVED)).isEqualTo(1);
    assertThat(b.count(CounterId.OUT_OF_WINDOW_RECEIVED)).isEqualTo(1);
    assertThat(b.received(WindowClass.DATA)).isEqualTo(2);
    b.onTimeout(b.window.nextDeadlineNs());
    AckFlyweight ack =
        new AckFlyweight().wrap(ByteBuffer.wrap(fromB.get(0)), ClearHeaderFlyweight.HEADER_LENGTH);
    assertThat(ack.flags()).isEqualTo(AckFlyweight.FLAG_OWN_DATA);
    assertThat(ack.pathDuplicates(0)).isEqualTo(1);
  }

  @Test
  void shouldWaitForRoomInTheStoreAndGoOnWhenOthersFreeIt() {
    ToyHost small =
        new ToyHost(
            config(1, 2, 64),
            1,
            4_096,
            BuiltInProfiles.LAN,
            0,
            new SplittableRandom(1),
            (from, packet, now) -> fromA.add(packet));
    RetransmissionStore.Lease other = small.engine.open(8_192);
    int[] tokens = new int[4];
    for (int i = 0; i < 4; i++) {
      small.store.reserve(other, 8_192);
      tokens[i] = small.store.commit(other, 8_192);
    }
    for (int i = 0; i < 40; i++) {
      small.records.submit(WindowClass.DATA, 1_300);
    }
    small.pump(START_NS);
    int sent = fromA.size();
    assertThat(sent).isBetween(4, 39);
    assertThat(small.count(CounterId.STORE_FULL)).isEqualTo(1);
    assertThat(small.window.nextDeadlineNs()).isEqualTo(START_NS + Transmitter.RETRY_NS);
  }

  @Test
  void shouldLetOneNewPacketGoBesideEachExpiryFromTheSecondInARowOn() {
    a.window.onRttSample(0, RTT_NS, START_NS);
    send(20, START_NS);
    while (a.count(CounterId.TIMEOUTS) < 1) {
      a.onTimeout(a.window.nextDeadlineNs());
    }
    send(5, a.window.nextDeadlineNs() - 1);
    assertThat(a.count(CounterId.PACKETS_NUMBERED_SENT)).as("20 in a window of 4").isEqualTo(20);
    for (int expiries = 2; expiries <= 4; expiries++) {
      long expiryNs = a.window.nextDeadlineNs();
      ToyHost.take(fromA);
      a.onTimeout(expiryNs);
      a.pump(expiryNs);
      assertThat(a.count(CounterId.TIMEOUTS)).isEqualTo(expiries);
      assertThat(a.count(CounterId.PACKETS_NUMBERED_SENT)).isEqualTo(18 + expiries + 1);
      assertThat(fromA).as("the two oldest and a new one").hasSize(3);
      assertThat(header(fromA.get(2)).psn()).isEqualTo(-3 + 18 + expiries);
    }
  }

  @Test
  void shouldKeepTheRecordsThatFitInAPacketThatBecomesShorterAndMoveTheRest() {
    a.path.mtu(PathMtuSearch.search(1_408, 512, 1_408));
    for (int i = 0; i < 13; i++) {
      a.records.submit(WindowClass.DATA, 100);
    }
    a.pump(START_NS);
    assertThat(header(fromA.get(0)).recordCount()).isEqualTo(13);
    while (a.count(CounterId.PACKETS_SHORTENED) == 0) {
      ToyHost.take(fromA);
      a.onTimeout(a.window.nextDeadlineNs());
    }
    assertThat(a.count(CounterId.TIMEOUTS)).isEqualTo(2);
    // The floor is 640 bytes: five of a hundred beside the header; the others need a new number.
    assertThat(fromA).hasSize(2);
    assertThat(header(fromA.get(0)).psn()).isEqualTo(-3);
    assertThat(header(fromA.get(0)).recordCount()).isEqualTo(5);
    assertThat(header(fromA.get(1)).psn()).isEqualTo(-2);
    assertThat(header(fromA.get(1)).recordCount()).isEqualTo(8);
    b.receive(fromA, START_NS);
    assertThat(b.received(WindowClass.DATA)).isEqualTo(13);
  }

  @Test
  void shouldLetNoNewPacketGoForAnExpiryBeforeTheLastProgress() {
    a.window.onRttSample(0, RTT_NS, START_NS);
    send(20, START_NS);
    while (a.count(CounterId.TIMEOUTS) < 2) {
      a.onTimeout(a.window.nextDeadlineNs());
    }
    long nowNs = a.window.nextDeadlineNs() - 1;
    give(ack(-2, -2, 0), nowNs); // one of twenty: there are still more than the window takes
    send(5, nowNs);
    assertThat(a.count(CounterId.PACKETS_NUMBERED_SENT)).isEqualTo(20);
  }
}
