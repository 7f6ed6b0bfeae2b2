package io.rtransport.core.solicitation;

import java.util.concurrent.TimeUnit;

/**
 * Decides when a connection's grants no longer count in the {@link IncastLimit}. Grants stop
 * counting when they bring less than 16 KiB, and not everything that was granted, in {@code
 * max(4·SRTT, 5 ms)}. They count again when 16 KiB have come.
 *
 * <p>A further grant does not restart the clock, and a small message that comes whole does not
 * bring trust back. Otherwise a peer that asks for a byte now and then, and sends little else,
 * would hold up all others.
 */
final class GrantDoubt {
  /**
   * Fewer bytes than these are no progress, unless they are everything that was granted. A byte now
   * and then must not keep grants counting.
   */
  static final long PROGRESS_BYTES_MIN = 16 << 10;

  static final long NS_MIN = TimeUnit.MILLISECONDS.toNanos(5);

  private long sinceNs;
  private long bytes;
  private boolean isDoubted;

  boolean isDoubted() {
    return isDoubted;
  }

  /**
   * @param isFirst whether no other counting bytes are on their way
   */
  void onGranted(boolean isFirst, long nowNs) {
    if (isFirst && !isDoubted) {
      restart(nowNs);
    }
  }

  /**
   * @param isLast whether no other bytes are on their way now
   */
  void onArrived(long arrivedBytes, boolean isLast, long nowNs) {
    bytes += arrivedBytes;
    if (bytes >= PROGRESS_BYTES_MIN || isLast && !isDoubted) {
      isDoubted = false;
      restart(nowNs);
    }
  }

  long deadlineNs(long srttNs) {
    return sinceNs + Math.max(4 * srttNs, NS_MIN);
  }

  /** Returns whether the grants no longer count from now on. */
  boolean onTimeout(long srttNs, long nowNs) {
    if (nowNs - deadlineNs(srttNs) < 0) {
      return false;
    }
    isDoubted = true;
    restart(nowNs);
    return true;
  }

  private void restart(long nowNs) {
    sinceNs = nowNs;
    bytes = 0;
  }
}
