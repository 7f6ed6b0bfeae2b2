package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.AckFlyweight;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.NumberedHeaderFlyweight;
import io.rtransport.core.wire.PacketBurst;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** One packet at a time: what the sublayer does with it, and when it acts without one. */
class WindowSublayerTest {
  private static final long MILLI = 1_000_000;
  private static final long RTT_NS = MILLI;
  private static final long START_NS = 1_000 * MILLI;
  private static final long ACK_DELAY_NS = WindowConfig.DEFAULT_ACK_DELAY_MAX_NS;

  private final List<byte[]> fromA = new ArrayList<>();
  private final List<byte[]> fromB = new ArrayList<>();
  private final ToyHost a = host(1, 2, 64, BuiltInProfiles.LAN);
  private final ToyHost b = host(2, 1, 64, BuiltInProfiles.LAN);

  private ToyHost host(int cid, int peer, int window, AdpProfile profile) {
    return new ToyHost(
        config(cid, peer, window),
        16,
        4_096,
        profile,
        0,
        new SplittableRandom(cid),
        (from, packet, now) -> (cid == 1 ? fromA : fromB).add(packet));
  }

  private static WindowConfig config(int cid, int peer, int window) {
    return new WindowConfig(
        cid,
        peer,
        99,
        1_408,
        window,
        window,
        window,
        window,
        -2,
        -3,
        -2,
        -3,
        ACK_DELAY_NS,
        ACK_DELAY_NS);
  }

  private void send(int packets, long nowNs) {
    for (int i = 0; i < packets; i++) {
      a.records.submit(WindowClass.DATA, 1_300);
    }
    a.pump(nowNs);
  }

  private static NumberedHeaderFlyweight header(byte[] packet) {
    assertThat(PacketType.isNumbered(type(packet))).isTrue();
    return new NumberedHeaderFlyweight().wrap(ByteBuffer.wrap(packet), 0);
  }

  private static int type(byte[] packet) {
    return new ClearHeaderFlyweight().wrap(ByteBuffer.wrap(packet), 0).type();
  }

  /** An ACK packet for a, checksum left out: the door has seen to that. */
  private static ByteBuffer ack(int requestBase, int dataBase, int wordOffset, long... dataWords) {
    ByteBuffer packet = ByteBuffer.allocate(512);
    new ClearHeaderFlyweight().wrap(packet, 0).version(1).type(PacketType.ACK);
    AckFlyweight ack =
        new AckFlyweight()
            .wrap(packet, ClearHeaderFlyweight.HEADER_LENGTH)
            .requestBase(requestBase)
            .dataBase(dataBase)
            .requestWordCount(0)
            .dataWordCount(dataWords.length)
            .dataWordOffset(wordOffset)
            .pathCount(0);
    for (int i = 0; i < dataWords.length; i++) {
      ack.dataWord(i, dataWords[i]);
    }
    return packet;
  }

  private static ByteBuffer withPath(ByteBuffer packet, int sequence, long heldMicros, int dups) {
    new AckFlyweight()
        .wrap(packet, ClearHeaderFlyweight.HEADER_LENGTH)
        .pathCount(1)
        .path(0, 3, sequence, heldMicros, dups);
    return packet;
  }

  private boolean give(ByteBuffer packet, long nowNs) {
    PacketBurst burst = new PacketBurst();
    burst.add(packet, 0, packet.capacity(), 0, PacketBurst.TRANSIENT);
    a.window.onBurst(burst, nowNs);
    return !burst.isDropped(0);
  }

  @Test
  void shouldArmNothingWhileIdle() {
    a.assertEmpty();
    a.pump(START_NS);
    a.assertEmpty();
    assertThat(fromA).isEmpty();
  }

  @Test
  void shouldRetireByBaseAndByBit() {
    send(5, START_NS);
    assertThat(a.cam.size()).isEqualTo(5);
    // PSNs -3..1; the word of the base covers -64..-1.
    assertThat(give(ack(-2, -2, 0, -1L << 63, 2), START_NS)).isTrue();
    assertThat(a.cam.size()).isEqualTo(2);
    assertThat(a.window.isAcknowledged(WindowClass.DATA, -3)).isTrue();
    assertThat(a.window.isAcknowledged(WindowClass.DATA, -2)).isFalse();
    assertThat(a.window.isAcknowledged(WindowClass.DATA, -1)).isTrue();
    assertThat(a.window.isAcknowledged(WindowClass.DATA, 0)).isFalse();
    assertThat(a.window.isAcknowledged(WindowClass.DATA, 1)).isTrue();
    assertThat(give(ack(-2, 2, 0), START_NS)).isTrue();
    a.assertEmpty();
  }

  @Test
  void shouldTellTheUpperSublayerOnceThatPacketsWereAcknowledged() {
    send(2, START_NS);
    give(ack(-2, -1, 0), START_NS);
    a.pump(START_NS);
    a.pump(START_NS);
    assertThat(a.records.acknowledgedCalls).isEqualTo(1);
  }

  @Test
  void shouldDropTheAckOfAPacketNeverSentAndFailAtTheThird() {
    send(3, START_NS);
    assertThat(give(ack(-2, 1, 0), START_NS)).as("base beyond NSN").isFalse();
    assertThat(give(ack(-2, -3, 1, 1), START_NS)).as("bit beyond NSN").isFalse();
    assertThat(a.window.failure()).isNull();
    assertThat(a.cam.size()).isEqualTo(3);
    assertThat(give(ack(-1, 0, 0), START_NS)).as("request never sent").isFalse();
    assertThat(a.window.failure()).isEqualTo(WindowFailure.PROTOCOL_ERROR);
    assertThat(a.count(CounterId.ACK_OF_UNSENT)).isEqualTo(3);
    assertThat(a.window.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
    a.window.close();
    assertThat(a.cam.size()).isZero();
    assertThat(a.store.freeUnits()).isEqualTo(a.store.unitCount());
  }

  @Test
  void shouldBearWordsFarBeyondTheWindow() {
    send(3, START_NS);
    assertThat(give(ack(-2, -3, 65_535, 0, 0), START_NS)).isTrue();
    assertThat(give(ack(-2, -3, 65_535, 1L << 63), START_NS)).isFalse();
    assertThat(a.cam.size()).isEqualTo(3);
  }

  @Test
  void shouldIgnoreAStaleBaseAndWhatCameWithIt() {
    send(4, START_NS);
    give(ack(-2, -1, 0), START_NS + RTT_NS);
    ByteBuffer stale = withPath(ack(-2, -3, 1, 1), 3, 0, 0);
    assertThat(give(stale, START_NS + 2 * RTT_NS)).isTrue();
    assertThat(a.count(CounterId.ACK_STALE)).isEqualTo(1);
    assertThat(a.window.isAcknowledged(WindowClass.DATA, 0)).isFalse();
    assertThat(a.path.smoothedRttNs()).isZero();
  }

  @Test
  void shouldSampleTheRoundTripFromThePathsHighestSequenceOnce() {
    send(4, START_NS);
    give(withPath(ack(-2, -1, 0), 1, 100, 0), START_NS + RTT_NS);
    assertThat(a.path.smoothedRttNs()).isEqualTo(RTT_NS);
    give(withPath(ack(-2, -1, 0), 1, 100, 0), START_NS + 9 * RTT_NS);
    assertThat(a.path.rtt().latestNs()).isEqualTo(RTT_NS);
    give(withPath(ack(-2, -1, 0), 3, 1_500, 0), START_NS + 3 * RTT_NS);
    assertThat(a.path.rtt().latestNs()).isEqualTo(3 * RTT_NS / 2);
    // A lie about the time held is worth no sample; a sequence never sent is no news.
    give(withPath(ack(-2, -1, 0), 2_000, 0, 0), START_NS + 9 * RTT_NS);
    assertThat(a.path.rtt().latestNs()).isEqualTo(3 * RTT_NS / 2);
  }

  @Test
  void shouldResendOnlyTheHoleByteForByteWithANewSequence() {
    send(6, START_NS);
    List<byte[]> first = ToyHost.take(fromA);
    // -3 lost; -2..0 received.
    give(withPath(ack(-2, -3, 0, -1L << 62, 1), 3, 0, 0), START_NS + RTT_NS);
    a.pump(START_NS + RTT_NS);
    assertThat(fromA).hasSize(1);
    NumberedHeaderFlyweight resent = header(fromA.get(0));
    assertThat(resent.psn()).isEqualTo(-3);
    assertThat(resent.transmissionSequence()).isEqualTo(6);
    assertThat(header(first.get(0)).transmissionSequence()).isZero();
    assertThat(a.count(CounterId.RETRANSMITS_EARLY)).isEqualTo(1);
  }

  @Test
  void shouldCountAResendAsSpuriousWhenItsPacketIsAcknowledgedBeforeItCanHaveArrived() {
    send(6, START_NS);
    give(withPath(ack(-2, -3, 0, -1L << 62, 1), 3, 0, 0), START_NS + RTT_NS);
    a.pump(START_NS + RTT_NS);
    give(withPath(ack(-2, 1, 0), 3, 0, 0), START_NS + RTT_NS + 1);
    assertThat(a.count(CounterId.RETRANSMITS_SPURIOUS)).isEqualTo(1);
    assertThat(a.path.loss().threshold()).isEqualTo(6);
  }

  @Test
  void shouldNotCallAResendSpuriousThatABareBaseAcknowledges() {
    send(6, START_NS);
    give(withPath(ack(-2, -3, 0, -1L << 62, 1), 3, 0, 0), START_NS + RTT_NS);
    a.pump(START_NS + RTT_NS);
    give(ack(-2, 3, 0), START_NS + 2 * RTT_NS);
    assertThat(a.count(CounterId.RETRANSMITS_SPURIOUS)).isZero();
    assertThat(a.path.loss().threshold()).isEqualTo(3);
    a.assertEmpty();
  }

  @Test
  void shouldNotJudgeOthersByAResendThatABareBaseMayNotHaveSeen() {
    send(6, START_NS);
    give(withPath(ack(-2, -3, 0, -1L << 62, 1), 3, 0, 0), START_NS + RTT_NS);
    a.pump(START_NS + RTT_NS);
    // Perhaps the first transmission came late. 1 and 2, sent before the resend, are not late.
    give(ack(-2, 1, 0), START_NS + RTT_NS + 1);
    a.pump(START_NS + RTT_NS + 1);
    assertThat(a.count(CounterId.RETRANSMITS_EARLY)).isEqualTo(1);
    assertThat(a.path.loss().deadlineNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldRunTheAdpTimerFromTheResendOfTheOldest() {
    send(6, START_NS);
    long resentNs = START_NS + RTT_NS;
    give(withPath(ack(-2, -3, 0, -1L << 62, 1), 3, 0, 0), resentNs);
    assertThat(a.window.nextDeadlineNs()).isLessThan(Long.MAX_VALUE);
    send(1, resentNs);
    a.onTimeout(a.window.nextDeadlineNs());
    assertThat(a.count(CounterId.RETRANSMITS_PROBE)).isEqualTo(1);
    assertThat(a.window.nextDeadlineNs()).isEqualTo(resentNs + a.path.adp().timeoutNs(0));
  }

  @Test
  void shouldNotExpireAgainAtOnceWhileTheResendWaitsForRoomAtThePort() {
    send(6, START_NS);
    a.onTimeout(a.window.nextDeadlineNs());
    long expiry = a.window.nextDeadlineNs();
    a.hasLinkRoom = false;
    a.onTimeout(expiry);
    assertThat(a.count(CounterId.TIMEOUTS)).isEqualTo(1);
    give(ack(-2, -2, 0), expiry);
    a.onTimeout(a.window.nextDeadlineNs());
    assertThat(a.window.nextDeadlineNs()).isGreaterThan(expiry);
    assertThat(a.count(CounterId.TIMEOUTS)).isEqualTo(1);
  }

  @Test
  void shouldNotRewriteAPacketWhileItsBlockIsPinned() {
    send(4, START_NS);
    fromA.clear();
    int token = a.engine.token(a.engine.lookup(1, WindowClass.DATA, -3));
    a.store.pin(token);
    long now = START_NS + RTT_NS;
    give(withPath(ack(-2, -3, 0, -1L << 62, 1), 3, 0, 0), now);
    a.pump(now);
    assertThat(fromA).isEmpty();
    assertThat(a.window.nextDeadlineNs()).isEqualTo(now + Transmitter.RETRY_NS);
    a.store.unpin(token);
    a.onTimeout(now + Transmitter.RETRY_NS);
    assertThat(fromA).hasSize(1);
    assertThat(header(fromA.get(0)).psn()).isEqualTo(-3);
  }

  @Test
  void shouldProbeTheNewestOnceAFlightAndTouchNoCongestionState() {
    a.window.onRttSample(0, RTT_NS, START_NS);
    send(3, START_NS);
    ToyHost.take(fromA);
    long window = a.path.congestion().windowBytes();
    long due = START_NS + 2 * RTT_NS + ACK_DELAY_NS;
    assertThat(a.window.nextDeadlineNs()).isEqualTo(due);
    a.onTimeout(due - 1);
    assertThat(fromA).isEmpty();
    a.onTimeout(due);
    assertThat(fromA).hasSize(1);
    assertThat(header(fromA.get(0)).psn()).isEqualTo(-1);
    assertThat(header(fromA.get(0)).isAckRequested()).isTrue();
    assertThat(a.path.congestion().windowBytes()).isEqualTo(window);
    assertThat(a.count(CounterId.RETRANSMITS_PROBE)).isEqualTo(1);
    // The ADP timer runs from the oldest packet's last send, with its floor.
    long floor =
        Math.max(2 * (2 * RTT_NS + ACK_DELAY_NS), RTT_NS + 4 * (RTT_NS / 2) + ACK_DELAY_NS);
    assertThat(a.window.nextDeadlineNs()).isEqualTo(START_NS + a.path.adp().timeoutNs(floor));
  }

  @Test
  void shouldResendTheTwoOldestWhenTheAdpTimerExpiresAndShrinkToTheMinimum() {
    a.window.onRttSample(0, RTT_NS, START_NS);
    a.records.submit(WindowClass.REQUEST, 100);
    send(4, START_NS);
    a.onTimeout(a.window.nextDeadlineNs());
    ToyHost.take(fromA);
    long expiry = a.window.nextDeadlineNs();
    a.onTimeout(expiry);
    assertThat(fromA).hasSize(2);
    assertThat(type(fromA.get(0))).isEqualTo(PacketType.REQUEST);
    assertThat(header(fromA.get(0)).psn()).isEqualTo(-2);
    assertThat(header(fromA.get(1)).psn()).isEqualTo(-3);
    assertThat(a.path.congestion().windowBytes()).isEqualTo(4 * 1_396);
    assertThat(a.count(CounterId.TIMEOUTS)).isEqualTo(1);
    assertThat(a.window.nextDeadlineNs()).isGreaterThan(expiry + 6 * RTT_NS);
  }

  @Test
  void shouldGiveUpExactlyAtTheTotal() {
    send(1, START_NS);
    long totalNs = a.path.adp().totalNs();
    long last = 0;
    while (a.window.failure() == null) {
      long next = a.window.nextDeadlineNs();
      assertThat(next).isGreaterThan(last).isLessThanOrEqualTo(START_NS + totalNs);
      last = next;
      a.onTimeout(next);
    }
    assertThat(last).isEqualTo(START_NS + totalNs);
    assertThat(a.window.failure()).isEqualTo(WindowFailure.RETRY_EXCEEDED);
    assertThat(a.count(CounterId.RETRANSMITS_TIMEOUT)).isGreaterThan(3);
    a.window.close();
    assertThat(a.engine.inFlightCount()).isZero();
    assertThat(a.path.inFlightBytes()).isZero();
  }

  @Test
  void shouldStartTheTotalAgainAtEachProgress() {
    send(2, START_NS);
    long totalNs = a.path.adp().totalNs();
    long almost = START_NS + totalNs - 1;
    a.onTimeout(almost);
    give(ack(-2, -2, 0), almost);
    a.pump(almost);
    a.onTimeout(START_NS + totalNs);
    assertThat(a.window.failure()).isNull();
    a.onTimeout(almost + totalNs);
    assertThat(a.window.failure()).isEqualTo(WindowFailure.RETRY_EXCEEDED);
  }

  @Test
  void shouldStopAtThePeersWindowAndAskForAnAcknowledgementThere() {
    send(100, START_NS);
    assertThat(fromA).hasSize(64);
    for (int i = 0; i < 63; i++) {
      assertThat(header(fromA.get(i)).isAckRequested()).isFalse();
    }
    assertThat(header(fromA.get(63)).isAckRequested()).isTrue();
    assertThat(a.window.congested()).isTrue();
    // The answer to that is under way: a few more packets ask for nothing.
    give(ack(-2, -1, 0), START_NS);
    fromA.clear();
    a.pump(START_NS);
    assertThat(fromA).hasSize(2);
    assertThat(header(fromA.get(1)).isAckRequested()).isFalse();
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
    a.window.pollTransmit(burst, a.records, i -> true, START_NS);
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
}
