package io.rtransport.loadgen.workload;

import java.util.function.LongPredicate;

/**
 * Messages of one connection that were sent and have not completed. Each has its length and the
 * time from which its latency counts. It is a ring by sequence number that grows with the distance
 * between the oldest and the newest. Not thread-safe.
 */
final class InFlight {
  private static final int CAPACITY_MIN = 16;
  private static final long NONE = Long.MIN_VALUE;

  private long[] timesNs = {}; // an idle connection has none
  private long oldest;
  private long next;
  private int count;

  /** Adds the next sequence number. */
  void add(long sequence, long timeNs) {
    assert sequence == next : "sequence numbers are given in order";
    if (next - oldest == timesNs.length) {
      grow();
    }
    timesNs[index(sequence)] = timeNs;
    next++;
    count++;
  }

  /** Returns whether the message is in flight. */
  boolean contains(long sequence) {
    return sequence >= oldest && sequence < next && timesNs[index(sequence)] != NONE;
  }

  /** Removes a message and returns its time. It must be in flight. */
  long remove(long sequence) {
    int index = index(sequence);
    long timeNs = timesNs[index];
    timesNs[index] = NONE;
    count--;
    while (oldest < next && timesNs[index(oldest)] == NONE) {
      oldest++;
    }
    return timeNs;
  }

  /** Returns the oldest in flight, or the next to be added when there is none. */
  long oldest() {
    return oldest;
  }

  int count() {
    return count;
  }

  /** Returns how many messages in flight have a time that {@code counted} accepts. */
  int count(LongPredicate counted) {
    int sum = 0;
    for (long s = oldest; s < next; s++) {
      long timeNs = timesNs[index(s)];
      sum += timeNs != NONE && counted.test(timeNs) ? 1 : 0;
    }
    return sum;
  }

  private int index(long sequence) {
    return (int) sequence & timesNs.length - 1;
  }

  private void grow() {
    long[] wider = new long[Math.max(CAPACITY_MIN, timesNs.length * 2)];
    for (long s = oldest; s < next; s++) {
      wider[(int) s & wider.length - 1] = timesNs[index(s)];
    }
    timesNs = wider;
  }
}
