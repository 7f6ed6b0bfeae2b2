package io.rtransport.core.adp;

/**
 * Clock of the time that packets were unacknowledged without any progress (ADP flow, overall
 * timeout). It runs only while something is unacknowledged. It starts at the first send on an idle
 * path that is not suspect. It restarts at each progress and stops when nothing is left. A path has
 * one; a connection may have another over all its paths. Confined to the event loop.
 */
public final class NoProgressClock {
  private long sinceNs;
  private boolean isRunning;

  /** Starts the clock unless it runs: something was sent. */
  public void onOutstanding(long nowNs) {
    if (!isRunning) {
      isRunning = true;
      sinceNs = nowNs;
    }
  }

  /**
   * Restarts the clock if more is unacknowledged, else stops it: at least one packet was retired.
   */
  public void onProgress(long nowNs, boolean isStillOutstanding) {
    isRunning = isStillOutstanding;
    sinceNs = nowNs;
  }

  /** Stops the clock: nothing is unacknowledged. */
  public void stop() {
    isRunning = false;
  }

  public boolean isRunning() {
    return isRunning;
  }

  /** Returns the nanoseconds without progress, 0 when stopped. */
  public long elapsedNs(long nowNs) {
    return isRunning ? nowNs - sinceNs : 0;
  }

  /**
   * Returns whether the total is reached. To be asked at an expiry of the path's timer: with a
   * total of 0, the first expiry is then the end.
   */
  public boolean hasReached(long totalNs, long nowNs) {
    return isRunning && nowNs - sinceNs >= totalNs;
  }

  /**
   * Returns when the total will be reached, for a deadline next to the path's timer. {@link
   * Long#MAX_VALUE} when stopped, on overflow, and for a total of 0, which only an expiry ends.
   */
  public long reachesAtNs(long totalNs) {
    boolean isNever =
        !isRunning || totalNs == 0 || (sinceNs > 0 && totalNs > Long.MAX_VALUE - sinceNs);
    return isNever ? Long.MAX_VALUE : sinceNs + totalNs;
  }
}
