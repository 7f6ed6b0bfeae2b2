package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.TransactionPool;
import io.rtransport.core.transaction.TransactionQueue;
import java.util.Arrays;

/**
 * Decides which of several messages is served next, be it with a grant or with room in a packet. On
 * an ordered connection that is the one that came first. On an unordered one it is the one with the
 * least left to serve, so that a short message does not wait for a long one; but an eighth of what
 * is served goes to the one that came first, or short ones without end would starve a long one.
 *
 * <p>The eighth is kept as a debt: what others were served is owed to the first, and it is served
 * when seven turns are owed, which pays back seven for one. While the first is also the shortest
 * nothing is owed.
 *
 * <p>A queue threaded through one of the transactions' links and a heap of their slots: bounded by
 * the RSN window, without allocation once it has seen its busiest moment. A transaction stands in
 * at most one of these.
 */
final class ServingOrder {
  /** Of so many turns one goes to the first. */
  private static final int TURNS = 8;

  private final TransactionPool pool;
  private final boolean isOrdered;
  private final long turnUnits;
  private final TransactionQueue queue;
  private int[] heap = {};
  private long owedUnits;

  /**
   * @param link of {@link Transaction} that it may use
   * @param turnUnits what makes a turn, in whatever {@link #onServed} counts
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

  /** The one that came first, or null. */
  Transaction first() {
    return queue.peek();
  }

  /** The one to be served next, or null. */
  Transaction next() {
    Transaction first = queue.peek();
    if (isOrdered || first == null || owedUnits >= (TURNS - 1) * turnUnits) {
      return first;
    }
    return at(0);
  }

  /** Adds one that does not stand here, of which {@code remainingBytes} are to be served. */
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

  /** Takes it out. False when it did not stand here. */
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

  /** It was served, in its turn, with {@code units}, and {@code remainingBytes} are left of it. */
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

  /** Less is left of it. */
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
