package io.rtransport.core.stats;

/**
 * Times of the messages of a node to one peer, in nanoseconds; all 0 without any. The percentiles
 * are the upper ends of steps, at most a 16th of the value wide. They count what took less than 1
 * µs or more than 1 hour as that long.
 *
 * @param meanNs mean, exact
 * @param p50Ns half of the messages took at most that long
 * @param p99Ns 99 of 100 took at most that long
 * @param maxNs the longest, exact
 */
public record MessageTimes(long meanNs, long p50Ns, long p99Ns, long maxNs) {
  /** Nothing was measured. */
  public static final MessageTimes NONE = new MessageTimes(0, 0, 0, 0);
}
