package io.rtransport.core.window;

/**
 * Lateness of the turns of an event loop, measured against the deadlines that wake them. A timer
 * that expires in a late turn says as much about this host as about the peer. So the timers that
 * resend without evidence of loss wait for so much longer.
 *
 * <p>Mean and deviation are smoothed as RFC 6298 smooths round trips, gains 1/8 and 1/4. One late
 * turn is allowed for at once and all but forgotten within forty turns that are on time.
 * Loop-confined.
 */
public final class TurnLateness {
  /**
   * A turn that is later than this counts as so late: a process that stood still for seconds is not
   * patient for minutes.
   */
  public static final long SAMPLE_NS_MAX = 50_000_000;

  private long smoothedNs;
  private long deviationNs;

  /**
   * Notes that a turn began so many nanoseconds after the deadline that was to begin it; negative
   * counts as 0.
   */
  public void onTurn(long lateNs) {
    long sampleNs = Math.min(Math.max(lateNs, 0), SAMPLE_NS_MAX);
    deviationNs += (Math.abs(smoothedNs - sampleNs) - deviationNs) / 4;
    smoothedNs += (sampleNs - smoothedNs) / 8;
  }

  /** Returns what a timer allows for late turns, ns: the mean and four times the deviation. */
  public long allowanceNs() {
    return smoothedNs + 4 * deviationNs;
  }
}
