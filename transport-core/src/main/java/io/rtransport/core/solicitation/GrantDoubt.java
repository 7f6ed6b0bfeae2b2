package io.rtransport.core.solicitation;

import java.util.concurrent.TimeUnit;

/**
 * Decides when a connection's grants no longer count in the {@link IncastLimit}: when they see less
 * than 16 KiB, and not all that was granted, in {@code max(4·SRTT, 5 ms)}; until 16 KiB have come.
 * A further grant does not set the clock back, and a small message that comes whole does not bring
 * trust back: otherwise a peer that asks for a byte now and then, and sends little else, would hold
 * up all others.
 */
final class GrantDoubt {
  /**
   * Fewer bytes than these are no progress, unless they are all: a byte now and then must not keep
   * grants counting.
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
   * @param isFirst whether nothing else that counts is on its way
   */
  void onGranted(boolean isFirst, long nowNs) {
    if (isFirst && !isDoubted) {
      restart(nowNs);
    }
  }

  /**
   * @param isLast whether nothing else is on its way now
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

  /** Whether they no longer count from now on. */
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
