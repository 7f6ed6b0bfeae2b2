package io.rtransport.netty.node;

import io.rtransport.core.stats.MessageTimes;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.AtomicHistogram;

/**
 * Counts times of messages to one peer. Links of the peer on several event loops record at the same
 * time, and any thread reads: so the histogram is one of atomic counts, without a lock. It has a
 * fixed range and one digit, which takes 4.4 KB, allocated with the first time.
 */
final class TimeCounts {
  /** Shorter times are recorded as this one, ns. */
  static final long LEAST_NS = TimeUnit.MICROSECONDS.toNanos(1);

  /** Longer times are recorded as this one, ns. */
  static final long MOST_NS = TimeUnit.HOURS.toNanos(1);

  private static final int DIGITS = 1;

  private final LongAdder count = new LongAdder();
  private final LongAdder sumNs = new LongAdder();
  private final LongAccumulator maxNs = new LongAccumulator(Math::max, 0);
  private volatile AtomicHistogram histogram;

  /** Records a time; 0 or longer. */
  void record(long ns) {
    count.increment();
    sumNs.add(ns);
    maxNs.accumulate(ns);
    AtomicHistogram into = histogram;
    (into == null ? first() : into).recordValue(Math.max(LEAST_NS, Math.min(MOST_NS, ns)));
  }

  private synchronized AtomicHistogram first() {
    if (histogram == null) {
      histogram = empty();
    }
    return histogram;
  }

  /** Returns a histogram that has recorded nothing. */
  static AtomicHistogram empty() {
    return new AtomicHistogram(LEAST_NS, MOST_NS, DIGITS);
  }

  MessageTimes times() {
    AtomicHistogram from = histogram;
    if (from == null) {
      return MessageTimes.NONE;
    }
    long p50Ns = from.getValueAtPercentile(50);
    long p99Ns = from.getValueAtPercentile(99);
    long longestNs = maxNs.get(); // read last: no percentile is of a longer time
    return new MessageTimes(
        sumNs.sum() / Math.max(1, count.sum()),
        Math.min(p50Ns, longestNs),
        Math.min(p99Ns, longestNs),
        longestNs);
  }
}
