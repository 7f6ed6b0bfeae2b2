package io.rtransport.core.window;

/**
 * Allocator of the retransmission store's units. Single units come from blocks that are already
 * broken, so that blocks stay whole as long as possible. Every operation takes constant time.
 * Wholly free blocks are in one ring, partly free blocks in another.
 */
final class UnitAllocator {
  private static final int WHOLE = (1 << RetransmissionStore.UNITS_PER_BLOCK) - 1;
  private static final int SHIFT =
      Integer.numberOfTrailingZeros(RetransmissionStore.UNITS_PER_BLOCK);

  // Free units of each block as a mask, and the links of the two rings. The last two entries are
  // the rings' heads.
  private final int[] freeMasks;
  private final int[] next;
  private final int[] previous;
  private final int wholeRing;
  private final int brokenRing;
  private int freeCount;

  UnitAllocator(int blocks) {
    freeMasks = new int[blocks];
    next = new int[blocks + 2];
    previous = new int[blocks + 2];
    wholeRing = blocks;
    brokenRing = blocks + 1;
    next[wholeRing] = previous[wholeRing] = wholeRing;
    next[brokenRing] = previous[brokenRing] = brokenRing;
    for (int block = blocks - 1; block >= 0; block--) {
      freeMasks[block] = WHOLE;
      link(block, wholeRing);
    }
    freeCount = blocks << SHIFT;
  }

  int freeCount() {
    return freeCount;
  }

  /** Returns the first unit of a block taken whole, or NONE. */
  int takeBlock() {
    int block = next[wholeRing];
    if (block == wholeRing) {
      return RetransmissionStore.NONE;
    }
    unlink(block);
    freeMasks[block] = 0;
    freeCount -= RetransmissionStore.UNITS_PER_BLOCK;
    return block << SHIFT;
  }

  /** Returns a single unit, or NONE. */
  int takeUnit() {
    int block = next[brokenRing];
    if (block == brokenRing) {
      block = next[wholeRing];
      if (block == wholeRing) {
        return RetransmissionStore.NONE;
      }
      unlink(block);
      link(block, brokenRing);
    }
    int lowest = Integer.lowestOneBit(freeMasks[block]);
    freeMasks[block] ^= lowest;
    if (freeMasks[block] == 0) {
      unlink(block);
    }
    freeCount--;
    return (block << SHIFT) + Integer.numberOfTrailingZeros(lowest);
  }

  /** Gives back {@code count} units from {@code unit}: one unit or a block. */
  void give(int unit, int count) {
    int block = unit >>> SHIFT;
    int mask = count == 1 ? 1 << (unit & (RetransmissionStore.UNITS_PER_BLOCK - 1)) : WHOLE;
    assert (freeMasks[block] & mask) == 0 : "unit " + unit + " freed twice";
    if (freeMasks[block] != 0) {
      unlink(block);
    }
    freeMasks[block] |= mask;
    freeCount += count;
    link(block, freeMasks[block] == WHOLE ? wholeRing : brokenRing);
  }

  /**
   * Puts a block at the front of its ring. The block freed last is used first, while the
   * processor's cache still holds it.
   */
  private void link(int block, int ring) {
    next[block] = next[ring];
    previous[block] = ring;
    previous[next[ring]] = block;
    next[ring] = block;
  }

  private void unlink(int block) {
    next[previous[block]] = next[block];
    previous[next[block]] = previous[block];
  }
}
