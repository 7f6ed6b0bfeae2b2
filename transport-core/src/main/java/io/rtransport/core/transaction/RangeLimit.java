package io.rtransport.core.transaction;

/**
 * Limit of the ranges that several {@link ByteRanges} have together. Confined to one event loop.
 */
public final class RangeLimit {
  private final int max;
  private int left;

  /**
   * @param max number of ranges, at least 0
   */
  public RangeLimit(int max) {
    this.max = max;
    left = max;
  }

  /** Returns the number of ranges that are held. */
  public int inUse() {
    return max - left;
  }

  /** Takes one range. Returns false if all are taken. */
  boolean take() {
    if (left == 0) {
      return false;
    }
    left--;
    return true;
  }

  /** Gives {@code count} ranges back. */
  void give(int count) {
    left += count;
    assert left <= max : "more ranges were given back than taken";
  }
}
