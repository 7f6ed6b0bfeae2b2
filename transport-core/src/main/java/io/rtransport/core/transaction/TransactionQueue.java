package io.rtransport.core.transaction;

/**
 * A list of transactions threaded through one of their links: no allocation, and any member leaves in constant time. A transaction
 * stands in at most one queue a link.
 */
public final class TransactionQueue {
  private final int link;
  private Transaction first;
  private Transaction last;
  private int size;

  /**
   * @param link {@link Transaction#STREAM}, {@link Transaction#REPORT} or {@link Transaction#GRANT}
   */
  public TransactionQueue(int link) {
    this.link = link;
  }

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return first == null;
  }

  /** The first, or null. */
  public Transaction peek() {
    return first;
  }

  /** The one after {@code transaction}, or null. */
  public Transaction after(Transaction transaction) {
    return transaction.next[link];
  }

  public boolean contains(Transaction transaction) {
    return transaction.queue[link] == this;
  }

  /** Takes the first out; null when empty. */
  public Transaction poll() {
    Transaction head = first;
    if (head != null) {
      remove(head);
    }
    return head;
  }

  public void addLast(Transaction transaction) {
    insertAfter(last, transaction);
  }

  /** Puts it where RSN order wants it; near the front in the cases that call for this. */
  public void addInOrder(Transaction transaction) {
    Transaction before = null;
    for (Transaction t = first; t != null && t.rsn - transaction.rsn < 0; t = t.next[link]) {
      before = t;
    }
    insertAfter(before, transaction);
  }

  private void insertAfter(Transaction before, Transaction transaction) {
    assert transaction.queue[link] == null : transaction + " stands in another queue of this link";
    Transaction after = before == null ? first : before.next[link];
    transaction.queue[link] = this;
    transaction.previous[link] = before;
    transaction.next[link] = after;
    if (before == null) {
      first = transaction;
    } else {
      before.next[link] = transaction;
    }
    if (after == null) {
      last = transaction;
    } else {
      after.previous[link] = transaction;
    }
    size++;
  }

  /** Takes it out. False when it did not stand here. */
  public boolean remove(Transaction transaction) {
    if (transaction.queue[link] != this) {
      return false;
    }
    Transaction before = transaction.previous[link];
    Transaction after = transaction.next[link];
    if (before == null) {
      first = after;
    } else {
      before.next[link] = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.previous[link] = before;
    }
    transaction.next[link] = null;
    transaction.previous[link] = null;
    transaction.queue[link] = null;
    size--;
    return true;
  }

  /** Takes {@code transaction} out of whatever queue of {@code link} it stands in. */
  public static void leave(Transaction transaction, int link) {
    TransactionQueue in = transaction.queue[link];
    if (in != null) {
      in.remove(transaction);
    }
  }
}
