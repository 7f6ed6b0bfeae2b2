package io.rtransport.core.transaction;

import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Role;
import io.rtransport.core.transaction.Transaction.Stage;
import java.util.Arrays;

/**
 * The transactions that this side began, by RSN: a ring over those between the lowest not handed up and the next.
 *
 * <p>An unsolicited push of which every byte is in a packet has nothing left that anybody will ask for but its tag, so it is <b>shrunk</b>
 * to that: a window full of small messages then costs 12 bytes each, not a record each, and the records in use stay the few that
 * the processor has in its nearest cache. Should it fail after all, it is expanded again.
 */
final class OwnTransactions {
  private static final int FIRST_CAPACITY = 16;
  private static final int SHRUNK = -1;
  private static final int SHRUNK_COMPLETED = -2;

  private final TransactionPool pool;
  private int[] slots = new int[FIRST_CAPACITY];
  private long[] tags = new long[FIRST_CAPACITY];
  private int first;
  private int next;

  OwnTransactions(TransactionPool pool, int firstRsn) {
    this.pool = pool;
    first = firstRsn;
    next = firstRsn;
  }

  /** The lowest RSN that is in the ring, or would be next. */
  int first() {
    return first;
  }

  /** The RSN that the next transaction gets. */
  int next() {
    return next;
  }

  int size() {
    return next - first;
  }

  private int at(int rsn) {
    return rsn & (slots.length - 1);
  }

  private boolean contains(int rsn) {
    return Integer.compareUnsigned(rsn - first, next - first) < 0;
  }

  /** Adds a transaction, which gets the next RSN. */
  void add(Transaction transaction) {
    if (size() == slots.length) {
      grow();
    }
    transaction.rsn = next++;
    slots[at(transaction.rsn)] = transaction.slot;
  }

  private void grow() {
    int[] oldSlots = slots;
    long[] oldTags = tags;
    slots = Arrays.copyOf(oldSlots, 2 * oldSlots.length);
    tags = Arrays.copyOf(oldTags, 2 * oldTags.length);
    for (int rsn = first; rsn != next; rsn++) {
      int old = rsn & (oldSlots.length - 1);
      slots[at(rsn)] = oldSlots[old];
      tags[at(rsn)] = oldTags[old];
    }
  }

  /** The transaction; null when it is not in the ring, or shrunk. */
  Transaction find(int rsn) {
    if (!contains(rsn)) {
      return null;
    }
    int slot = slots[at(rsn)];
    return slot < 0 ? null : pool.bySlot(slot);
  }

  /** Reduces an unsolicited push that was packetised to its last byte to its tag; the record goes back to the pool. */
  void shrink(Transaction transaction) {
    int at = at(transaction.rsn);
    tags[at] = transaction.tag;
    slots[at] = SHRUNK;
    pool.release(transaction);
  }

  boolean isShrunk(int rsn) {
    return contains(rsn) && slots[at(rsn)] < 0;
  }

  /** Whether {@code rsn} was shrunk, and has completed. */
  boolean isShrunkCompleted(int rsn) {
    return contains(rsn) && slots[at(rsn)] == SHRUNK_COMPLETED;
  }

  /** A shrunk push has succeeded; also if that is known already. */
  void completeShrunk(int rsn) {
    slots[at(rsn)] = SHRUNK_COMPLETED;
  }

  /** Makes a shrunk push that has not completed a transaction in stage SENT again. */
  Transaction expand(int rsn) {
    Transaction transaction = pool.acquire();
    transaction.role(Role.OWN);
    transaction.kind(Kind.PUSH);
    transaction.stage(Stage.SENT);
    transaction.rsn = rsn;
    transaction.tag = tags[at(rsn)];
    slots[at(rsn)] = transaction.slot;
    return transaction;
  }

  /** The tag of a shrunk push. */
  long shrunkTag(int rsn) {
    return tags[at(rsn)];
  }

  /** Takes the first out: it is handed up. */
  void removeFirst() {
    first++;
  }
}
