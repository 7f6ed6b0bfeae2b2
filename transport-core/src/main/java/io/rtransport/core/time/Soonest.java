package io.rtransport.core.time;

import java.util.Arrays;

/**
 * The soonest deadline of each spoke of a ring, and of all of them: a tree whose parents hold the
 * smaller of two children. A change climbs only as far as it matters.
 */
final class Soonest {
  private final int spokes;
  private final long[] tree;

  /**
   * No deadline anywhere.
   *
   * @param spokes a power of two
   */
  Soonest(int spokes) {
    this.spokes = spokes;
    this.tree = new long[2 * spokes];
    Arrays.fill(tree, DeadlineWheel.NONE);
  }

  void set(int spoke, long deadlineNs) {
    int at = spokes + spoke;
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

  long of(int spoke) {
    return tree[spokes + spoke];
  }

  long ofAll() {
    return tree[1];
  }
}
