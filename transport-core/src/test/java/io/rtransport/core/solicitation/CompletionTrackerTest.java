package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.parameter.Agreement;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.transaction.MadeTransactions;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.TransactionPool;
import io.rtransport.core.transaction.TransactionTable;
import io.rtransport.core.window.AcknowledgementView;
import io.rtransport.core.wire.CompleteInErrorFlyweight;
import io.rtransport.core.wire.CompletedFlyweight;
import io.rtransport.core.wire.Flyweights;
import io.rtransport.core.wire.RecordType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CompletionTrackerTest {
  private static final int FIRST = -3;

  private final RsnWindow window = new RsnWindow(FIRST);
  private final TransactionPool pool = new TransactionPool(7);
  private final TransactionTable peers = new TransactionTable(pool, 16_384);
  private final CreditAllowance credit = new CreditAllowance(16 << 10, new CreditPool(0));
  private final Set<Integer> reported = new HashSet<>();
  private final CompletionTracker tracker =
      new CompletionTracker(
          window,
          peers,
          pool,
          credit,
          delay(1_000_000),
          new Counters(),
          new Flyweights(),
          this::onReported);
  private final ByteBuffer packet = ByteBuffer.allocate(1_400);
  private final CompletedFlyweight completed = new CompletedFlyweight();
  private final Set<Integer> acknowledgedPsns = new HashSet<>();
  private final AcknowledgementView view =
      new AcknowledgementView() {
        @Override
        public boolean isAcknowledged(WindowClass windowClass, int psn) {
          return windowClass == WindowClass.DATA && acknowledgedPsns.contains(psn);
        }

        @Override
        public boolean isAcknowledgedThrough(WindowClass windowClass, int psn) {
          return isAcknowledged(windowClass, psn);
        }

        @Override
        public boolean isAllAcknowledged() {
          return false;
        }
      };

  /** Of a connection with 256 transactions and packets of 1,408 bytes. */
  private static CompletionDelay delay(long ackDelayNsMax) {
    return new CompletionDelay(
        new SolicitationConfig(
            1,
            new Agreement()
                .headerLengthMax(64)
                .messageLengthMax(1 << 20)
                .ackDelayNsMax(ackDelayNsMax)
                .make(),
            8 << 10,
            4 << 20,
            0,
            true,
            false));
  }

  private void onReported(Transaction transaction) {
    reported.add(transaction.rsn());
    peers.remove(transaction);
    pool.release(transaction);
  }

  private Transaction delivered(int index) {
    return delivered(index, Transaction.Kind.PUSH);
  }

  private Transaction delivered(int index, Transaction.Kind kind) {
    return deliver(MadeTransactions.arriving(pool, kind, FIRST + index, 0));
  }

  private Transaction unawaited(int index) {
    Transaction t = MadeTransactions.arriving(pool, Transaction.Kind.PUSH, FIRST + index, 0);
    t.becomeUnawaited();
    return deliver(t);
  }

  private Transaction deliver(Transaction t) {
    t.becomeReady();
    t.deliver();
    peers.add(t);
    return t;
  }

  private int write(int psn) {
    int length = tracker.write(psn, packet, 0, packet.capacity());
    if (length > 0 && (packet.get(0) & 0xFF) == RecordType.COMPLETED) {
      completed.wrap(packet, 0);
    }
    return length;
  }

  @Test
  void shouldTellCompletionsInOrderByTheBaseAlone() {
    for (int i = 0; i < 10; i++) {
      tracker.onCompletedAtBase(FIRST + i);
    }
    assertThat(tracker.isDue()).isTrue();
    assertThat(write(1)).isEqualTo(CompletedFlyweight.FIXED_LENGTH);
    assertThat(completed.baseRsn()).isEqualTo(FIRST + 10);
    assertThat(completed.wordCount()).isZero();
    assertThat(tracker.isDue()).isFalse();
    assertThat(tracker.isIdle()).isTrue();
  }

  @Test
  void shouldTellOnesAboveTheBaseByTheirBitOnceAndThenForgetThem() {
    tracker.onCompleted(delivered(1));
    tracker.onCompleted(delivered(5));
    write(1);
    assertThat(completed.baseRsn()).isEqualTo(FIRST);
    // −2 is bit 62 of the word that begins at −64; 2 is bit 2 of the word that begins at 0.
    assertThat(completed.wordOffset()).isZero();
    assertThat(completed.wordCount()).isEqualTo(2);
    assertThat(completed.word(0)).isEqualTo(1L << 62);
    assertThat(completed.word(1)).isEqualTo(1L << 2);
    assertThat(reported).containsExactlyInAnyOrder(FIRST + 1, FIRST + 5);
    assertThat(tracker.isDue()).isFalse();
    tracker.onCompletedAtBase(FIRST);
    write(2);
    assertThat(completed.baseRsn()).isEqualTo(FIRST + 2);
    assertThat(completed.wordCount()).isZero();
  }

  @Test
  void shouldNeedAnotherRecordForWhatDoesNotFitIntoEightWords() {
    tracker.onCompleted(delivered(10));
    tracker.onCompleted(delivered(10 + 8 * 64));
    write(1);
    assertThat(reported).containsExactly(FIRST + 10);
    assertThat(tracker.isDue()).isTrue();
    write(2);
    assertThat(completed.wordOffset()).isEqualTo(9);
    assertThat(reported).hasSize(2);
    assertThat(tracker.isDue()).isFalse();
  }

  @Test
  void shouldNeverPassAnErrorUntilItsPacketWasAcknowledged() {
    Transaction failed = delivered(0);
    failed.blame(77, "no", 0);
    Transaction following = delivered(1);
    tracker.onFailed(failed);
    tracker.onCompleted(following);
    assertThat(write(40)).isEqualTo(CompleteInErrorFlyweight.FIXED_LENGTH + 2);
    assertThat(packet.get(0) & 0xFF).isEqualTo(RecordType.COMPLETE_IN_ERROR);
    write(41);
    assertThat(completed.baseRsn()).isEqualTo(FIRST);
    tracker.onAcknowledged(view);
    assertThat(window.base()).isEqualTo(FIRST);
    assertThat(tracker.failuresHeld()).isEqualTo(1);
    acknowledgedPsns.add(40);
    tracker.onAcknowledged(view);
    assertThat(window.base()).isEqualTo(FIRST + 2);
    assertThat(write(42)).isPositive();
    assertThat(completed.baseRsn()).isEqualTo(FIRST + 2);
    assertThat(tracker.isIdle()).isTrue();
    assertThat(peers.size()).isZero();
  }

  @Test
  void shouldKeepBackWhatWouldNeedOneRangeTooMany() {
    int last = Limits.ENDED_RANGES_MAX;
    for (int i = 0; i <= last; i++) {
      tracker.onCompleted(delivered(1 + 2 * i));
    }
    while (tracker.isDue()) {
      assertThat(write(1)).isPositive();
    }
    assertThat(reported).hasSize(last);
    assertThat(peers.size()).as("one waits in the table, and its end is not told").isEqualTo(1);
    tracker.onCompletedAtBase(FIRST);
    while (tracker.isDue()) {
      write(2);
    }
    assertThat(reported).hasSize(last + 1);
    assertThat(tracker.isIdle()).isTrue();
  }

  @Test
  void shouldTellARisenCreditLimitWithoutACompletion() {
    credit.charge(16 << 10);
    assertThat(tracker.isDue()).isFalse();
    credit.giveBack(4 << 10);
    assertThat(tracker.isDue()).isTrue();
    write(1);
    assertThat(completed.creditLimit()).isEqualTo(20 << 10);
    assertThat(tracker.isDue()).isFalse();
  }

  @Test
  void shouldWriteNothingWhereARecordDoesNotFit() {
    tracker.onCompleted(delivered(1));
    assertThat(tracker.write(1, packet, 0, CompletedFlyweight.FIXED_LENGTH + 7)).isZero();
    assertThat(tracker.write(1, packet, 0, CompletedFlyweight.FIXED_LENGTH + 8)).isEqualTo(28);
  }

  @Test
  void shouldTellAFailureOfAPullWhoseSuccessWasTold() {
    Transaction pull = delivered(0, Transaction.Kind.PULL);
    RsnWindow before = window;
    tracker.onCompletedAtBase(FIRST);
    assertThat(before.base()).isEqualTo(FIRST + 1);
    pull.report();
    tracker.onFailed(pull);
    write(9);
    acknowledgedPsns.add(9);
    tracker.onAcknowledged(view);
    assertThat(reported).containsExactly(FIRST);
  }

  private void completeUnawaited(int index, long cost) {
    credit.charge(cost);
    credit.giveBack(cost);
    tracker.onUnawaitedAtBase(FIRST + index, cost);
  }

  /** A turn in which nothing else leaves. */
  private boolean isToldInTurn(long nowNs) {
    tracker.onTransmitting(false, false, nowNs);
    boolean isTold = tracker.isDue();
    tracker.onTransmitted(nowNs);
    return isTold;
  }

  @Test
  void shouldHoldBackWhatNobodyWaitsForUntilThreeQuartersOfTheAckDelay() {
    completeUnawaited(0, 96);
    assertThat(tracker.hasNews()).isTrue();
    assertThat(tracker.isIdle()).as("it must be told before the connection ends").isFalse();
    assertThat(isToldInTurn(7_000)).isFalse();
    assertThat(tracker.delayEndNs()).isEqualTo(757_000);
    completeUnawaited(1, 96);
    assertThat(isToldInTurn(506_999)).isFalse();
    assertThat(tracker.delayEndNs()).as("from the first of them").isEqualTo(757_000);
    assertThat(isToldInTurn(757_000)).isTrue();
    assertThat(tracker.delayEndNs()).isEqualTo(Long.MAX_VALUE);
    write(1);
    assertThat(completed.baseRsn()).isEqualTo(FIRST + 2);
    assertThat(tracker.isIdle()).isTrue();
  }

  @Test
  void shouldTellOfItInAPacketThatLeavesAnyhow() {
    completeUnawaited(0, 96);
    assertThat(isToldInTurn(0)).isFalse();
    assertThat(write(1)).isEqualTo(CompletedFlyweight.FIXED_LENGTH);
    assertThat(completed.baseRsn()).isEqualTo(FIRST + 1);
    assertThat(tracker.hasNews()).isFalse();
    assertThat(tracker.delayEndNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldTellOfItWhereAnAcknowledgementWouldLeaveByItself() {
    completeUnawaited(0, 96);
    tracker.onTransmitting(true, false, 0);
    assertThat(tracker.isDue()).isTrue();
  }

  @Test
  void shouldHoldBackFewerThanAQuarterOfTheTransactionsAndTwoPacketsWorth() {
    for (int i = 0; i < 63; i++) {
      completeUnawaited(i, 32);
    }
    assertThat(isToldInTurn(0)).isFalse();
    completeUnawaited(63, 32);
    assertThat(isToldInTurn(0)).isTrue();
    write(1);
    completeUnawaited(64, 2 * 1_408 - 1);
    assertThat(isToldInTurn(0)).isFalse();
    completeUnawaited(65, 1);
    assertThat(isToldInTurn(0)).isTrue();
  }

  @Test
  void shouldHoldNothingBackFromAPeerThatKnowsOfLessThanThreeQuartersOfItsCredit() {
    credit.charge((4 << 10) - 96); // of a message that is still arriving
    completeUnawaited(0, 96);
    assertThat(isToldInTurn(0)).isFalse();
    credit.charge(1);
    assertThat(isToldInTurn(0)).isTrue();
  }

  @Test
  void shouldHoldBackOneAboveTheBaseAlike() {
    tracker.onCompleted(unawaited(1));
    assertThat(isToldInTurn(0)).isFalse();
    assertThat(reported).isEmpty();
    tracker.onCompleted(delivered(3));
    assertThat(isToldInTurn(0)).as("one that is waited for takes it along").isTrue();
    write(1);
    assertThat(reported).containsExactlyInAnyOrder(FIRST + 1, FIRST + 3);
    assertThat(tracker.isIdle()).isTrue();
  }

  @Test
  void shouldHoldNothingBackWithoutAnAckDelay() {
    CompletionTracker hurried =
        new CompletionTracker(
            window,
            peers,
            pool,
            credit,
            delay(0),
            new Counters(),
            new Flyweights(),
            this::onReported);
    hurried.onUnawaitedAtBase(FIRST, 96);
    assertThat(hurried.isDue()).isTrue();
    hurried.write(1, packet, 0, packet.capacity());
    hurried.onCompleted(unawaited(3));
    assertThat(hurried.isDue()).isTrue();
  }
}
