package io.rtransport.core.transaction;

import java.util.Arrays;

/**
 * Set of the bytes of a message that are present: all below {@link #prefix}, and ranges above it,
 * sorted and separate. Ranges come in any order; each byte counts once. Every gap is a missing
 * packet, so the packets of a receive window bound the number of ranges.
 */
public final class ByteRanges {
  /** Largest number of ranges: half the packets of the largest window can be gaps. */
  public static final int RANGES_MAX = 8_193;

  private static final long[] NONE = {};

  private long prefix;
  private long bytes;
  private long[] starts = NONE;
  private long[] ends = NONE;
  private int head;
  private int tail;
  private RangeLimit limit;

  /**
   * Counts the ranges above the prefix in {@code shared} until {@link #clear}, too. Called before
   * there is one, or again with the same limit.
   */
  public void share(RangeLimit shared) {
    assert limit == shared || count() == 0 : "ranges that were not counted";
    limit = shared;
  }

  public void clear() {
    if (limit != null) {
      limit.give(count());
      limit = null;
    }
    prefix = 0;
    bytes = 0;
    head = 0;
    tail = 0;
    if (starts.length > 64) {
      starts = NONE;
      ends = NONE;
    }
  }

  /** Returns the offset below which all bytes are present. */
  public long prefix() {
    return prefix;
  }

  /** Returns how many bytes are present. */
  public long bytes() {
    return bytes;
  }

  /** Returns how many ranges are above the prefix. */
  public int count() {
    return tail - head;
  }

  /** Returns the first byte of {@code [from, to)} that is missing; {@code to} when none is. */
  public long firstMissing(long from, long to) {
    long at = Math.max(from, prefix);
    for (int i = firstEndingAfter(at); i < tail && starts[i] <= at; i++) {
      at = ends[i];
    }
    return Math.min(at, to);
  }

  /**
   * Returns the end of the gap that begins at the missing byte {@code from}, at most {@code to}.
   */
  public long missingEnd(long from, long to) {
    int i = firstEndingAfter(from);
    return i == tail ? to : Math.min(starts[i], to);
  }

  /**
   * Adds bytes that are not present yet.
   *
   * @return false, and nothing changed, when there are too many ranges: then the peer breaks the
   *     protocol
   */
  public boolean add(long from, long to) {
    assert from < to && firstMissing(from, to) == from && missingEnd(from, to) == to
        : "bytes " + from + ".." + to + " are there";
    if (from == prefix) {
      prefix = to;
      if (head < tail && starts[head] == to) {
        prefix = ends[head++];
        giveOne();
      }
    } else if (!insert(from, to)) {
      return false;
    }
    if (head == tail) {
      head = 0;
      tail = 0;
    }
    bytes += to - from;
    return true;
  }

  /**
   * Adds the bytes of {@code [from, to)} that are missing. Returns false when there are too many
   * ranges.
   */
  public boolean addMissing(long from, long to) {
    long at = firstMissing(from, to);
    while (at < to) {
      long end = missingEnd(at, to);
      if (!add(at, end)) {
        return false;
      }
      at = firstMissing(end, to);
    }
    return true;
  }

  private boolean insert(long from, long to) {
    int i = firstEndingAfter(from);
    boolean joinsBefore = i > head && ends[i - 1] == from;
    boolean joinsAfter = i < tail && starts[i] == to;
    if (joinsBefore && joinsAfter) {
      ends[i - 1] = ends[i];
      System.arraycopy(starts, i + 1, starts, i, tail - i - 1);
      System.arraycopy(ends, i + 1, ends, i, tail - i - 1);
      tail--;
      giveOne();
    } else if (joinsBefore) {
      ends[i - 1] = to;
    } else if (joinsAfter) {
      starts[i] = from;
    } else {
      if (count() == RANGES_MAX || limit != null && !limit.take()) {
        return false;
      }
      i = makeRoom(i);
      starts[i] = from;
      ends[i] = to;
    }
    return true;
  }

  private void giveOne() {
    if (limit != null) {
      limit.give(1);
    }
  }

  /** Opens a place at {@code i}, and returns its index, which may have moved. */
  private int makeRoom(int i) {
    int at = i;
    if (tail == starts.length && head > tail >> 1) {
      System.arraycopy(starts, head, starts, 0, tail - head);
      System.arraycopy(ends, head, ends, 0, tail - head);
      at -= head;
      tail -= head;
      head = 0;
    } else if (tail == starts.length) {
      starts = Arrays.copyOf(starts, Math.max(8, 2 * tail));
      ends = Arrays.copyOf(ends, Math.max(8, 2 * tail));
    }
    System.arraycopy(starts, at, starts, at + 1, tail - at);
    System.arraycopy(ends, at, ends, at + 1, tail - at);
    tail++;
    return at;
  }

  /**
   * Returns the first range that ends after {@code position}. Most often there is none, or it is
   * the last.
   */
  private int firstEndingAfter(long position) {
    if (head == tail || ends[tail - 1] <= position) {
      return tail;
    }
    int low = head;
    int high = tail - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ends[middle] > position) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
}
