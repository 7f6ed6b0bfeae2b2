package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.TransactionHeap;
import io.rtransport.core.transaction.TransactionPool;
import io.rtransport.core.transaction.TransactionQueue;

/**
 * Decides which of several messages is served next, with a grant or with room in a packet.
 *
 * <p>On an ordered connection the oldest message is served. On an unordered one the message with
 * the least left to serve is served, so that a short message does not wait for a long one. But an
 * eighth of the service goes to the oldest message: otherwise an endless series of short ones would
 * starve a long one.
 *
 * <p>The eighth is kept as a debt to the oldest message. Service to others increases the debt. When
 * seven turns are owed, the oldest is served, which pays back seven turns for one. While the oldest
 * is also the shortest, nothing is owed.
 *
 * <p>The class holds a queue and, without order, a heap of the same transactions. The RSN window
 * bounds both. They allocate nothing after the busiest moment. A transaction stands in at most one
 * ServingOrder.
 */
final class ServingOrder {
  /** One turn of this many goes to the oldest message. */
  private static final int TURNS = 8;

  private final boolean isOrdered;
  private final long turnUnits;
  private final TransactionQueue queue;
  private final TransactionHeap heap;
  private long owedUnits;

  /**
   * @param link link of {@link Transaction} that this order may use
   * @param turnUnits length of a turn, in the units of {@link #onServed}
   */
  ServingOrder(TransactionPool pool, int link, boolean isOrdered, long turnUnits) {
    this.isOrdered = isOrdered;
    this.turnUnits = turnUnits;
    queue = new TransactionQueue(pool, link);
    heap = new TransactionHeap(pool, Transaction.SERVING);
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  int size() {
    return queue.size();
  }

  boolean contains(Transaction transaction) {
    return queue.contains(transaction);
  }

  /** Returns how much is left of a message that is in this order. Without order only. */
  long remainingBytes(Transaction transaction) {
    return heap.key(transaction);
  }

  /** Returns the oldest message, or null. */
  Transaction first() {
    return queue.peek();
  }

  /** Returns the message to be served next, or null. */
  Transaction next() {
    Transaction first = queue.peek();
    if (isOrdered || first == null || owedUnits >= (TURNS - 1) * turnUnits) {
      return first;
    }
    return heap.first();
  }

  /** Adds a message that is not in this order. {@code remainingBytes} of it are to be served. */
  void add(Transaction transaction, long remainingBytes) {
    queue.addLast(transaction);
    onRemaining(transaction, remainingBytes);
  }

  /** Removes a message. Returns false when it was not in this order. */
  boolean remove(Transaction transaction) {
    if (!queue.remove(transaction)) {
      return false;
    }
    if (!isOrdered) {
      heap.remove(transaction);
    }
    return true;
  }

  /**
   * Notes that a message was served in its turn with {@code units}, and that {@code remainingBytes}
   * of it are left.
   */
  void onServed(Transaction transaction, long units, long remainingBytes) {
    if (isOrdered) {
      return;
    }
    Transaction first = queue.peek();
    if (first != transaction) {
      owedUnits += units;
    } else if (heap.first() != transaction) {
      owedUnits -= (TURNS - 1) * units;
    }
    onRemaining(transaction, remainingBytes);
  }

  /** Notes that less is left of a message. */
  void onRemaining(Transaction transaction, long remainingBytes) {
    assert contains(transaction) : transaction + " is not in this order";
    if (!isOrdered) {
      heap.set(transaction, remainingBytes);
    }
  }
}
