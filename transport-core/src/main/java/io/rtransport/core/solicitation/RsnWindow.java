package io.rtransport.core.solicitation;

import io.rtransport.core.stats.Limits;
import java.util.Arrays;

/**
 * The peer's RSNs that have ended: all below {@link #base}, and at most 1,024 ranges above it.
 *
 * <p>When no range is free, an RSN that would need one waits. Its transaction stays in the table
 * and its end is not reported, so the peer's own window waits too. This bounds the memory for RSNs
 * that ended far above one that did not.
 */
final class RsnWindow {
  private int base;
  private int[] starts = new int[4];
  private int[] ends = new int[4];
  private int count;

  RsnWindow(int first) {
    base = first;
  }

  /** Returns the lowest RSN that has not ended. */
  int base() {
    return base;
  }

  int rangeCount() {
    return count;
  }

  /** Returns whether the peer may use an RSN: whether it is close enough to the base. */
  boolean isInSpan(int rsn) {
    return rsn - base < Limits.RSN_SPAN_MAX;
  }

  boolean isEnded(int rsn) {
    if (rsn - base < 0) {
      return true;
    }
    return endAboveBase(rsn);
  }

  private boolean endAboveBase(int rsn) {
    int i = firstEndingAfter(rsn);
    return i < count && starts[i] - rsn <= 0;
  }

  /**
   * Marks an RSN as ended.
   *
   * @return false, and nothing changed, when that would need one range too many
   */
  boolean end(int rsn) {
    assert !isEnded(rsn) : "RSN " + Integer.toUnsignedString(rsn) + " ends twice";
    if (rsn == base) {
      base++;
      if (count > 0 && starts[0] == base) {
        base = ends[0];
        close(0);
      }
      return true;
    }
    int i = firstEndingAfter(rsn);
    boolean joinsBefore = i > 0 && ends[i - 1] == rsn;
    boolean joinsAfter = i < count && starts[i] == rsn + 1;
    if (joinsBefore && joinsAfter) {
      ends[i - 1] = ends[i];
      close(i);
    } else if (joinsBefore) {
      ends[i - 1]++;
    } else if (joinsAfter) {
      starts[i]--;
    } else if (count == Limits.ENDED_RANGES_MAX) {
      return false;
    } else {
      open(i);
      starts[i] = rsn;
      ends[i] = rsn + 1;
    }
    return true;
  }

  /**
   * Returns the first range whose end lies after {@code rsn}. RSNs are compared by their
   * difference, so they may wrap.
   */
  private int firstEndingAfter(int rsn) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ends[middle] - rsn > 0) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private void open(int i) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count);
    }
    System.arraycopy(starts, i, starts, i + 1, count - i);
    System.arraycopy(ends, i, ends, i + 1, count - i);
    count++;
  }

  private void close(int i) {
    count--;
    System.arraycopy(starts, i + 1, starts, i, count - i);
    System.arraycopy(ends, i + 1, ends, i, count - i);
  }
}
