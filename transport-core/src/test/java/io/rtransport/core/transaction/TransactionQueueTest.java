package io.rtransport.core.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransactionQueueTest {
  private final TransactionPool pool = new TransactionPool(7);
  private final TransactionQueue queue = new TransactionQueue(pool, Transaction.STREAM);

  private Transaction transaction(int rsn) {
    Transaction transaction = pool.acquire();
    transaction.submit(Transaction.Kind.PUSH, 0, 0);
    transaction.number(rsn);
    return transaction;
  }

  private List<Integer> rsns() {
    List<Integer> rsns = new ArrayList<>();
    for (Transaction t = queue.peek(); t != null; t = queue.after(t)) {
      rsns.add(t.rsn());
    }
    assertThat(queue.size()).isEqualTo(rsns.size());
    return rsns;
  }

  @Test
  void shouldLetAnyMemberLeave() {
    Transaction first = transaction(1);
    Transaction middle = transaction(2);
    Transaction last = transaction(3);
    queue.addLast(first);
    queue.addLast(middle);
    queue.addLast(last);
    assertThat(queue.remove(middle)).isTrue();
    assertThat(queue.remove(middle)).isFalse();
    assertThat(rsns()).containsExactly(1, 3);
    queue.remove(last);
    queue.addLast(middle);
    assertThat(rsns()).containsExactly(1, 2);
    assertThat(queue.poll()).isSameAs(first);
    assertThat(queue.poll()).isSameAs(middle);
    assertThat(queue.poll()).isNull();
  }

  @Test
  void shouldInsertInRsnOrderAcrossTheWrap() {
    for (int rsn : new int[] {1, -2, 0, -1, 2}) {
      queue.addInOrder(transaction(rsn));
    }
    assertThat(rsns()).containsExactly(-2, -1, 0, 1, 2);
  }

  @Test
  void shouldStandInOneQueueALink() {
    TransactionQueue reports = new TransactionQueue(pool, Transaction.REPORT);
    Transaction transaction = transaction(1);
    queue.addLast(transaction);
    reports.addLast(transaction);
    queue.remove(transaction);
    assertThat(queue.contains(transaction)).isFalse();
    assertThat(reports.contains(transaction)).isTrue();
  }

  @Test
  void shouldReuseWhatWasGivenBackAsNew() {
    Transaction transaction = transaction(1);
    transaction.keepHeader(java.nio.ByteBuffer.wrap(new byte[200]), 0, 200);
    transaction.outgoing().send(9);
    pool.release(transaction);
    Transaction again = pool.acquire();
    assertThat(again).isSameAs(transaction);
    again.submit(Transaction.Kind.PUSH, 0, 0);
    assertThat(again.headerLength()).isZero();
    assertThat(again.outgoing().sentBytes()).isZero();
    assertThat(again.answerLengthBytes()).isEqualTo(-1);
    assertThat(pool.bySlot(again.slot())).isSameAs(again);
  }
}
