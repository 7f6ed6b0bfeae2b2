package io.rtransport.loadgen.workload;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Latencies and completions of one event loop, over the measured time and by its seconds. Values
 * are nanoseconds; a value above one hour counts as one hour. Confined to its event loop until that
 * loop is quiet.
 */
public final class LatencyRecorder {
  /**
   * One second of the measured time.
   *
   * @param latencies of messages that completed in it, nanoseconds
   * @param messages that completed in it
   */
  public record Interval(Histogram latencies, long messages) {}

  private static final long VALUE_NS_MAX = 3_600_000_000_000L;
  private static final long SECOND_NS = 1_000_000_000L;

  private final Histogram total = histogram();
  private final List<Interval> intervals = new ArrayList<>();
  private final LatencyCourse course;
  private Histogram interval = intervalHistogram();
  private long intervalMessages;
  private long intervalEndNs = Long.MAX_VALUE;
  private long endNs = Long.MAX_VALUE;
  private long messages;
  private long lastNs;
  private long gapNsMax;

  /** Creates a recorder that keeps no course. */
  public LatencyRecorder() {
    this(null);
  }

  /**
   * Creates a recorder.
   *
   * @param course what latencies are also recorded in, or null
   */
  public LatencyRecorder(LatencyCourse course) {
    this.course = course;
  }

  /** Returns an empty histogram of the common form: 3 digits, up to one hour, in nanoseconds. */
  public static Histogram histogram() {
    return new Histogram(128, VALUE_NS_MAX, 3);
  }

  /**
   * Returns a histogram of two digits, with a tenth of the memory. One is made each second while
   * allocation is being measured.
   */
  private static Histogram intervalHistogram() {
    return new Histogram(128, VALUE_NS_MAX, 2);
  }

  /** Sets the measured time, and forgets the records of an earlier one. */
  public void start(long startNs, long endNs) {
    this.endNs = endNs;
    intervalEndNs = startNs + SECOND_NS;
    total.reset();
    intervals.clear();
    interval = intervalHistogram();
    intervalMessages = 0;
    messages = 0;
    lastNs = 0;
    gapNsMax = 0;
    if (course != null) {
      course.start(startNs);
    }
  }

  /** Ends the measured time earlier than planned. */
  public void stop(long nowNs) {
    endNs = Math.min(endNs, nowNs);
  }

  /**
   * Counts completions in the measured time, of messages from it or from the warm-up, for the rate.
   */
  public void onCompleted(long count, long nowNs) {
    if (nowNs >= endNs || nowNs < intervalEndNs - SECOND_NS) {
      return;
    }
    rollTo(nowNs);
    messages += count;
    intervalMessages += count;
    if (lastNs != 0) {
      gapNsMax = Math.max(gapNsMax, nowNs - lastNs);
    }
    lastNs = nowNs;
  }

  /**
   * Records the latency of messages that belong to the measured time, whenever they completed.
   *
   * @param timeNs from which it counts
   */
  public void onLatency(long timeNs, long nowNs, long count) {
    long value = Math.min(Math.max(nowNs - timeNs, 1), VALUE_NS_MAX);
    total.recordValueWithCount(value, count);
    interval.recordValueWithCount(value, count);
    if (course != null) {
      course.onLatency(timeNs, value, count);
    }
  }

  /** Closes the last interval. {@code nowNs} is the end of the measured time. */
  public void finish(long nowNs) {
    rollTo(nowNs - 1);
    if (nowNs > intervalEndNs - SECOND_NS) {
      closeInterval();
    }
  }

  private void rollTo(long nowNs) {
    while (nowNs >= intervalEndNs) {
      closeInterval();
    }
  }

  private void closeInterval() {
    intervals.add(new Interval(interval, intervalMessages));
    interval = intervalHistogram();
    intervalMessages = 0;
    intervalEndNs += SECOND_NS;
  }

  /** Returns the intervals that are over at {@code nowNs}, of a time that continues. */
  List<Interval> intervalsUntil(long nowNs) {
    rollTo(nowNs);
    return List.copyOf(intervals);
  }

  /** Returns all latencies, nanoseconds. */
  public Histogram total() {
    return total;
  }

  /** Returns the course, or null. */
  public LatencyCourse course() {
    return course;
  }

  /** Returns the seconds of the measured time, in order. */
  public List<Interval> intervals() {
    return intervals;
  }

  /** Returns the completions within the measured time. */
  public long messages() {
    return messages;
  }

  /** Returns the longest time between two completions, nanoseconds. */
  public long gapNsMax() {
    return gapNsMax;
  }
}
