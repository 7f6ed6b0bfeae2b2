package io.rtransport.core.transaction;

import java.util.Arrays;

/**
 * The transactions of all connections of one event loop. Taken and given back without allocation
 * once the loop has seen its busiest moment; how many a connection may have is bounded by its RSN
 * windows.
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
   * Another number for each RSN, which nobody can foretell who has not the loop's secret: under it
   * a peer's RSN goes into a hash table, for the peer chooses its RSNs, and would choose such as
   * meet in one place.
   */
  public int scrambled(int rsn) {
    int x = (rsn ^ addend) * factor;
    x = (x ^ x >>> 16) * 0x85EB_CA6B;
    x = (x ^ x >>> 13) * 0xC2B2_AE35;
    return x ^ x >>> 16;
  }

  /** A transaction in stage FREE. */
  public Transaction acquire() {
    Transaction transaction;
    if (free == NONE) {
      if (created == bySlot.length) {
        bySlot = Arrays.copyOf(bySlot, 2 * created);
      }
      transaction = new Transaction(created);
      transaction.reset();
      bySlot[created++] = transaction;
    } else {
      transaction = bySlot[free];
      free = transaction.next[0];
      transaction.next[0] = NONE;
    }
    inUse++;
    return transaction;
  }

  public void release(Transaction transaction) {
    assert transaction.stage() != Transaction.Stage.FREE : "given back twice";
    assert transaction.source == null : "the source of " + transaction + " was not released";
    assert transaction.held == null : "held bytes of " + transaction + " were not given back";
    assert transaction.reservedBytes == 0
        : transaction + " still holds " + transaction.reservedBytes + " B of budget";
    assert transaction.registeredSpaces == 0 : transaction + " still stands in the reorder engine";
    assert transaction.servingPlace < 0 : transaction + " is still to be served";
    assert transaction.deadlinePlace < 0 : transaction + " still has a deadline";
    for (int link = 0; link < Transaction.LINKS; link++) {
      assert transaction.queueId[link] == 0
          : transaction + " still stands in a queue of link " + link;
    }
    transaction.reset();
    transaction.next[0] = free;
    free = transaction.slot;
    inUse--;
  }

  /** A number, not 0, that no other queue of this pool has had for the last 4 thousand million. */
  int nextQueueId() {
    queueIds = queueIds == NONE ? 1 : queueIds + 1;
    return queueIds;
  }

  /** The transaction in {@code slot}. */
  public Transaction bySlot(int slot) {
    return bySlot[slot];
  }

  /** Transactions acquired and not released. */
  public int inUse() {
    return inUse;
  }
}
