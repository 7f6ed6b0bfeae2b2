package io.rtransport.core.transaction;

import java.util.Arrays;

/**
 * Where a transaction stands: its slot in {@link TransactionPool}, its neighbours in each {@link
 * TransactionQueue}, its place in each {@link TransactionHeap}, and its spaces of the reorder
 * engine. Only these write it, except that a transaction leaves its heaps; tables may hold a slot.
 *
 * <p>Places are numbers. A member of the pool is old, and every reference stored into an old object
 * runs the collector's barrier. That would cost more than everything else that a small message
 * needs.
 */
abstract class PoolMember {
  static final int NONE = -1;

  /** Links: a member stands in at most one queue of each. */
  static final int LINKS = 3;

  /** Heaps: a member stands in at most one heap of each kind. */
  static final int HEAPS = 2;

  // Three numbers for each link.
  private static final int NEXT = 0;
  private static final int PREVIOUS = 1;
  private static final int QUEUE = 2;
  private static final int WIDTH = 3;

  private final int slot;
  private final int[] links = new int[LINKS * WIDTH];
  private final int[] heapPlaces = new int[HEAPS];
  private final long[] heapKeys = new long[HEAPS];
  private int registeredSpaces;

  PoolMember(int slot) {
    this.slot = slot;
    for (int link = 0; link < LINKS; link++) {
      next(link, NONE);
      previous(link, NONE);
    }
    Arrays.fill(heapPlaces, NONE);
    forgetKeys();
  }

  /** Returns its place in the pool, by which tables name it. */
  public final int slot() {
    return slot;
  }

  final int next(int link) {
    return links[link * WIDTH + NEXT];
  }

  final void next(int link, int ofSlot) {
    links[link * WIDTH + NEXT] = ofSlot;
  }

  final int previous(int link) {
    return links[link * WIDTH + PREVIOUS];
  }

  final void previous(int link, int ofSlot) {
    links[link * WIDTH + PREVIOUS] = ofSlot;
  }

  /** Returns the number of the queue in which it stands by this link; 0: none. */
  final int queueId(int link) {
    return links[link * WIDTH + QUEUE];
  }

  final void queueId(int link, int id) {
    links[link * WIDTH + QUEUE] = id;
  }

  /** Returns its place in a heap of this kind; {@link #NONE} if it stands in none. */
  final int heapPlace(int heap) {
    return heapPlaces[heap];
  }

  final void heapPlace(int heap, int place) {
    heapPlaces[heap] = place;
  }

  /** Returns the key that it had last in a heap of this kind; {@code Long.MAX_VALUE} if none. */
  final long heapKey(int heap) {
    return heapKeys[heap];
  }

  final void heapKey(int heap, long key) {
    heapKeys[heap] = key;
  }

  final void forgetKeys() {
    Arrays.fill(heapKeys, Long.MAX_VALUE);
  }

  /** Notes that it stands in a space of the reorder engine. */
  public final void register(int space) {
    assert !isRegistered(space) : this;
    registeredSpaces |= 1 << space;
  }

  /** Notes that it stands there no longer. */
  public final void unregister(int space) {
    assert isRegistered(space) : this;
    registeredSpaces &= ~(1 << space);
  }

  /** Returns whether it stands in this space of the reorder engine. */
  public final boolean isRegistered(int space) {
    return (registeredSpaces & 1 << space) != 0;
  }

  /** Returns whether it stands in any space of the reorder engine. */
  public final boolean isRegistered() {
    return registeredSpaces != 0;
  }

  /** Returns whether it stands in no queue, in no heap and not in the reorder engine. */
  final boolean isAlone() {
    for (int link = 0; link < LINKS; link++) {
      if (queueId(link) != 0) {
        return false;
      }
    }
    for (int place : heapPlaces) {
      if (place != NONE) {
        return false;
      }
    }
    return !isRegistered();
  }
}
