package io.rtransport.core.adp;

/**
 * How long something has been unacknowledged without any progress (ADP flow, overall timeout). It
 * runs only while something is unacknowledged: it starts at the first send on an idle path (not a
 * suspect one), starts again at each progress, and stops when nothing is left. A path has one; a
 * connection may have another over all its paths. Loop-confined.
 */
public final class NoProgressClock {
  private long sinceNs;
  private boolean isRunning;

  /** Something was sent; the clock starts unless it runs already. */
  public void onOutstanding(long nowNs) {
    if (!isRunning) {
      isRunning = true;
      sinceNs = nowNs;
    }
  }

  /** At least one packet was retired: starts again if more is unacknowledged, else stops. */
  public void onProgress(long nowNs, boolean isStillOutstanding) {
    isRunning = isStillOutstanding;
    sinceNs = nowNs;
  }

  /** Nothing is unacknowledged any more. */
  public void stop() {
    isRunning = false;
  }

  public boolean isRunning() {
    return isRunning;
  }

  /** Nanoseconds without progress, 0 when stopped. */
  public long elapsedNs(long nowNs) {
    return isRunning ? nowNs - sinceNs : 0;
  }

  /**
   * Whether the total is reached. Ask at an expiry of the path's timer: a total of 0 then means
   * that the first one is the end.
   */
  public boolean hasReached(long totalNs, long nowNs) {
    return isRunning && nowNs - sinceNs >= totalNs;
  }

  /**
   * When the total will be reached, to be armed beside the path's timer: {@link Long#MAX_VALUE}
   * when stopped, when that is never, and for a total of 0, which only an expiry ends.
   */
  public long reachesAtNs(long totalNs) {
    boolean isNever =
        !isRunning || totalNs == 0 || (sinceNs > 0 && totalNs > Long.MAX_VALUE - sinceNs);
    return isNever ? Long.MAX_VALUE : sinceNs + totalNs;
  }
}
