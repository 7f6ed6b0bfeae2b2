package io.rtransport.core.window;

import io.rtransport.core.wire.AckFlyweight;
import io.rtransport.core.wire.SequenceNumbers;

/**
 * Reports to the peer about its own paths. The report of a path has the highest transmission
 * sequence received, since when it is held, and how many of its packets had been received before.
 * There are at most eight reports. A ninth takes the place of the path heard from least recently.
 */
final class PathReports {
  /** Limit of the paths that are reported on. */
  static final int COUNT_MAX = AckFlyweight.PATH_COUNT_MAX;

  private final int[] ids = new int[COUNT_MAX];
  private final int[] highest = new int[COUNT_MAX];
  private final long[] highestAtNs = new long[COUNT_MAX];
  private final long[] heardNs = new long[COUNT_MAX];
  private final int[] duplicates = new int[COUNT_MAX];
  private final boolean[] isPending = new boolean[COUNT_MAX];
  private int count;
  private int pendingCount;
  private long lastReportNs;
  private boolean wasReported;

  /** Notes that a numbered packet came in on the peer's path {@code id}. */
  void onPacket(int id, int sequence, boolean isDuplicate, long nowNs) {
    int i = find(id);
    if (i < 0) {
      i = place();
      ids[i] = id;
      highest[i] = sequence;
      highestAtNs[i] = nowNs;
      duplicates[i] = 0;
      pend(i);
    } else if (SequenceNumbers.compareTransmission(sequence, highest[i]) > 0) {
      highest[i] = sequence;
      highestAtNs[i] = nowNs;
      pend(i);
    }
    heardNs[i] = nowNs;
    if (isDuplicate) {
      duplicates[i]++;
      pend(i);
    }
  }

  private void pend(int i) {
    if (!isPending[i]) {
      isPending[i] = true;
      pendingCount++;
    }
  }

  private int find(int id) {
    for (int i = 0; i < count; i++) {
      if (ids[i] == id) {
        return i;
      }
    }
    return -1;
  }

  private int place() {
    if (count < COUNT_MAX) {
      return count++;
    }
    int least = 0;
    for (int i = 1; i < COUNT_MAX; i++) {
      if (heardNs[i] - heardNs[least] < 0) {
        least = i;
      }
    }
    return least;
  }

  /**
   * Returns whether there is news, and the last report is at least {@code intervalNs} old: the peer
   * is owed a round-trip sample.
   */
  boolean isSampleOwed(long intervalNs, long nowNs) {
    return pendingCount > 0 && (!wasReported || nowNs - lastReportNs >= intervalNs);
  }

  /**
   * Entries that {@link #write} would write: those with news and those heard from in the last
   * {@code recentNs}.
   */
  int reportCount(long recentNs, long nowNs) {
    int reports = 0;
    for (int i = 0; i < count; i++) {
      if (isReported(i, recentNs, nowNs)) {
        reports++;
      }
    }
    return reports;
  }

  private boolean isReported(int i, long recentNs, long nowNs) {
    return isPending[i] || nowNs - heardNs[i] <= recentNs;
  }

  /**
   * Writes the entries counted by {@link #reportCount} with the same arguments; {@code ack} has its
   * counts already.
   */
  void write(AckFlyweight ack, long recentNs, long nowNs) {
    int at = 0;
    for (int i = 0; i < count; i++) {
      if (isReported(i, recentNs, nowNs)) {
        long heldMicros = Math.min(0xFFFF_FFFEL, Math.max(0, nowNs - highestAtNs[i]) / 1_000);
        ack.path(at++, ids[i], highest[i], heldMicros, duplicates[i]);
        isPending[i] = false;
      }
    }
    pendingCount = 0;
    lastReportNs = nowNs;
    wasReported = true;
  }
}
