package io.rtransport.core.window;

/**
 * Estimator of the round-trip time of one path: smoothed value and variation (RFC 6298, gains 1/8
 * and 1/4), and the least value seen lately.
 *
 * <p>The peer says how long it held the packet it answers. It may lie, or its clock may stall. So
 * what it says never takes a sample below the least time that a packet and its answer really took.
 * That least is of the last 10 to 20 s. A peer that holds every packet for a while would add that
 * time to it, so now and then a packet asks for its answer at once.
 */
final class RttEstimator {
  /**
   * The least is that of the current period and the one before, so that a path that became slower
   * is believed after a while.
   */
  static final long MINIMUM_PERIOD_NS = 10_000_000_000L;

  /**
   * With nothing but held packets for so long one is to be answered at once; if none is, so much
   * later another.
   */
  static final long PROMPT_NS = MINIMUM_PERIOD_NS / 2;

  static final long ASK_AGAIN_NS = 1_000_000_000L;

  private long smoothedNs;
  private long variationNs;
  private long latestNs;
  private long minNs = Long.MAX_VALUE;
  private long previousMinNs = Long.MAX_VALUE;
  private long periodStartNs;
  private boolean wasHeld;
  private long askNs;

  boolean hasSample() {
    return latestNs != 0;
  }

  /**
   * Takes a sample of {@code elapsedNs} from a send to the answer. The peer says that it held the
   * packet for {@code heldNs} of that time.
   *
   * @return whether it can be one
   */
  boolean onSample(long elapsedNs, long heldNs, long nowNs) {
    long elapsed = Math.max(1, elapsedNs);
    if (heldNs < 0 || heldNs > elapsed) {
      return false;
    }
    wasHeld = heldNs > elapsed >> 2;
    if (!wasHeld || !hasSample()) {
      askNs = nowNs + PROMPT_NS;
    }
    rollMinimum(nowNs);
    minNs = Math.min(minNs, elapsed);
    long sample = Math.max(elapsed - heldNs, Math.min(minNs(), elapsed));
    if (!hasSample()) {
      smoothedNs = sample;
      variationNs = sample >> 1;
    } else {
      variationNs += (Math.abs(smoothedNs - sample) - variationNs) / 4;
      smoothedNs += (sample - smoothedNs) / 8;
    }
    latestNs = sample;
    return true;
  }

  /** Forgets all samples and begins with this one. */
  void restart(long elapsedNs, long nowNs) {
    latestNs = 0;
    minNs = Long.MAX_VALUE;
    previousMinNs = Long.MAX_VALUE;
    onSample(elapsedNs, 0, nowNs);
  }

  /**
   * Returns whether a packet that leaves now should ask for its answer at once. Said of one, it is
   * not said of the next.
   */
  boolean isPromptWanted(long nowNs) {
    if (!wasHeld || nowNs - askNs < 0) {
      return false;
    }
    askNs = nowNs + ASK_AGAIN_NS;
    return true;
  }

  private void rollMinimum(long nowNs) {
    if (minNs == Long.MAX_VALUE) {
      periodStartNs = nowNs;
    } else if (nowNs - periodStartNs >= MINIMUM_PERIOD_NS) {
      previousMinNs = minNs;
      minNs = Long.MAX_VALUE;
      periodStartNs = nowNs;
    }
  }

  /** Returns SRTT; 0 without a sample. */
  long smoothedNs() {
    return smoothedNs;
  }

  /** Returns RTTVAR; 0 without a sample. */
  long variationNs() {
    return variationNs;
  }

  /** Returns the last sample; 0 without one. */
  long latestNs() {
    return latestNs;
  }

  /**
   * Returns the least time between a send and its answer, of the last one or two periods; 0 without
   * a sample.
   */
  long minNs() {
    long least = Math.min(minNs, previousMinNs);
    return least == Long.MAX_VALUE ? 0 : least;
  }
}
