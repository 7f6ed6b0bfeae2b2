package io.rtransport.netty.node;

import io.rtransport.core.stats.MessageTimes;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts times of messages to one peer: a histogram with 16 steps for each doubling of the time.
 * Links of the peer on several event loops record at the same time, and any thread reads. It takes
 * 4 KB, allocated with the first time.
 *
 * <p>HdrHistogram, which the load generator has, names no module: a module that requires it could
 * not be published.
 */
final class TimeCounts {
  /** Shorter times are recorded as this one, ns. */
  static final long LEAST_NS = TimeUnit.MICROSECONDS.toNanos(1);

  /** Longer times are recorded as this one, ns. */
  static final long MOST_NS = TimeUnit.HOURS.toNanos(1);

  private static final int STEP_BITS = 4;
  private static final int LEAST = step(LEAST_NS);
  static final int STEPS = step(MOST_NS) - LEAST + 1;

  private final LongAdder count = new LongAdder();
  private final LongAdder sumNs = new LongAdder();
  private final LongAccumulator maxNs = new LongAccumulator(Math::max, 0);
  private volatile AtomicLongArray steps;

  private static int step(long ns) {
    int doublings = Long.SIZE - 1 - Long.numberOfLeadingZeros(ns);
    return (int) (ns >>> doublings - STEP_BITS) + (doublings << STEP_BITS);
  }

  /** Returns the longest time of a step, ns. */
  private static long endNs(int step) {
    int doublings = (step >>> STEP_BITS) - 1;
    long inDoubling = step - (doublings << STEP_BITS);
    return (inDoubling + 1 << doublings - STEP_BITS) - 1;
  }

  /** Records a time; 0 or longer. */
  void record(long ns) {
    count.increment();
    sumNs.add(ns);
    maxNs.accumulate(ns);
    AtomicLongArray into = steps;
    long inRangeNs = Math.max(LEAST_NS, Math.min(MOST_NS, ns));
    (into == null ? first() : into).incrementAndGet(step(inRangeNs) - LEAST);
  }

  private synchronized AtomicLongArray first() {
    if (steps == null) {
      steps = new AtomicLongArray(STEPS);
    }
    return steps;
  }

  MessageTimes times() {
    AtomicLongArray from = steps;
    if (from == null) {
      return MessageTimes.NONE;
    }
    long[] counts = new long[STEPS];
    long total = 0;
    for (int i = 0; i < STEPS; i++) {
      counts[i] = from.get(i);
      total += counts[i];
    }
    if (total == 0) {
      return MessageTimes.NONE; // the first is being recorded
    }
    long meanNs = sumNs.sum() / Math.max(1, count.sum());
    long longestNs = maxNs.get(); // read last: nothing that was read is of a longer time
    return new MessageTimes(
        Math.min(meanNs, longestNs),
        Math.min(percentileNs(counts, total, 50), longestNs),
        Math.min(percentileNs(counts, total, 99), longestNs),
        longestNs);
  }

  /** Returns the longest time of the step in which the time of that rank is. */
  private static long percentileNs(long[] counts, long total, int percent) {
    long left = (total * percent + 99) / 100;
    int step = 0;
    while (step < STEPS - 1 && left > counts[step]) {
      left -= counts[step];
      step++;
    }
    return endNs(step + LEAST);
  }
}
