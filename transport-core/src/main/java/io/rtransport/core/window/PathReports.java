package io.rtransport.core.window;

import io.rtransport.core.wire.AckFlyweight;
import io.rtransport.core.wire.SequenceNumbers;

/**
 * Reports about the peer's own paths for acknowledgements. A report has the highest transmission
 * sequence received, the time since its arrival, and the number of duplicates. Only paths that
 * carried a packet lately are reported. There are at most eight paths. A ninth replaces the path
 * that was heard from least recently.
 */
final class PathReports {
  /** Largest number of paths reported. */
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

  /** Handles a numbered packet on the peer's path {@code id}. */
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
   * Returns whether the peer is owed a round-trip sample: there is news, and the last report is at
   * least {@code intervalNs} old.
   */
  boolean isSampleOwed(long intervalNs, long nowNs) {
    return pendingCount > 0 && (!wasReported || nowNs - lastReportNs >= intervalNs);
  }

  /**
   * Returns the number of entries that {@link #write} writes. These are paths with news and paths
   * heard from in the last {@code recentNs}.
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
   * Writes the entries counted by {@link #reportCount} with the same arguments. The counts in
   * {@code ack} must be set already.
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
