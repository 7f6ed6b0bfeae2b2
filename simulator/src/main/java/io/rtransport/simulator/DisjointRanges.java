package io.rtransport.simulator;

import java.util.Arrays;

/** Disjoint ranges of byte offsets of one message. */
final class DisjointRanges {
  private long[] bounds = new long[4];
  private int used;

  /** Adds [from, to). Returns false, and changes nothing, if one of the bytes is already there. */
  boolean add(long from, long to) {
    if (from == to) {
      return true;
    }
    int at = 0;
    while (at < used && bounds[at + 1] <= from) {
      at += 2;
    }
    if (at < used && bounds[at] < to) {
      return false;
    }
    boolean joinsBefore = at > 0 && bounds[at - 1] == from;
    boolean joinsAfter = at < used && bounds[at] == to;
    if (joinsBefore && joinsAfter) {
      bounds[at - 1] = bounds[at + 1];
      System.arraycopy(bounds, at + 2, bounds, at, used - at - 2);
      used -= 2;
    } else if (joinsBefore) {
      bounds[at - 1] = to;
    } else if (joinsAfter) {
      bounds[at] = from;
    } else {
      insert(at, from, to);
    }
    return true;
  }

  private void insert(int at, long from, long to) {
    if (used + 2 > bounds.length) {
      bounds = Arrays.copyOf(bounds, bounds.length * 2);
    }
    System.arraycopy(bounds, at, bounds, at + 2, used - at);
    bounds[at] = from;
    bounds[at + 1] = to;
    used += 2;
  }

  /** Returns whether all of [from, to) is there. */
  boolean contains(long from, long to) {
    if (from == to) {
      return true;
    }
    for (int i = 0; i < used; i += 2) {
      if (bounds[i] <= from && to <= bounds[i + 1]) {
        return true;
      }
    }
    return false;
  }

  long total() {
    long total = 0;
    for (int i = 0; i < used; i += 2) {
      total += bounds[i + 1] - bounds[i];
    }
    return total;
  }
}
