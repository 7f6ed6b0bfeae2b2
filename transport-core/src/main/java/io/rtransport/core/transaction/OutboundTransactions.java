package io.rtransport.core.transaction;

import io.rtransport.core.stats.Limits;
import io.rtransport.core.transaction.Transaction.Stage;
import java.util.Arrays;

/**
 * Transactions that this side began, by RSN: a ring from the lowest RSN that was not handed up to
 * the next RSN. Decides which end is handed up next, and how many more transactions may begin.
 *
 * <p>When every byte of an unsolicited push is in a packet, only its tag is still needed. So the
 * push is <b>compacted</b> to its tag. A window full of small messages then costs 12 bytes each
 * instead of a record each. The few records in use stay in the processor's nearest cache. A
 * compacted push that fails is restored.
 *
 * <p>On an ordered connection ends are handed up from the front. On an unordered one they are
 * handed up as they come. An RSN that is handed up above an open one leaves a mark, until the front
 * has passed it. The ring spans at most {@link #SPAN_MAX} places. No transaction begins while the
 * marks form {@link Limits#ENDED_RANGES_MAX} ranges or more.
 */
final class OutboundTransactions {
  private static final int FIRST_CAPACITY = 16;
  private static final int COMPACTED = -1;
  private static final int COMPACTED_COMPLETED = -2;
  private static final int COMPACTED_ABANDONED = -3;
  private static final int HANDED_UP = -4;

  /**
   * Half of the peer's RSN span. When the lowest RSN ended in error, the peer's base lags until
   * COMPLETE_IN_ERROR is acknowledged. Our front may then be far ahead of the peer's base; half the
   * span keeps us inside.
   */
  private static final int SPAN_MAX = Limits.RSN_SPAN_MAX >> 1;

  /**
   * Capacity above which a ring that is mostly empty is made smaller. A long-lived pull may have
   * stretched it.
   */
  private static final int CAPACITY_KEPT = 2 * Limits.OUTSTANDING_MAX;

  private final TransactionPool pool;
  private final boolean isOrdered;
  private final int outstandingMax;
  private int[] slots = new int[FIRST_CAPACITY];
  private long[] tags = new long[FIRST_CAPACITY];
  private int first;
  private int next;
  private int openCount;
  private int handedUpRanges;

  /** Unordered only: RSNs that have ended and were not handed up, in the order of their ends. */
  private int[] ended = {};

  private int endedHead;
  private int endedTail;

  OutboundTransactions(TransactionPool pool, int firstRsn, boolean isOrdered, int outstandingMax) {
    this.pool = pool;
    this.isOrdered = isOrdered;
    this.outstandingMax = outstandingMax;
    first = firstRsn;
    next = firstRsn;
  }

  /** Returns the lowest RSN that was not handed up; if there is none, the next RSN. */
  int first() {
    return first;
  }

  /** Returns the RSN that the next transaction gets. */
  int next() {
    return next;
  }

  /** Returns how many transactions were not handed up. */
  int openCount() {
    return openCount;
  }

  /**
   * Returns how many more transactions may begin.
   *
   * @param lowestUnsettled the lowest RSN that may be open at either side
   * @param givenUpCount RSNs that were handed up and whose end the peer may not know
   */
  int room(int lowestUnsettled, int givenUpCount) {
    if (isOrdered) {
      return outstandingMax - (next - lowestUnsettled);
    }
    if (handedUpRanges >= Limits.ENDED_RANGES_MAX) {
      return 0;
    }
    return Math.min(outstandingMax - openCount - givenUpCount, SPAN_MAX - (next - lowestUnsettled));
  }

  private int at(int rsn) {
    return rsn & (slots.length - 1);
  }

  private boolean contains(int rsn) {
    return Integer.compareUnsigned(rsn - first, next - first) < 0;
  }

  /** Adds a transaction, which gets the next RSN. */
  void add(Transaction transaction) {
    transaction.number(next);
    int at = nextPlace(); // may resize the ring
    slots[at] = transaction.slot();
  }

  /**
   * Adds a push whose last byte is already in a packet: it is {@link #compact compacted} from the
   * start.
   */
  void addCompacted(long tag) {
    int at = nextPlace();
    tags[at] = tag;
    slots[at] = COMPACTED;
  }

  private int nextPlace() {
    if (next - first == slots.length) {
      resize(2 * slots.length);
    }
    openCount++;
    return at(next++);
  }

  private void resize(int capacity) {
    int[] oldSlots = slots;
    long[] oldTags = tags;
    slots = new int[capacity];
    tags = new long[capacity];
    for (int rsn = first; rsn != next; rsn++) {
      int old = rsn & (oldSlots.length - 1);
      slots[at(rsn)] = oldSlots[old];
      tags[at(rsn)] = oldTags[old];
    }
  }

  /** Returns the transaction; null when it is not in the ring, is compacted, or was handed up. */
  Transaction find(int rsn) {
    if (!contains(rsn)) {
      return null;
    }
    int slot = slots[at(rsn)];
    return slot < 0 ? null : pool.bySlot(slot);
  }

  /** Returns whether the end of {@code rsn} was handed up. */
  boolean isHandedUp(int rsn) {
    return rsn - first < 0 || (contains(rsn) && slots[at(rsn)] == HANDED_UP);
  }

  /**
   * Reduces an unsolicited push to its tag, once its last byte is in a packet. The record goes back
   * to the pool.
   */
  void compact(Transaction transaction) {
    int at = at(transaction.rsn());
    tags[at] = transaction.tag();
    slots[at] = COMPACTED;
    pool.release(transaction);
  }

  boolean isCompacted(int rsn) {
    return contains(rsn) && slots[at(rsn)] < 0 && slots[at(rsn)] != HANDED_UP;
  }

  /**
   * Returns whether the end that is due is that of a compacted push that has completed. This is so
   * for almost every small push.
   */
  boolean isCompletedDue() {
    if (isOrdered) {
      return openCount != 0 && slots[at(first)] == COMPACTED_COMPLETED;
    }
    return endedHead < endedTail && slots[at(ended[endedHead])] == COMPACTED_COMPLETED;
  }

  /** Removes that push and returns its tag. */
  long removeCompletedDue() {
    long tag = tagOfDue();
    removeDue();
    return tag;
  }

  /** Returns the tag of the compacted push that is due. */
  long tagOfDue() {
    return tags[at(due())];
  }

  /** Returns whether {@code rsn} was compacted and has completed. */
  boolean isCompactedAndCompleted(int rsn) {
    return contains(rsn) && slots[at(rsn)] == COMPACTED_COMPLETED;
  }

  /** Completes a compacted push. Does nothing if it is complete already. */
  void completeCompacted(int rsn) {
    int at = at(rsn);
    if (slots[at] == COMPACTED) {
      slots[at] = COMPACTED_COMPLETED;
      onEnded(rsn);
    }
  }

  /**
   * Ends a compacted push, because the connection ended before it.
   *
   * @return false when {@code rsn} is not a compacted push, or has completed
   */
  boolean abandonCompacted(int rsn) {
    if (slots[at(rsn)] != COMPACTED) {
      return false;
    }
    slots[at(rsn)] = COMPACTED_ABANDONED;
    onEnded(rsn);
    return true;
  }

  /** Turns a compacted push that has not completed back into a transaction in stage SENT. */
  Transaction restore(int rsn) {
    Transaction transaction = pool.acquire();
    transaction.restore(rsn, tags[at(rsn)]);
    slots[at(rsn)] = transaction.slot();
    return transaction;
  }

  /** Returns the tag of a compacted push. */
  long compactedTag(int rsn) {
    return tags[at(rsn)];
  }

  /** Notes that the end of {@code rsn} is known. Called once for each. */
  void onEnded(int rsn) {
    if (isOrdered) {
      return; // isDue reads it from the stage at its turn
    }
    if (endedTail == ended.length) {
      int count = endedTail - endedHead;
      int capacity = count <= ended.length >> 1 ? ended.length : 2 * count;
      ended = Arrays.copyOf(Arrays.copyOfRange(ended, endedHead, endedTail), Math.max(8, capacity));
      endedHead = 0;
      endedTail = count;
    }
    ended[endedTail++] = rsn;
  }

  /** Returns whether an end has to be handed up: that of {@link #due}. */
  boolean isDue() {
    if (!isOrdered) {
      return endedHead < endedTail;
    }
    if (openCount == 0) {
      return false;
    }
    int slot = slots[at(first)];
    return slot < 0 ? slot != COMPACTED : pool.bySlot(slot).stage() == Stage.ENDED;
  }

  int due() {
    return isOrdered ? first : ended[endedHead];
  }

  /** Removes the RSN that was {@link #due}: it is handed up. */
  void removeDue() {
    int rsn = due();
    openCount--;
    if (!isOrdered && ++endedHead == endedTail) {
      endedHead = 0;
      endedTail = 0;
    }
    if (rsn == first) {
      removeFirst();
    } else {
      boolean joinsBefore = slots[at(rsn - 1)] == HANDED_UP;
      boolean joinsAfter = rsn + 1 != next && slots[at(rsn + 1)] == HANDED_UP;
      handedUpRanges += 1 - (joinsBefore ? 1 : 0) - (joinsAfter ? 1 : 0);
      slots[at(rsn)] = HANDED_UP;
    }
  }

  private void removeFirst() {
    first++;
    // Rarely needed. In a method of its own, so that this method is inlined.
    if (handedUpRanges > 0 || slots.length > CAPACITY_KEPT) {
      settleFirst();
    }
  }

  private void settleFirst() {
    if (first != next && slots[at(first)] == HANDED_UP) {
      handedUpRanges--;
      do {
        first++;
      } while (first != next && slots[at(first)] == HANDED_UP);
    }
    if (slots.length > CAPACITY_KEPT && next - first <= slots.length >> 3) {
      resize(slots.length >> 1);
    }
  }
}
