package io.rtransport.core.transaction;

import java.util.function.Consumer;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * RSN → transaction of one direction of one connection. RSNs come in order and leave roughly in order, so a ring indexed by their low
 * bits finds almost every one with one comparison and no hashing. Two RSNs that meet in one place make the ring grow if it is well
 * filled, else the later goes into a small map; so memory follows the transactions that exist, never a number on the wire.
 */
public final class TransactionTable {
  private static final int FIRST_CAPACITY = 16;

  private final int capacityMax;
  private final Int2ObjectHashMap<Transaction> strays = new Int2ObjectHashMap<>();
  private Transaction[] ring = new Transaction[FIRST_CAPACITY];
  private int size;

  /**
   * @param outstandingMax transactions that are expected at the most; the ring grows no further
   */
  public TransactionTable(int outstandingMax) {
    capacityMax = Math.max(FIRST_CAPACITY, Integer.highestOneBit(2 * outstandingMax - 1));
  }

  public int size() {
    return size;
  }

  /** The transaction, or null. */
  public Transaction find(int rsn) {
    Transaction transaction = ring[rsn & (ring.length - 1)];
    if (transaction != null && transaction.rsn == rsn) {
      return transaction;
    }
    return strays.isEmpty() ? null : strays.get(rsn);
  }

  /** Adds a transaction whose RSN is not in the table. */
  public void add(Transaction transaction) {
    assert find(transaction.rsn) == null : "RSN " + transaction.rsn + " twice";
    size++;
    int at = transaction.rsn & (ring.length - 1);
    while (ring[at] != null && ring.length < capacityMax && size > ring.length >> 2) {
      grow();
      at = transaction.rsn & (ring.length - 1);
    }
    if (ring[at] == null) {
      ring[at] = transaction;
    } else {
      strays.put(transaction.rsn, transaction);
    }
  }

  private void grow() {
    Transaction[] old = ring;
    ring = new Transaction[2 * old.length];
    for (Transaction transaction : old) {
      if (transaction != null) {
        // Two that differed in their low bits still do, so none meets another here.
        ring[transaction.rsn & (ring.length - 1)] = transaction;
      }
    }
  }

  public void remove(Transaction transaction) {
    int at = transaction.rsn & (ring.length - 1);
    if (ring[at] == transaction) {
      ring[at] = null;
    } else {
      Transaction removed = strays.remove(transaction.rsn);
      assert removed == transaction : "RSN " + transaction.rsn + " was not in the table";
    }
    size--;
  }

  /** Visits all, in no order; the visitor may remove the one that it is shown. */
  public void forEach(Consumer<Transaction> visitor) {
    for (Transaction transaction : ring) {
      if (transaction != null) {
        visitor.accept(transaction);
      }
    }
    if (!strays.isEmpty()) {
      for (Transaction transaction : strays.values().toArray(new Transaction[0])) {
        visitor.accept(transaction);
      }
    }
  }
}
