package io.rtransport.core.transaction;

/**
 * List of transactions, threaded through one of their links by slot number. It allocates nothing
 * and stores no reference, and any member leaves in constant time. A transaction stands in at most
 * one queue per link.
 */
public final class TransactionQueue {
  private static final int NONE = -1;

  private final TransactionPool pool;
  private final int link;
  private final int id;
  private int first = NONE;
  private int last = NONE;
  private int size;

  /**
   * @param pool pool of its members
   * @param link {@link Transaction#STREAM}, {@link Transaction#REPORT} or {@link Transaction#GRANT}
   */
  public TransactionQueue(TransactionPool pool, int link) {
    this.pool = pool;
    this.link = link;
    id = pool.nextQueueId();
  }

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return first == NONE;
  }

  /** Returns the first transaction, or null. */
  public Transaction peek() {
    return bySlot(first);
  }

  /** Returns the transaction after {@code transaction}, or null. */
  public Transaction after(Transaction transaction) {
    return bySlot(transaction.next(link));
  }

  private Transaction bySlot(int slot) {
    return slot == NONE ? null : pool.bySlot(slot);
  }

  public boolean contains(Transaction transaction) {
    return transaction.queueId(link) == id;
  }

  /** Removes and returns the first transaction; null when empty. */
  public Transaction poll() {
    Transaction head = peek();
    if (head != null) {
      remove(head);
    }
    return head;
  }

  public void addLast(Transaction transaction) {
    insertAfter(last, transaction);
  }

  /** Inserts a transaction in RSN order. Its place is near the front wherever this is called. */
  public void addInOrder(Transaction transaction) {
    int before = NONE;
    for (Transaction t = peek(); t != null && t.rsn() - transaction.rsn() < 0; t = after(t)) {
      before = t.slot();
    }
    insertAfter(before, transaction);
  }

  private void insertAfter(int before, Transaction transaction) {
    assert transaction.queueId(link) == 0 : transaction + " stands in another queue of this link";
    int after;
    if (before == NONE) {
      after = first;
      first = transaction.slot();
    } else {
      Transaction left = pool.bySlot(before);
      after = left.next(link);
      left.next(link, transaction.slot());
    }
    if (after == NONE) {
      last = transaction.slot();
    } else {
      pool.bySlot(after).previous(link, transaction.slot());
    }
    transaction.queueId(link, id);
    transaction.previous(link, before);
    transaction.next(link, after);
    size++;
  }

  /** Removes a transaction. Returns false when it was not in this queue. */
  public boolean remove(Transaction transaction) {
    if (!contains(transaction)) {
      return false;
    }
    int before = transaction.previous(link);
    int after = transaction.next(link);
    if (before == NONE) {
      first = after;
    } else {
      pool.bySlot(before).next(link, after);
    }
    if (after == NONE) {
      last = before;
    } else {
      pool.bySlot(after).previous(link, before);
    }
    transaction.next(link, NONE);
    transaction.previous(link, NONE);
    transaction.queueId(link, 0);
    size--;
    return true;
  }
}
