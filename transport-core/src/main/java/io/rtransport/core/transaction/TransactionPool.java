package io.rtransport.core.transaction;

import java.util.Arrays;

/**
 * Pool of the transactions of all connections of one event loop. It allocates only until the loop
 * has seen its busiest moment. RSN windows bound how many a connection may have.
 */
public final class TransactionPool {
  private static final int FIRST_CAPACITY = 64;
  private static final int NONE = -1;

  private final int addend;
  private final int factor;
  private Transaction[] bySlot = new Transaction[FIRST_CAPACITY];
  private int free = NONE;
  private int created;
  private int inUse;
  private int queueIds;

  /**
   * @param hashSeed key of {@link #scrambled}, which strangers must not guess
   */
  public TransactionPool(long hashSeed) {
    addend = (int) (hashSeed >>> 32);
    factor = (int) hashSeed | 1;
  }

  /**
   * Returns another number for each RSN, which nobody without the loop's secret can predict. A
   * peer's RSN goes into a hash table under this number. Otherwise the peer could choose RSNs that
   * collide.
   */
  public int scrambled(int rsn) {
    int x = (rsn ^ addend) * factor;
    x = (x ^ x >>> 16) * 0x85EB_CA6B;
    x = (x ^ x >>> 13) * 0xC2B2_AE35;
    return x ^ x >>> 16;
  }

  /** Takes a transaction in stage FREE. */
  public Transaction acquire() {
    Transaction transaction;
    if (free == NONE) {
      if (created == bySlot.length) {
        bySlot = Arrays.copyOf(bySlot, 2 * created);
      }
      transaction = new Transaction(created);
      bySlot[created++] = transaction;
    } else {
      transaction = bySlot[free];
      free = transaction.next(0);
      transaction.next(0, NONE);
    }
    inUse++;
    return transaction;
  }

  public void release(Transaction transaction) {
    transaction.free();
    transaction.next(0, free);
    free = transaction.slot();
    inUse--;
  }

  /**
   * Returns a queue number, not 0. No other queue of this pool has had it for the last 4 thousand
   * million calls.
   */
  int nextQueueId() {
    queueIds = queueIds == NONE ? 1 : queueIds + 1;
    return queueIds;
  }

  /** Returns the transaction in {@code slot}. */
  public Transaction bySlot(int slot) {
    return bySlot[slot];
  }

  /** Returns the number of transactions that were acquired and not released. */
  public int inUse() {
    return inUse;
  }
}
