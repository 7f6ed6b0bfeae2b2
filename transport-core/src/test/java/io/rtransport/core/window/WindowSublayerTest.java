package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.AckFlyweight;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.NumberedHeaderFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What acknowledgements and timers do. */
class WindowSublayerTest extends WindowFixture {
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
  void shouldIgnoreAStaleBaseAndItsWordsButReadTheReportsOfItsPaths() {
    send(4, START_NS);
    give(ack(-2, -1, 0), START_NS + RTT_NS);
    ByteBuffer stale = withPath(ack(-2, -3, 1, 1), 3, 0, 0);
    assertThat(give(stale, START_NS + 2 * RTT_NS)).isTrue();
    assertThat(a.count(CounterId.ACK_STALE)).isEqualTo(1);
    assertThat(a.window.isAcknowledged(WindowClass.DATA, 0)).isFalse();
    assertThat(a.path.smoothedRttNs()).isEqualTo(2 * RTT_NS);
  }

  @Test
  void shouldCountWhatThePeerDroppedAboveItsWindowAndChangeNothingForIt() {
    send(4, START_NS);
    AckFlyweight body = new AckFlyweight();
    ByteBuffer plain = ack(-2, -3, 0);
    give(plain, START_NS);
    assertThat(a.count(CounterId.OUT_OF_WINDOW_REPORTED)).isZero();
    long windowBytes = a.path.congestion().windowBytes();
    for (int flags : new int[] {AckFlyweight.FLAG_OWN_REQUEST, AckFlyweight.FLAG_OWN_DATA, 3}) {
      ByteBuffer own = ack(-2, -3, 0);
      body.wrap(own, ClearHeaderFlyweight.HEADER_LENGTH).flags(flags);
      long deadlineNs = a.window.nextDeadlineNs();
      assertThat(give(own, START_NS)).isTrue();
      assertThat(a.window.nextDeadlineNs()).isEqualTo(deadlineNs);
      assertThat(a.cam.size()).isEqualTo(4);
      assertThat(a.path.congestion().windowBytes()).isEqualTo(windowBytes);
    }
    assertThat(a.count(CounterId.OUT_OF_WINDOW_REPORTED)).isEqualTo(3);
    ByteBuffer unsent = ack(-2, 100, 0);
    body.wrap(unsent, ClearHeaderFlyweight.HEADER_LENGTH).flags(AckFlyweight.FLAG_OWN_DATA);
    assertThat(give(unsent, START_NS)).as("what is not believed is not counted either").isFalse();
    assertThat(a.count(CounterId.OUT_OF_WINDOW_REPORTED)).isEqualTo(3);
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
    long due = START_NS + RTT_NS + 4 * (RTT_NS / 2) + ACK_DELAY_NS;
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
    long floor = Math.max(2 * (due - START_NS), Path.STEADY_TIMEOUT_NS_MIN);
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

  /**
   * Four packets expire, twice in a row: sequence 4 was the probe, 5 and 6 the first resends, 7 and
   * 8 the second.
   */
  private long expireTwice() {
    a.window.onRttSample(0, RTT_NS, START_NS);
    send(4, START_NS);
    while (a.count(CounterId.TIMEOUTS) < 2) {
      a.onTimeout(a.window.nextDeadlineNs());
    }
    assertThat(a.count(CounterId.RETRANSMITS_PROBE)).isEqualTo(1);
    assertThat(a.count(CounterId.RETRANSMITS_TIMEOUT)).isEqualTo(4);
    assertThat(a.path.congestion().windowBytes()).isEqualTo(4 * 1_396);
    return a.window.nextDeadlineNs();
  }

  @Test
  void shouldTakeBackAnExpiryWhoseResendsHadAllArrivedBefore() {
    long nowNs = expireTwice();
    give(withPath(ack(-2, -2, 0), 4, 0, 0), nowNs);
    assertThat(a.path.congestion().windowBytes()).as("one of two").isEqualTo(4 * 1_396);
    give(withPath(ack(-2, 1, 0), 4, 0, 0), nowNs);
    assertThat(a.path.congestion().windowBytes()).isGreaterThanOrEqualTo(64 * 1_396);
    assertThat(a.count(CounterId.TIMEOUTS_SPURIOUS)).isEqualTo(1);
  }

  @Test
  void shouldNotTakeBackAnExpiryAfterWhichItsFirstResendsArrived() {
    long nowNs = expireTwice();
    give(withPath(ack(-2, -2, 0), 5, 0, 0), nowNs);
    give(withPath(ack(-2, 1, 0), 6, 0, 0), nowNs);
    assertThat(a.path.congestion().windowBytes()).isLessThan(8 * 1_396);
    assertThat(a.count(CounterId.TIMEOUTS_SPURIOUS)).isZero();
  }

  @Test
  void shouldNotTakeBackAnExpiryOfWhichABareBaseSaysNothing() {
    long nowNs = expireTwice();
    give(ack(-2, 1, 0), nowNs);
    assertThat(a.path.congestion().windowBytes()).isLessThan(16 * 1_396);
    assertThat(a.count(CounterId.TIMEOUTS_SPURIOUS)).isZero();
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
  void shouldProbeAtOnceWhenThePathLeadsElsewhereThoughTheProbeOfTheFlightIsSpent() {
    send(3, START_NS);
    long probeNs = START_NS + ProbeDelay.UNSAMPLED_NS;
    a.onTimeout(probeNs);
    a.pump(probeNs);
    assertThat(a.count(CounterId.RETRANSMITS_PROBE)).isEqualTo(1);
    long laterNs = probeNs + ProbeDelay.UNSAMPLED_NS;
    a.window.onPathMoved(0, false, 1_000, laterNs - 1);
    a.onTimeout(laterNs);
    a.pump(laterNs);
    assertThat(a.count(CounterId.RETRANSMITS_PROBE)).isEqualTo(2);
    assertThat(a.count(CounterId.TIMEOUTS)).as("of the old way's silence").isZero();
    assertThat(a.path.smoothedRttNs()).as("a new port keeps what is known").isZero();
    a.window.onPathMoved(0, true, 1_000, laterNs);
    assertThat(a.path.smoothedRttNs()).isEqualTo(1_000);
  }
}
