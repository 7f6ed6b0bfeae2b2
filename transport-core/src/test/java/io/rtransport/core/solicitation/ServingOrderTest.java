package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.transaction.MadeTransactions;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.TransactionPool;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ServingOrderTest {
  private static final long TURN = 1_000;

  private final TransactionPool pool = new TransactionPool(7);
  private final ServingOrder order = new ServingOrder(pool, Transaction.STREAM, false, TURN);

  private Transaction add(long remaining) {
    Transaction t = MadeTransactions.queued(pool, Transaction.Kind.PUSH, 0);
    order.add(t, remaining);
    return t;
  }

  private void serve(Transaction t, long bytes) {
    order.onServed(t, bytes, order.remainingBytes(t) - bytes);
  }

  @Test
  void shouldServeTheFirstWhereThereIsOrder() {
    ServingOrder ordered = new ServingOrder(pool, Transaction.STREAM, true, TURN);
    Transaction first = pool.acquire();
    Transaction second = pool.acquire();
    ordered.add(first, 100_000);
    ordered.add(second, 1);
    for (int i = 0; i < 20; i++) {
      assertThat(ordered.next()).isSameAs(first);
      ordered.onServed(first, TURN, 1);
    }
    assertThat(ordered.remove(first)).isTrue();
    assertThat(ordered.next()).isSameAs(second);
  }

  @Test
  void shouldServeTheShortestAndGoOnWithItAsItShrinks() {
    add(50_000);
    Transaction shortest = add(3_000);
    add(4_000);
    for (int i = 0; i < 2; i++) {
      assertThat(order.next()).isSameAs(shortest);
      serve(shortest, TURN);
    }
    Transaction shorter = add(500);
    assertThat(order.next()).isSameAs(shorter);
    order.remove(shorter);
    assertThat(order.next()).isSameAs(shortest);
  }

  @Test
  void shouldGiveTheFirstOneTurnInEight() {
    Transaction first = add(1_000_000);
    Transaction other = add(500_000);
    StringBuilder turns = new StringBuilder();
    for (int i = 0; i < 24; i++) {
      Transaction next = order.next();
      turns.append(next == first ? 'F' : '-');
      serve(next, TURN);
    }
    assertThat(turns).hasToString("-------F-------F-------F");
    assertThat(order.remainingBytes(first)).isEqualTo(997_000);
    assertThat(order.remainingBytes(other)).isEqualTo(479_000);
  }

  @Test
  void shouldCountBytesAndNotTurnsOfUnequalLength() {
    Transaction first = add(Long.MAX_VALUE);
    Transaction other = add(1L << 40);
    SplittableRandom random = new SplittableRandom(1);
    long firsts = 0;
    long all = 0;
    for (int i = 0; i < 100_000; i++) {
      Transaction next = order.next();
      long bytes = 1 + random.nextLong(TURN);
      serve(next, bytes);
      all += bytes;
      firsts += next == first ? bytes : 0;
    }
    assertThat(order.remainingBytes(other)).isLessThan(1L << 40);
    assertThat(8 * firsts).isBetween(all - 16 * TURN, all + 16 * TURN);
  }

  @Test
  void shouldOweNothingWhileTheFirstIsTheShortest() {
    Transaction first = add(900_000);
    for (int i = 0; i < 500; i++) {
      serve(first, TURN); // alone
    }
    add(500_000);
    for (int i = 0; i < 300; i++) {
      assertThat(order.next()).isSameAs(first);
      serve(first, TURN); // the shortest of two
    }
    Transaction shorter = add(7_500);
    for (int i = 0; i < 7; i++) {
      assertThat(order.next()).isSameAs(shorter);
      serve(shorter, TURN);
    }
    assertThat(order.next()).as("neither owed for the time before nor in debt").isSameAs(first);
  }

  @Test
  void shouldOweTheEighthToWhoeverIsTheFirstNow() {
    Transaction first = add(900_000);
    Transaction second = add(800_000);
    Transaction shorter = add(100_000);
    for (int i = 0; i < 7; i++) {
      serve(shorter, TURN);
    }
    assertThat(order.next()).isSameAs(first);
    order.remove(first);
    assertThat(order.next()).isSameAs(second);
  }

  @Test
  void shouldAgreeWithASortedListUnderRandomUse() {
    SplittableRandom random = new SplittableRandom(5);
    List<Transaction> model = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      if (model.isEmpty() || random.nextInt(5) < 2) {
        model.add(add(random.nextLong(1_000)));
      } else if (random.nextInt(3) == 0) {
        Transaction leaving = model.remove(random.nextInt(model.size()));
        assertThat(order.remove(leaving)).isTrue();
        assertThat(order.remove(leaving)).isFalse();
        pool.release(leaving);
      } else {
        Transaction some = model.get(random.nextInt(model.size()));
        order.onRemaining(some, random.nextLong(order.remainingBytes(some) + 1));
      }
      assertThat(order.size()).isEqualTo(model.size());
      if (!model.isEmpty()) {
        assertThat(order.first()).isSameAs(model.get(0));
        assertThat(order.remainingBytes(order.next()))
            .isEqualTo(model.stream().mapToLong(order::remainingBytes).min().orElseThrow());
      }
    }
  }
}
