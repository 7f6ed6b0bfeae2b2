package io.rtransport.core.transaction;

import java.util.Arrays;

/**
 * Deadlines of a connection's own transactions: a binary heap. Each transaction knows its place, so
 * one that ends early leaves at once. A connection without deadlines has an empty heap and no
 * timer.
 */
final class TransactionDeadlines {
  private static final int[] NONE = {};

  private final TransactionPool pool;
  private int[] heap = NONE;
  private int size;

  TransactionDeadlines(TransactionPool pool) {
    this.pool = pool;
  }

  /** Sets or moves the deadline of a transaction. */
  void set(Transaction transaction, long deadlineNs) {
    transaction.deadlineNs = deadlineNs;
    if (transaction.deadlinePlace < 0) {
      if (size == heap.length) {
        heap = Arrays.copyOf(heap, Math.max(8, 2 * size));
      }
      put(size++, transaction);
    }
    siftDown(transaction);
    siftUp(transaction);
  }

  /** Removes a transaction that has ended or whose deadline has come. */
  void remove(Transaction transaction) {
    int at = transaction.deadlinePlace;
    if (at < 0) {
      return;
    }
    transaction.deadlinePlace = -1;
    Transaction last = at(--size);
    if (last != transaction) {
      put(at, last);
      siftDown(last);
      siftUp(last);
    }
  }

  /** Returns the transaction whose deadline comes first; null when there is none. */
  Transaction first() {
    return size == 0 ? null : at(0);
  }

  int size() {
    return size;
  }

  private Transaction at(int place) {
    return pool.bySlot(heap[place]);
  }

  private void put(int place, Transaction transaction) {
    heap[place] = transaction.slot;
    transaction.deadlinePlace = place;
  }

  private void siftUp(Transaction transaction) {
    int at = transaction.deadlinePlace;
    while (at > 0 && transaction.deadlineNs < at((at - 1) >> 1).deadlineNs) {
      put(at, at((at - 1) >> 1));
      at = (at - 1) >> 1;
    }
    put(at, transaction);
  }

  private void siftDown(Transaction transaction) {
    int at = transaction.deadlinePlace;
    for (int child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && at(child + 1).deadlineNs < at(child).deadlineNs) {
        child++;
      }
      if (transaction.deadlineNs <= at(child).deadlineNs) {
        break;
      }
      put(at, at(child));
      at = child;
    }
    put(at, transaction);
  }
}
