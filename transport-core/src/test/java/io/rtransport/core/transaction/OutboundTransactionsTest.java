package io.rtransport.core.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.Limits;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Stage;
import org.junit.jupiter.api.Test;

class OutboundTransactionsTest {
  private static final int SPAN = Limits.RSN_SPAN_MAX / 2;
  private static final int FIRST = -5;

  private final TransactionPool pool = new TransactionPool(7);
  private final OutboundTransactions own = new OutboundTransactions(pool, FIRST, true, 16_384);

  private Transaction add(long tag) {
    Transaction transaction = pool.acquire();
    transaction.submit(Kind.PUSH, 0, tag);
    transaction.admit();
    transaction.start();
    own.add(transaction);
    return transaction;
  }

  @Test
  void shouldNumberAndFindAcrossTheWrapWhileItGrows() {
    for (int i = 0; i < 100; i++) {
      assertThat(add(i).rsn()).isEqualTo(FIRST + i);
    }
    for (int i = 0; i < 100; i++) {
      assertThat(own.find(FIRST + i).tag()).isEqualTo(i);
    }
    assertThat(own.find(FIRST - 1)).isNull();
    assertThat(own.find(own.next())).isNull();
    assertThat(own.isCompacted(FIRST - 1)).isFalse();
    assertThat(own.isCompacted(own.next())).isFalse();
    assertThat(own.openCount()).isEqualTo(100);
  }

  @Test
  void shouldKeepOnlyTheTagOfWhatWasShrunk() {
    for (int i = 0; i < 1_000; i++) {
      own.compact(add(1_000_000L + i));
    }
    assertThat(pool.inUse()).isZero();
    for (int i = 0; i < 1_000; i++) {
      int rsn = FIRST + i;
      assertThat(own.find(rsn)).isNull();
      assertThat(own.isCompacted(rsn)).isTrue();
      assertThat(own.isCompactedAndCompleted(rsn)).isFalse();
      assertThat(own.compactedTag(rsn)).isEqualTo(1_000_000L + i);
    }
    own.completeCompacted(FIRST + 7);
    assertThat(own.isCompactedAndCompleted(FIRST + 7)).isTrue();
    assertThat(own.isCompactedAndCompleted(FIRST + 8)).isFalse();
    own.completeCompacted(FIRST);
    own.removeDue();
    assertThat(own.isCompacted(FIRST)).isFalse();
    assertThat(own.first()).isEqualTo(FIRST + 1);
  }

  private OutboundTransactions unordered(int outstandingMax) {
    return new OutboundTransactions(pool, FIRST, false, outstandingMax);
  }

  private Transaction addTo(OutboundTransactions to) {
    Transaction transaction = pool.acquire();
    transaction.restore(0, 0);
    to.add(transaction);
    return transaction;
  }

  private static void end(OutboundTransactions of, int rsn) {
    of.compact(of.find(rsn));
    of.completeCompacted(rsn);
    of.removeDue();
  }

  @Test
  void shouldHandUpInTheOrderOfTheEndsWhereUnordered() {
    OutboundTransactions unordered = unordered(16);
    for (int i = 0; i < 10; i++) {
      unordered.compact(addTo(unordered));
    }
    assertThat(unordered.isDue()).isFalse();
    int[] ends = {7, 2, 9, 0, 1};
    for (int i : ends) {
      unordered.completeCompacted(FIRST + i);
      unordered.completeCompacted(FIRST + i); // told twice, as the base tells what a bit told
    }
    for (int i : ends) {
      assertThat(unordered.isDue()).isTrue();
      assertThat(unordered.due()).isEqualTo(FIRST + i);
      unordered.removeDue();
      assertThat(unordered.isHandedUp(FIRST + i)).isTrue();
      assertThat(unordered.isCompacted(FIRST + i)).isFalse();
    }
    assertThat(unordered.isDue()).isFalse();
    assertThat(unordered.first()).as("0, 1 and 2 have gone").isEqualTo(FIRST + 3);
    assertThat(unordered.openCount()).isEqualTo(5);
    assertThat(unordered.isHandedUp(FIRST + 3)).isFalse();
    assertThat(unordered.isHandedUp(unordered.next())).isFalse();
  }

  @Test
  void shouldCountTheOpenOnesWhereUnorderedAndTheSpanWhereOrdered() {
    OutboundTransactions unordered = unordered(16);
    for (int i = 0; i < 1_000; i++) {
      addTo(unordered);
      if (i > 0) {
        end(unordered, FIRST + i);
      }
    }
    assertThat(unordered.first()).isEqualTo(FIRST);
    assertThat(unordered.room(FIRST, 0)).isEqualTo(15);
    assertThat(unordered.room(FIRST, 3)).as("three given up").isEqualTo(12);
    OutboundTransactions ordered = new OutboundTransactions(pool, FIRST, true, 16);
    addTo(ordered);
    ordered.compact(addTo(ordered));
    ordered.completeCompacted(FIRST + 1);
    assertThat(ordered.isDue()).isFalse();
    assertThat(ordered.room(FIRST, 0)).isEqualTo(14);
    assertThat(ordered.room(FIRST - 1, 1)).as("one below was given up").isEqualTo(13);
  }

  @Test
  void shouldSpanHalfOfWhatThePeerBears() {
    OutboundTransactions unordered = unordered(16);
    addTo(unordered);
    int last = FIRST + SPAN - 1;
    while (unordered.next() != last) {
      end(unordered, addTo(unordered).rsn());
    }
    assertThat(unordered.room(FIRST, 0)).isOne();
    addTo(unordered);
    assertThat(unordered.room(FIRST, 0)).isZero();
    end(unordered, FIRST);
    assertThat(unordered.first()).isEqualTo(last);
    assertThat(unordered.room(last, 0)).isEqualTo(15);
    end(unordered, last);
    assertThat(unordered.find(addTo(unordered).rsn())).as("in a ring made anew").isNotNull();
  }

  @Test
  void shouldWaitAtTheMostRangesOfWhatHasEnded() {
    OutboundTransactions unordered = unordered(16_384);
    for (int i = 0; i < 2 * Limits.ENDED_RANGES_MAX + 2; i++) {
      addTo(unordered);
    }
    for (int i = 1; i < Limits.ENDED_RANGES_MAX; i++) {
      end(unordered, FIRST + 2 * i);
    }
    assertThat(unordered.room(FIRST, 0)).isPositive();
    end(unordered, FIRST + 2 * Limits.ENDED_RANGES_MAX);
    assertThat(unordered.room(FIRST, 0)).as("1,024 ranges").isZero();
    end(unordered, FIRST + 3);
    assertThat(unordered.room(FIRST, 0)).as("two have become one").isPositive();
    end(unordered, FIRST + 2 * Limits.ENDED_RANGES_MAX + 1);
    end(unordered, FIRST + 1);
    end(unordered, FIRST);
    assertThat(unordered.first()).isEqualTo(FIRST + 5);
  }

  @Test
  void shouldExpandWhatFailedAfterAll() {
    own.compact(add(41));
    own.compact(add(42));
    Transaction restored = own.restore(FIRST + 1);
    assertThat(restored.tag()).isEqualTo(42);
    assertThat(restored.rsn()).isEqualTo(FIRST + 1);
    assertThat(restored.kind()).isEqualTo(Kind.PUSH);
    assertThat(restored.stage()).isEqualTo(Stage.SENT);
    assertThat(own.find(FIRST + 1)).isSameAs(restored);
    assertThat(own.isCompacted(FIRST + 1)).isFalse();
    assertThat(own.isCompacted(FIRST)).isTrue();
  }
}
