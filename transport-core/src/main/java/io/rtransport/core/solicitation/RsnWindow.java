package io.rtransport.core.solicitation;

import io.rtransport.core.stats.Limits;
import java.util.Arrays;

/**
 * Which of the peer's RSNs have ended: all below {@link #base}, and ranges above it, at most 1,024.
 * When those are used up an RSN that would need another waits: its transaction stays in the table
 * and its end is not yet reported, so the peer's own window waits too. This bounds the memory for
 * RSNs that ended far above one that did not.
 */
final class RsnWindow {
  private int base;
  private int[] starts = new int[4];
  private int[] ends = new int[4];
  private int count;

  RsnWindow(int first) {
    base = first;
  }

  /** The lowest RSN that has not ended. */
  int base() {
    return base;
  }

  int rangeCount() {
    return count;
  }

  /** Whether an RSN is close enough to the base to be the peer's to use. */
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
   * An RSN has ended.
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
   * The first range whose end lies after {@code rsn}; ends are compared by their distance from the
   * base.
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
