package io.rtransport.core.solicitation;

import io.rtransport.core.cam.ContentAddressableMemory;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.TransactionPool;
import org.agrona.collections.Long2LongHashMap;

/**
 * A connection's view of CAM b (patent, Figures 7 to 12): key (CID, space, SSN or RSN) → slot of
 * the transaction. A number that arrives at its turn needs no entry (docs/reference/departures.md).
 * One that arrives before its turn is registered here. When the turn moves on, the next number is
 * looked up. So a connection that loses nothing never uses the table.
 *
 * <p>Own transactions that wait for their end's turn (Figures 9 and 10) need no entry here. They
 * stand in the table of own transactions, which matches the RSN exactly.
 *
 * <p>The loop's connections share the table, and it may be full. One connection has no more entries
 * in it than a quarter of its rows. Numbers inside a window are never refused for lack of memory.
 * So a number without a place there goes into a small map of the connection, which its RSN window
 * bounds.
 */
final class ReorderEngine {
  /** Own solicited pushes that were granted or ended before their SSN's turn (Figure 8B). */
  static final int OWN_SSN = 0;

  /** The peer's solicited requests that came before their SSN's turn (Figure 11). */
  static final int PEER_SSN = 1;

  /** The peer's transactions that were whole before their RSN's turn (Figure 12). */
  static final int PEER_RSN = 2;

  private static final int SPACES = 3;

  private final int cid;
  private final ContentAddressableMemory table;
  private final TransactionPool transactions;
  private final int[] counts = new int[SPACES];

  /** Number of entries in the shared table. */
  private int sharedCount;

  private Long2LongHashMap overflow;

  ReorderEngine(int cid, ContentAddressableMemory table, TransactionPool transactions) {
    this.cid = cid;
    this.table = table;
    this.transactions = transactions;
  }

  /** Returns the number of entries in a space. */
  int count(int space) {
    return counts[space];
  }

  /** Registers a transaction that came before its turn. */
  void register(int space, int sequence, Transaction transaction) {
    transaction.register(space);
    counts[space]++;
    if (sharedCount < table.rowsMax() >> 2
        && table.insert(cid, space, sequence, transaction.slot())) {
      sharedCount++;
    } else {
      if (overflow == null) {
        overflow = new Long2LongHashMap(-1);
      }
      overflow.put(key(space, sequence), transaction.slot());
    }
  }

  /** Returns the transaction registered under {@code sequence}, or null. It stays registered. */
  Transaction find(int space, int sequence) {
    if (counts[space] == 0) {
      return null;
    }
    int slot = table.lookup(cid, space, sequence);
    if (slot < 0 && overflow != null) {
      slot = (int) overflow.get(key(space, sequence));
    }
    return slot < 0 ? null : transactions.bySlot(slot);
  }

  /**
   * Removes and returns the transaction registered under {@code sequence}, whose turn it is; null
   * if there is none.
   */
  Transaction take(int space, int sequence) {
    Transaction transaction = find(space, sequence);
    if (transaction != null) {
      remove(space, sequence, transaction);
    }
    return transaction;
  }

  boolean isRegistered(int space, Transaction transaction) {
    return transaction.isRegistered(space);
  }

  /** Removes every entry of a transaction that is about to end with its connection. */
  void forget(Transaction transaction) {
    for (int space = 0; transaction.isRegistered(); space++) {
      if (isRegistered(space, transaction)) {
        boolean isBySsn = space == OWN_SSN || space == PEER_SSN;
        remove(space, isBySsn ? transaction.ssn() : transaction.rsn(), transaction);
      }
    }
  }

  private void remove(int space, int sequence, Transaction transaction) {
    transaction.unregister(space);
    counts[space]--;
    if (table.remove(cid, space, sequence) >= 0) {
      sharedCount--;
    } else {
      overflow.remove(key(space, sequence));
    }
  }

  private long key(int space, int sequence) {
    return (long) space << 32 | (transactions.scrambled(sequence) & 0xFFFF_FFFFL);
  }
}
