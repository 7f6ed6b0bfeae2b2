package io.rtransport.core.window;

/**
 * The lateness of an event loop's turns, measured against the deadlines that wake them. A timer
 * that expires in a late turn may be caused by this host instead of the peer. So timers that resend
 * without evidence of loss wait for this additional time.
 *
 * <p>Mean and deviation are smoothed like round trips in RFC 6298, with gains 1/8 and 1/4. One late
 * turn has its full effect at once. After forty turns on time its effect has almost vanished.
 * Loop-confined.
 */
public final class TurnLateness {
  /**
   * Largest lateness that counts. A process that stopped for seconds must not make the timers wait
   * for minutes.
   */
  public static final long SAMPLE_NS_MAX = 50_000_000;

  private long smoothedNs;
  private long deviationNs;

  /** Handles a turn that began {@code lateNs} after its deadline; negative counts as 0. */
  public void onTurn(long lateNs) {
    long sampleNs = Math.min(Math.max(lateNs, 0), SAMPLE_NS_MAX);
    deviationNs += (Math.abs(smoothedNs - sampleNs) - deviationNs) / 4;
    smoothedNs += (sampleNs - smoothedNs) / 8;
  }

  /**
   * Returns the time that a timer adds for late turns, in nanoseconds: the mean plus four times the
   * deviation.
   */
  public long allowanceNs() {
    return smoothedNs + 4 * deviationNs;
  }
}
