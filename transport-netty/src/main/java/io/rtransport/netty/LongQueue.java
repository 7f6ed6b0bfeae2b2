package io.rtransport.netty;

/** Queue of numbers, first in, first out: a ring that grows and allocates nothing else. */
final class LongQueue {
  private long[] values = new long[16];
  private int head;
  private int size;

  void add(long value) {
    if (size == values.length) {
      long[] larger = new long[2 * size];
      for (int i = 0; i < size; i++) {
        larger[i] = values[head + i & size - 1];
      }
      values = larger;
      head = 0;
    }
    values[head + size & values.length - 1] = value;
    size++;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Returns the first number. The queue must not be empty. */
  long peek() {
    assert size > 0 : "peek into an empty queue";
    return values[head];
  }

  /** Takes the first number. The queue must not be empty. */
  long poll() {
    long first = peek();
    head = head + 1 & values.length - 1;
    size--;
    return first;
  }
}
