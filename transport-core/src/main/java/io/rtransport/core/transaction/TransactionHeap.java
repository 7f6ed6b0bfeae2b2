package io.rtransport.core.transaction;

import java.util.Arrays;

/**
 * Binary heap of transactions, the least key first. Each transaction knows its place, so any of
 * them leaves at once. The heap holds slot numbers: it allocates nothing after the busiest moment,
 * and an empty one that was never used has no array.
 */
public final class TransactionHeap {
  private static final int[] EMPTY = {};

  private final TransactionPool pool;
  private final int kind;
  private int[] heap = EMPTY;
  private int size;

  /**
   * @param pool pool of its members
   * @param kind {@link Transaction#DEADLINE} or {@link Transaction#SERVING}
   */
  public TransactionHeap(TransactionPool pool, int kind) {
    this.pool = pool;
    this.kind = kind;
  }

  public int size() {
    return size;
  }

  /** Returns the transaction with the least key; null when there is none. */
  public Transaction first() {
    return size == 0 ? null : at(0);
  }

  /** Returns the key of a transaction. */
  public long key(Transaction transaction) {
    return transaction.heapKey(kind);
  }

  /** Adds a transaction, or gives it another key. */
  public void set(Transaction transaction, long key) {
    transaction.heapKey(kind, key);
    if (transaction.heapPlace(kind) < 0) {
      if (size == heap.length) {
        heap = Arrays.copyOf(heap, Math.max(8, 2 * size));
      }
      put(size++, transaction);
    }
    siftDown(transaction);
    siftUp(transaction);
  }

  /** Removes a transaction. Does nothing if it is in no heap of this kind. */
  public void remove(Transaction transaction) {
    int place = transaction.heapPlace(kind);
    if (place < 0) {
      return;
    }
    assert at(place) == transaction : transaction + " stands in another heap of this kind";
    transaction.heapPlace(kind, PoolMember.NONE);
    Transaction last = at(--size);
    if (last != transaction) {
      put(place, last);
      siftDown(last);
      siftUp(last);
    }
  }

  private Transaction at(int place) {
    return pool.bySlot(heap[place]);
  }

  private long keyAt(int place) {
    return at(place).heapKey(kind);
  }

  private void put(int place, Transaction transaction) {
    heap[place] = transaction.slot();
    transaction.heapPlace(kind, place);
  }

  private void siftUp(Transaction transaction) {
    int at = transaction.heapPlace(kind);
    while (at > 0 && key(transaction) < keyAt((at - 1) >> 1)) {
      put(at, at((at - 1) >> 1));
      at = (at - 1) >> 1;
    }
    put(at, transaction);
  }

  private void siftDown(Transaction transaction) {
    int at = transaction.heapPlace(kind);
    for (int child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && keyAt(child + 1) < keyAt(child)) {
        child++;
      }
      if (key(transaction) <= keyAt(child)) {
        break;
      }
      put(at, at(child));
      at = child;
    }
    put(at, transaction);
  }
}
