package io.rtransport.core.transaction;

import io.rtransport.core.stats.Limits;
import io.rtransport.core.transaction.Transaction.Stage;
import java.util.Arrays;

/**
 * The transactions that this side began, by RSN: a ring over those between the lowest not handed up
 * and the next. Decides which end is handed up next, and how many more may begin.
 *
 * <p>An unsolicited push of which every byte is in a packet has nothing left that anybody will ask
 * for but its tag, so it is <b>compacted</b> to that: a window full of small messages then costs 12
 * bytes each, not a record each, and the records in use stay the few that the processor has in its
 * nearest cache. Should it fail after all, it is restored.
 *
 * <p>On an ordered connection ends are handed up from the front. On an unordered one they are as
 * they come, and what was handed up above an open one stays behind as a mark until the front has
 * passed it. So the ring spans at most {@link #SPAN_MAX} places, and none begins while the marks
 * are {@link Limits#ENDED_RANGES_MAX} ranges or more.
 */
final class OutboundTransactions {
  private static final int FIRST_CAPACITY = 16;
  private static final int COMPACTED = -1;
  private static final int COMPACTED_COMPLETED = -2;
  private static final int COMPACTED_ABANDONED = -3;
  private static final int HANDED_UP = -4;

  /**
   * Half of what the peer bears: where the lowest ended in error its own front waits for the
   * acknowledgement of that, and ours, which may then be far ahead of it, must not pass its span.
   */
  private static final int SPAN_MAX = Limits.RSN_SPAN_MAX >> 1;

  /**
   * A ring larger than this that is empty for the most part is given back: a long poll may have
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

  /** Unordered: RSNs that have ended and were not handed up, in the order of their ends. */
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

  /** The lowest RSN that was not handed up, or would be next. */
  int first() {
    return first;
  }

  /** The RSN that the next transaction gets. */
  int next() {
    return next;
  }

  /** Those that were not handed up. */
  int openCount() {
    return openCount;
  }

  /**
   * How many more may begin.
   *
   * @param lowestUnsettled the lowest RSN that may be open at either side
   * @param givenUpCount RSNs handed up of whose end the peer may not know
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
    transaction.rsn = next;
    int at = nextPlace(); // which may make the ring anew
    slots[at] = transaction.slot;
  }

  /**
   * Adds a push that is in a packet to its last byte already: {@link #compact compacted} from the
   * first.
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

  /** The transaction; null when it is not in the ring, compacted, or handed up. */
  Transaction find(int rsn) {
    if (!contains(rsn)) {
      return null;
    }
    int slot = slots[at(rsn)];
    return slot < 0 ? null : pool.bySlot(slot);
  }

  /** Whether {@code rsn} is one whose end was handed up. */
  boolean isHandedUp(int rsn) {
    return rsn - first < 0 || (contains(rsn) && slots[at(rsn)] == HANDED_UP);
  }

  /**
   * Reduces an unsolicited push that was packetised to its last byte to its tag; the record goes
   * back to the pool.
   */
  void compact(Transaction transaction) {
    int at = at(transaction.rsn);
    tags[at] = transaction.tag;
    slots[at] = COMPACTED;
    pool.release(transaction);
  }

  boolean isCompacted(int rsn) {
    return contains(rsn) && slots[at(rsn)] < 0 && slots[at(rsn)] != HANDED_UP;
  }

  /** Whether what is due is a compacted push that has completed: almost every small push. */
  boolean isCompletedDue() {
    if (isOrdered) {
      return openCount != 0 && slots[at(first)] == COMPACTED_COMPLETED;
    }
    return endedHead < endedTail && slots[at(ended[endedHead])] == COMPACTED_COMPLETED;
  }

  /** Takes out that one; its tag. */
  long removeCompletedDue() {
    long tag = tagOfDue();
    removeDue();
    return tag;
  }

  /** The tag of a compacted push that is due. */
  long tagOfDue() {
    return tags[at(due())];
  }

  /** Whether {@code rsn} was compacted, and has completed. */
  boolean isCompactedAndCompleted(int rsn) {
    return contains(rsn) && slots[at(rsn)] == COMPACTED_COMPLETED;
  }

  /** A compacted push has succeeded; also if that is known already. */
  void completeCompacted(int rsn) {
    int at = at(rsn);
    if (slots[at] == COMPACTED) {
      slots[at] = COMPACTED_COMPLETED;
      onEnded(rsn);
    }
  }

  /**
   * The connection ended before a compacted push did. False when {@code rsn} is none, or has
   * completed.
   */
  boolean abandonCompacted(int rsn) {
    if (slots[at(rsn)] != COMPACTED) {
      return false;
    }
    slots[at(rsn)] = COMPACTED_ABANDONED;
    onEnded(rsn);
    return true;
  }

  /** Makes a compacted push that has not completed a transaction in stage SENT again. */
  Transaction restore(int rsn) {
    Transaction transaction = pool.acquire();
    transaction.restore();
    transaction.rsn = rsn;
    transaction.tag = tags[at(rsn)];
    slots[at(rsn)] = transaction.slot;
    return transaction;
  }

  /** The tag of a compacted push. */
  long compactedTag(int rsn) {
    return tags[at(rsn)];
  }

  /** The end of {@code rsn} is known: once each. */
  void onEnded(int rsn) {
    if (isOrdered) {
      return; // its stage says so at its turn
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

  /** Whether an end is to be handed up: that of {@link #due}. */
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

  /** Takes out what was {@link #due}: it is handed up. */
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
    // Seldom, and in a method of its own, so that this one is inlined.
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
