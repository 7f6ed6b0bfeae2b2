package io.rtransport.loadgen.workload;

/** Counts of receivers, summed over connections. Not thread-safe. */
public final class IntegrityCounts {
  /**
   * Counts of one or more receivers.
   *
   * @param measuredMessages intact and new, of the measured time
   * @param measuredBytes their bytes
   * @param duplicated delivered more than once; warm-up included, as for all errors
   * @param corrupted damaged: checksum or length wrong; warm-up included
   * @param outOfOrder delivered after a later one; warm-up included
   */
  public record Counts(
      long measuredMessages, long measuredBytes, long duplicated, long corrupted, long outOfOrder) {

    /** Returns the sum of both. */
    public Counts plus(Counts other) {
      return new Counts(
          measuredMessages + other.measuredMessages,
          measuredBytes + other.measuredBytes,
          duplicated + other.duplicated,
          corrupted + other.corrupted,
          outOfOrder + other.outOfOrder);
    }
  }

  private Counts counts = new Counts(0, 0, 0, 0, 0);
  private long gapNsMax;

  void add(Counts more, long gapNs) {
    counts = counts.plus(more);
    gapNsMax = Math.max(gapNsMax, gapNs);
  }

  /** Adds another sum. */
  public void add(IntegrityCounts other) {
    add(other.counts, other.gapNsMax);
  }

  /** Returns the sum so far. */
  public Counts counts() {
    return counts;
  }

  /** Returns the longest time between two read batches of one connection, nanoseconds. */
  public long gapNsMax() {
    return gapNsMax;
  }
}
