package io.rtransport.core.time;

import java.util.Arrays;

/**
 * What the timers of connections were before the wheel, kept to be measured beside it: a binary
 * heap of each connection's soonest deadline. Moving a deadline later only writes a field; the heap
 * learns of it when the older, sooner entry comes up.
 */
public final class DeadlineHeap {
  /** No deadline. */
  public static final long NONE = Long.MAX_VALUE;

  private static final int ABSENT = -1;

  private int[] heap = new int[16];
  private int size;
  private long[] wanted = new long[16];
  private long[] queued = new long[16];
  private int[] position = new int[16];

  public DeadlineHeap() {
    Arrays.fill(position, ABSENT);
    Arrays.fill(wanted, NONE);
  }

  /** Sets the deadline of {@code slot}, or {@link #NONE}. */
  public void set(int slot, long deadlineNs) {
    ensure(slot);
    wanted[slot] = deadlineNs;
    if (position[slot] == ABSENT) {
      if (deadlineNs != NONE) {
        insert(slot, deadlineNs);
      }
    } else if (deadlineNs < queued[slot]) {
      queued[slot] = deadlineNs;
      siftUp(position[slot]);
    }
  }

  /** The slot whose deadline has come, its entry taken out; -1 when none has. */
  public int pollExpired(long nowNs) {
    while (size > 0 && queued[heap[0]] <= nowNs) {
      int slot = heap[0];
      removeFirst();
      if (wanted[slot] <= nowNs) {
        wanted[slot] = NONE;
        return slot;
      }
      if (wanted[slot] != NONE) {
        insert(slot, wanted[slot]);
      }
    }
    return -1;
  }

  /**
   * When {@link #pollExpired} is to be called next, {@link #NONE} for never. Never later than the
   * soonest deadline.
   */
  public long nextDeadlineNs() {
    while (size > 0 && wanted[heap[0]] == NONE) {
      removeFirst();
    }
    return size == 0 ? NONE : queued[heap[0]];
  }

  private void insert(int slot, long deadlineNs) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, size * 2);
    }
    queued[slot] = deadlineNs;
    heap[size] = slot;
    position[slot] = size;
    siftUp(size++);
  }

  private void removeFirst() {
    position[heap[0]] = ABSENT;
    size--;
    if (size > 0) {
      place(0, heap[size]);
      siftDown(0);
    }
  }

  private void siftUp(int from) {
    int at = from;
    int slot = heap[at];
    while (at > 0) {
      int parent = (at - 1) >>> 1;
      if (queued[heap[parent]] <= queued[slot]) {
        break;
      }
      place(at, heap[parent]);
      at = parent;
    }
    place(at, slot);
  }

  private void siftDown(int from) {
    int at = from;
    int slot = heap[at];
    while (true) {
      int child = 2 * at + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && queued[heap[child + 1]] < queued[heap[child]]) {
        child++;
      }
      if (queued[slot] <= queued[heap[child]]) {
        break;
      }
      place(at, heap[child]);
      at = child;
    }
    place(at, slot);
  }

  private void place(int at, int slot) {
    heap[at] = slot;
    position[slot] = at;
  }

  private void ensure(int slot) {
    if (slot >= wanted.length) {
      int old = wanted.length;
      int length = Math.max(slot + 1, old * 2);
      wanted = Arrays.copyOf(wanted, length);
      queued = Arrays.copyOf(queued, length);
      position = Arrays.copyOf(position, length);
      Arrays.fill(wanted, old, length, NONE);
      Arrays.fill(position, old, length, ABSENT);
    }
  }
}
