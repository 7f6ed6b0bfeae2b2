package io.rtransport.loadgen.workload;

/** A growing first-in first-out queue of longs. Not thread-safe. */
final class LongQueue {
  private static final int CAPACITY_MIN = 16;

  private long[] values = {};
  private int head;
  private int size;

  void add(long value) {
    if (size == values.length) {
      long[] wider = new long[Math.max(CAPACITY_MIN, values.length * 2)];
      for (int i = 0; i < size; i++) {
        wider[i] = values[head + i & values.length - 1];
      }
      values = wider;
      head = 0;
    }
    values[head + size++ & values.length - 1] = value;
  }

  long peek() {
    return values[head];
  }

  long remove() {
    long value = values[head];
    head = head + 1 & values.length - 1;
    size--;
    return value;
  }

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }
}
