package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.TransactionPool;
import io.rtransport.core.transaction.TransactionQueue;
import java.util.Arrays;

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
 * <p>The class holds a queue, threaded through one of the transactions' links, and a heap of their
 * slots. The RSN window bounds both. They allocate nothing after the busiest moment. A transaction
 * stands in at most one ServingOrder.
 */
final class ServingOrder {
  /** One turn of this many goes to the oldest message. */
  private static final int TURNS = 8;

  private final TransactionPool pool;
  private final boolean isOrdered;
  private final long turnUnits;
  private final TransactionQueue queue;
  private int[] heap = {};
  private long owedUnits;

  /**
   * @param link link of {@link Transaction} that this order may use
   * @param turnUnits length of a turn, in the units of {@link #onServed}
   */
  ServingOrder(TransactionPool pool, int link, boolean isOrdered, long turnUnits) {
    this.pool = pool;
    this.isOrdered = isOrdered;
    this.turnUnits = turnUnits;
    queue = new TransactionQueue(pool, link);
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
    return at(0);
  }

  /** Adds a message that is not in this order. {@code remainingBytes} of it are to be served. */
  void add(Transaction transaction, long remainingBytes) {
    queue.addLast(transaction);
    if (isOrdered) {
      return;
    }
    assert transaction.servingPlace < 0 : transaction + " is served elsewhere";
    if (queue.size() > heap.length) {
      heap = Arrays.copyOf(heap, Math.max(8, 2 * heap.length));
    }
    transaction.servingBytes = remainingBytes;
    put(queue.size() - 1, transaction);
    siftUp(transaction);
  }

  /** Removes a message. Returns false when it was not in this order. */
  boolean remove(Transaction transaction) {
    if (!queue.remove(transaction)) {
      return false;
    }
    if (!isOrdered) {
      int at = transaction.servingPlace;
      transaction.servingPlace = -1;
      Transaction last = at(queue.size());
      if (last != transaction) {
        put(at, last);
        siftDown(last);
        siftUp(last);
      }
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
    } else if (at(0) != transaction) {
      owedUnits -= (TURNS - 1) * units;
    }
    onRemaining(transaction, remainingBytes);
  }

  /** Notes that less is left of a message. */
  void onRemaining(Transaction transaction, long remainingBytes) {
    if (!isOrdered) {
      transaction.servingBytes = remainingBytes;
      siftUp(transaction);
    }
  }

  private Transaction at(int place) {
    return pool.bySlot(heap[place]);
  }

  private void put(int place, Transaction transaction) {
    heap[place] = transaction.slot;
    transaction.servingPlace = place;
  }

  private void siftUp(Transaction transaction) {
    int at = transaction.servingPlace;
    while (at > 0 && transaction.servingBytes < at((at - 1) >> 1).servingBytes) {
      put(at, at((at - 1) >> 1));
      at = (at - 1) >> 1;
    }
    put(at, transaction);
  }

  private void siftDown(Transaction transaction) {
    int at = transaction.servingPlace;
    for (int child = 2 * at + 1; child < queue.size(); child = 2 * at + 1) {
      if (child + 1 < queue.size() && at(child + 1).servingBytes < at(child).servingBytes) {
        child++;
      }
      if (transaction.servingBytes <= at(child).servingBytes) {
        break;
      }
      put(at, at(child));
      at = child;
    }
    put(at, transaction);
  }
}
