package io.rtransport.core.transaction;

import java.util.Arrays;
import java.util.function.Consumer;
import org.agrona.collections.Int2IntHashMap;

/**
 * Table from RSN to transaction, for one direction of one connection. RSNs come in order and leave
 * roughly in order. So a ring, indexed by their low bits, finds almost every RSN with one
 * comparison and no hashing.
 *
 * <p>A small push that waits for nothing but the application's answer stands here in short form
 * ({@link DeliveredPushes}). It becomes a transaction when somebody asks for it.
 *
 * <p>When two RSNs fall on one place, the ring grows if it is well filled. Otherwise the later RSN
 * goes into a small map, keyed by {@link TransactionPool#scrambled}. So memory follows the number
 * of transactions that exist, never a number on the wire.
 */
public final class TransactionTable {
  private static final int FIRST_CAPACITY = 16;
  private static final int NONE = -1;

  private final int capacityMax;
  private final TransactionPool pool;
  private final Int2IntHashMap strays = new Int2IntHashMap(NONE);
  private final DeliveredPushes delivered;
  private int[] ring = emptyRing(FIRST_CAPACITY);
  private int size;

  /**
   * @param pool pool of its transactions; the table holds their slots
   * @param outstandingMax largest expected number of transactions; the ring does not grow beyond it
   */
  public TransactionTable(TransactionPool pool, int outstandingMax) {
    this.pool = pool;
    capacityMax = Math.max(FIRST_CAPACITY, Integer.highestOneBit(2 * outstandingMax - 1));
    delivered = new DeliveredPushes(capacityMax);
  }

  /** Returns how many there are, in either form. */
  public int size() {
    return size + delivered.size();
  }

  private static int[] emptyRing(int capacity) {
    int[] ring = new int[capacity];
    Arrays.fill(ring, NONE);
    return ring;
  }

  /** Returns the transaction, or null. */
  public Transaction find(int rsn) {
    int slot = ring[rsn & (ring.length - 1)];
    if (slot != NONE) {
      Transaction transaction = pool.bySlot(slot);
      if (transaction.rsn() == rsn) {
        return transaction;
      }
    }
    return strays.isEmpty() && delivered.isEmpty() ? null : findElsewhere(rsn);
  }

  private Transaction findElsewhere(int rsn) {
    long push = delivered.find(rsn);
    if (push != DeliveredPushes.NONE) {
      return restore(push);
    }
    int stray = strays.isEmpty() ? NONE : strays.get(pool.scrambled(rsn));
    return stray == NONE ? null : pool.bySlot(stray);
  }

  /** Returns the pushes that stand here in short form. */
  DeliveredPushes delivered() {
    return delivered;
  }

  /** Turns a push into the delivered transaction that it stands for. */
  private Transaction restore(long push) {
    int rsn = DeliveredPushes.rsnOf(push);
    delivered.remove(rsn);
    Transaction transaction = pool.acquire();
    transaction.arrive(Transaction.Kind.PUSH, rsn, DeliveredPushes.lengthOf(push));
    add(transaction);
    transaction.passWhole(DeliveredPushes.heldBytesOf(push), DeliveredPushes.isUnawaited(push));
    return transaction;
  }

  /** Turns all pushes into transactions. */
  void restoreAll() {
    for (int place = 0; place < delivered.places() && !delivered.isEmpty(); place++) {
      long push = delivered.pushAt(place);
      if (push != DeliveredPushes.NONE) {
        restore(push);
      }
    }
  }

  /** Adds a transaction whose RSN is not in the table. */
  public void add(Transaction transaction) {
    assert find(transaction.rsn()) == null : transaction + " twice";
    size++;
    int at = transaction.rsn() & (ring.length - 1);
    while (ring[at] != NONE && ring.length < capacityMax && size > ring.length >> 2) {
      grow();
      at = transaction.rsn() & (ring.length - 1);
    }
    if (ring[at] == NONE) {
      ring[at] = transaction.slot();
    } else {
      strays.put(pool.scrambled(transaction.rsn()), transaction.slot());
    }
  }

  private void grow() {
    int[] old = ring;
    ring = emptyRing(2 * old.length);
    for (int slot : old) {
      if (slot != NONE) {
        // Two RSNs that differed in their low bits still do, so no two meet here.
        ring[pool.bySlot(slot).rsn() & (ring.length - 1)] = slot;
      }
    }
  }

  public void remove(Transaction transaction) {
    int at = transaction.rsn() & (ring.length - 1);
    if (ring[at] == transaction.slot()) {
      ring[at] = NONE;
    } else {
      int removed = strays.remove(pool.scrambled(transaction.rsn()));
      assert removed == transaction.slot() : transaction + " was not in the table";
    }
    size--;
  }

  /**
   * Visits all transactions, in no order, but not the pushes in short form. The visitor may remove
   * the transaction that it is shown.
   */
  public void forEach(Consumer<Transaction> visitor) {
    for (int slot : ring) {
      if (slot != NONE) {
        visitor.accept(pool.bySlot(slot));
      }
    }
    if (!strays.isEmpty()) {
      int[] slots = new int[strays.size()];
      int count = 0;
      for (Int2IntHashMap.EntryIterator i = strays.entrySet().iterator(); i.hasNext(); ) {
        i.next();
        slots[count++] = i.getIntValue();
      }
      for (int slot : slots) {
        visitor.accept(pool.bySlot(slot));
      }
    }
  }
}
