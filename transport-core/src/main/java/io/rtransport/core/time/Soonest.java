package io.rtransport.core.time;

import java.util.Arrays;

/**
 * Soonest deadline of each of several sets, such as the spokes of a wheel, and of all of them. It
 * is a tree whose parents hold the smaller of two children. A change climbs only as far as it
 * changes a parent.
 */
final class Soonest {
  private final int sets;
  private final long[] tree;

  /**
   * Creates sets without a deadline.
   *
   * @param sets a power of two
   */
  Soonest(int sets) {
    this.sets = sets;
    this.tree = new long[2 * sets];
    Arrays.fill(tree, DeadlineWheel.NONE);
  }

  void set(int set, long deadlineNs) {
    int at = sets + set;
    tree[at] = deadlineNs;
    while (at > 1) {
      at >>= 1;
      long least = Math.min(tree[2 * at], tree[2 * at + 1]);
      if (tree[at] == least) {
        return;
      }
      tree[at] = least;
    }
  }

  long of(int set) {
    return tree[sets + set];
  }

  long ofAll() {
    return tree[1];
  }
}
