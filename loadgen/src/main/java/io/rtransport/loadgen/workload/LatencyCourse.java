package io.rtransport.loadgen.workload;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.IntCountsHistogram;

/**
 * Latencies by the time at which their messages were due, in slots of 100 ms: the course of a run
 * in which a rail is killed. A message that was late for a second stands in the slot in which it
 * was due, so the slots of an outage show how long it was. The first hour is kept. Confined to its
 * event loop until that loop is quiet.
 */
public final class LatencyCourse {
  /** Length of a slot. */
  public static final long SLOT_NS = 100_000_000;

  /** One hour: about 70 MB. */
  static final int SLOTS_MAX = 36_000;

  private static final int UNIT_NS = 1_024;
  private static final long VALUE_NS_MAX = 3_600_000_000_000L;

  /**
   * One slot.
   *
   * @param messages that were due in it
   * @param p50Ns of their latencies, to 7 %; 0 without messages
   * @param maxNs of their latencies; 0 without messages
   */
  public record Point(long messages, long p50Ns, long maxNs) {}

  private static final class Slot {
    /** Of one digit and four-byte counts, 2 KB: there are ten a second. */
    final IntCountsHistogram latencies = new IntCountsHistogram(UNIT_NS, VALUE_NS_MAX, 1);

    long maxNs;
  }

  /** By index; null where no message was due. */
  private final List<Slot> slots = new ArrayList<>();

  private long startNs;

  /** Forgets everything. Times count from {@code startNs}. */
  void start(long startNs) {
    this.startNs = startNs;
    slots.clear();
  }

  /** Records messages that were due at {@code timeNs}. */
  void onLatency(long timeNs, long latencyNs, long count) {
    long index = Math.floorDiv(timeNs - startNs, SLOT_NS);
    if (index < 0 || index >= SLOTS_MAX) {
      return;
    }
    while (slots.size() <= index) {
      slots.add(null);
    }
    Slot slot = slots.get((int) index);
    if (slot == null) {
      slot = new Slot();
      slots.set((int) index, slot);
    }
    slot.latencies.recordValueWithCount(latencyNs, count);
    slot.maxNs = Math.max(slot.maxNs, latencyNs);
  }

  /** Returns the slots of several event loops together, oldest first. */
  public static List<Point> merged(List<LatencyCourse> courses) {
    int length = courses.stream().mapToInt(course -> course.slots.size()).max().orElse(0);
    List<Point> points = new ArrayList<>(length);
    for (int i = 0; i < length; i++) {
      Slot sum = new Slot();
      for (LatencyCourse course : courses) {
        Slot slot = i < course.slots.size() ? course.slots.get(i) : null;
        if (slot != null) {
          sum.latencies.add(slot.latencies);
          sum.maxNs = Math.max(sum.maxNs, slot.maxNs);
        }
      }
      long p50Ns = Math.min(sum.latencies.getValueAtPercentile(50), sum.maxNs);
      points.add(new Point(sum.latencies.getTotalCount(), p50Ns, sum.maxNs));
    }
    return points;
  }
}
