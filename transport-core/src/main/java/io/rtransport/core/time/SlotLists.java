package io.rtransport.core.time;

import java.util.Arrays;

/**
 * Lists of connection slots, each slot in at most one list. A slot is removed from any position in
 * one step.
 */
final class SlotLists {
  /** No slot. */
  static final int NIL = -1;

  private final int[] first;
  private final int[] last;
  private int[] next = new int[0];
  private int[] previous = new int[0];

  SlotLists(int lists) {
    first = new int[lists];
    last = new int[lists];
    Arrays.fill(first, NIL);
    Arrays.fill(last, NIL);
  }

  /** Makes room for the slots 0..slots − 1. */
  void ensure(int slots) {
    next = Arrays.copyOf(next, slots);
    previous = Arrays.copyOf(previous, slots);
  }

  /** Returns the slot that is longest in {@code list}, or {@link #NIL}. */
  int first(int list) {
    return first[list];
  }

  void append(int list, int slot) {
    int before = last[list];
    previous[slot] = before;
    next[slot] = NIL;
    last[list] = slot;
    if (before == NIL) {
      first[list] = slot;
    } else {
      next[before] = slot;
    }
  }

  void remove(int list, int slot) {
    int before = previous[slot];
    int after = next[slot];
    if (before == NIL) {
      first[list] = after;
    } else {
      next[before] = after;
    }
    if (after == NIL) {
      last[list] = before;
    } else {
      previous[after] = before;
    }
  }
}
