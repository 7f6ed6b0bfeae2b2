package io.rtransport.core.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Stage;
import org.junit.jupiter.api.Test;

class OwnTransactionsTest {
  private static final int FIRST = -5;

  private final TransactionPool pool = new TransactionPool();
  private final OwnTransactions own = new OwnTransactions(pool, FIRST);

  private Transaction add(long tag) {
    Transaction transaction = pool.acquire();
    transaction.role(Transaction.Role.OWN);
    transaction.kind(Kind.PUSH);
    transaction.stage(Stage.STARTED);
    transaction.tag = tag;
    own.add(transaction);
    return transaction;
  }

  @Test
  void shouldNumberAndFindAcrossTheWrapWhileItGrows() {
    for (int i = 0; i < 100; i++) {
      assertThat(add(i).rsn).isEqualTo(FIRST + i);
    }
    for (int i = 0; i < 100; i++) {
      assertThat(own.find(FIRST + i).tag).isEqualTo(i);
    }
    assertThat(own.find(FIRST - 1)).isNull();
    assertThat(own.find(own.next())).isNull();
    assertThat(own.isShrunk(FIRST - 1)).isFalse();
    assertThat(own.isShrunk(own.next())).isFalse();
    assertThat(own.size()).isEqualTo(100);
  }

  @Test
  void shouldKeepOnlyTheTagOfWhatWasShrunk() {
    for (int i = 0; i < 1_000; i++) {
      own.shrink(add(1_000_000L + i));
    }
    assertThat(pool.inUse()).isZero();
    for (int i = 0; i < 1_000; i++) {
      int rsn = FIRST + i;
      assertThat(own.find(rsn)).isNull();
      assertThat(own.isShrunk(rsn)).isTrue();
      assertThat(own.isShrunkCompleted(rsn)).isFalse();
      assertThat(own.shrunkTag(rsn)).isEqualTo(1_000_000L + i);
    }
    own.completeShrunk(FIRST + 7);
    assertThat(own.isShrunkCompleted(FIRST + 7)).isTrue();
    assertThat(own.isShrunkCompleted(FIRST + 8)).isFalse();
    own.removeFirst();
    assertThat(own.isShrunk(FIRST)).isFalse();
    assertThat(own.first()).isEqualTo(FIRST + 1);
  }

  @Test
  void shouldExpandWhatFailedAfterAll() {
    own.shrink(add(41));
    own.shrink(add(42));
    Transaction expanded = own.expand(FIRST + 1);
    assertThat(expanded.tag).isEqualTo(42);
    assertThat(expanded.rsn).isEqualTo(FIRST + 1);
    assertThat(expanded.kind()).isEqualTo(Kind.PUSH);
    assertThat(expanded.stage()).isEqualTo(Stage.SENT);
    assertThat(own.find(FIRST + 1)).isSameAs(expanded);
    assertThat(own.isShrunk(FIRST + 1)).isFalse();
    assertThat(own.isShrunk(FIRST)).isTrue();
  }
}
