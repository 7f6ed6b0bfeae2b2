package io.rtransport.core.window;

/**
 * The round-trip time of one path: the smoothed value and the variation (RFC 6298, gains 1/8 and
 * 1/4), and the lowest recent time.
 *
 * <p>The peer reports how long it held the packet that it answers. The report may be false, or the
 * peer's clock may stall. So a report never reduces a sample below the lowest real time between a
 * packet and its answer. That minimum covers the last 10 to 20 s. If the peer held every packet,
 * the minimum would come to include the hold time. So now and then a packet asks for its answer at
 * once.
 */
final class RttEstimator {
  /**
   * Length of a period. The minimum covers the current period and the one before, so that it rises
   * some time after a path became slower.
   */
  static final long MINIMUM_PERIOD_NS = 10_000_000_000L;

  /**
   * Time with only held packets after which a packet asks for its answer at once. If that packet is
   * held too, another asks {@link #ASK_AGAIN_NS} later.
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
   * Handles a sample. {@code elapsedNs} is the time from a send to the answer; the peer reports
   * that it held the packet for {@code heldNs} of it.
   *
   * @return whether the values are plausible
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

  /** Discards all samples and starts with this one. */
  void restart(long elapsedNs, long nowNs) {
    latestNs = 0;
    minNs = Long.MAX_VALUE;
    previousMinNs = Long.MAX_VALUE;
    onSample(elapsedNs, 0, nowNs);
  }

  /**
   * Returns whether a packet that leaves now should ask for its answer at once. After true, the
   * next packet does not ask.
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
   * Returns the lowest time between a send and its answer in the last one or two periods; 0 without
   * a sample.
   */
  long minNs() {
    long least = Math.min(minNs, previousMinNs);
    return least == Long.MAX_VALUE ? 0 : least;
  }
}
