package io.rtransport.core.window;

/**
 * The time that a path waits for an answer before it probes. It is max(2·SRTT, SRTT + 4·RTTVAR)
 * plus the time that the peer may hold an acknowledgement, at least 1 ms in total. Two values are
 * added:
 *
 * <ul>
 *   <li>the lateness of this loop's own turns ({@link TurnLateness});
 *   <li>the time learned from needless resends. Each one lengthens the delay by half of itself, or
 *       to the time that the answer took if that is longer. Sixteen answers in a row within half of
 *       the delay halve the learned time.
 * </ul>
 *
 * <p>SRTT + 4·RTTVAR + ack delay is QUIC's probe timeout (RFC 9002, 6.2.1); 2·SRTT is that of TLP
 * (RFC 8985, 7.2).
 */
final class ProbeDelay {
  /** Delay until the path has a sample. */
  static final long UNSAMPLED_NS = 50_000_000;

  /** Minimum of the delay, however short the path: the granularity of RFC 9002. */
  static final long DELAY_NS_MIN = 1_000_000;

  /** Largest learned time. With it a probe waits as long as TCP's minimum timeout. */
  static final long LEARNED_NS_MAX = 200_000_000;

  /** Answers in a row, each within half of the delay, that halve the learned time. */
  static final int QUICK_ANSWERS = 16;

  /** A smaller learned time becomes 0. */
  private static final long LEARNED_NS_MIN = 50_000;

  private final RttEstimator rtt;
  private final TurnLateness lateness;
  private long peerAckDelayNs;
  private long learnedNs;
  private int quickAnswers;

  ProbeDelay(RttEstimator rtt, TurnLateness lateness) {
    this.rtt = rtt;
    this.lateness = lateness;
  }

  /** Sets how long the peer may hold an acknowledgement, as it offered at set-up. */
  void peerAckDelayNs(long offeredNs) {
    peerAckDelayNs = offeredNs;
  }

  /** Returns the time from a send to the probe, in nanoseconds. */
  long delayNs() {
    return rtt.hasSample() ? pathNs() + learnedNs + lateness.allowanceNs() : UNSAMPLED_NS;
  }

  private long pathNs() {
    long smoothedNs = rtt.smoothedNs();
    long answerNs = smoothedNs + Math.max(smoothedNs, 4 * rtt.variationNs());
    return Math.max(answerNs + peerAckDelayNs, DELAY_NS_MIN);
  }

  /** Returns whether a time learned from needless resends is left. */
  boolean hasLearned() {
    return learnedNs > 0;
  }

  /** Returns the time learned from needless resends, in nanoseconds. */
  long learnedNs() {
    return learnedNs;
  }

  /**
   * Handles a probe, or an expiry of the ADP timer, that proved needless.
   *
   * @param tookNs the time from the first send to the answer, or 0 if not known
   */
  void onNeedless(long tookNs) {
    long pathNs = pathNs();
    long longerNs = learnedNs + (pathNs + learnedNs) / 2;
    learnedNs = Math.min(LEARNED_NS_MAX, Math.max(longerNs, tookNs - pathNs));
    quickAnswers = 0;
  }

  /**
   * Handles an answer that came {@code elapsedNs} after its packet, including the time for which
   * the peer held it.
   */
  void onAnswer(long elapsedNs) {
    if (learnedNs == 0) {
      return;
    }
    if (elapsedNs > (pathNs() + learnedNs) / 2) {
      quickAnswers = 0;
    } else if (++quickAnswers >= QUICK_ANSWERS) {
      quickAnswers = 0;
      learnedNs = learnedNs / 2 < LEARNED_NS_MIN ? 0 : learnedNs / 2;
    }
  }
}
