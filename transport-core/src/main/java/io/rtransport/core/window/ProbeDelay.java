package io.rtransport.core.window;

/**
 * How long a path waits for an answer before it probes: max(2·SRTT, SRTT + 4·RTTVAR) and the time
 * that the peer may hold an acknowledgement, at least 1 ms together, plus
 *
 * <ul>
 *   <li>the lateness of this loop's own turns ({@link TurnLateness}), and
 *   <li>what needless resends have taught: each one lengthens the delay by half of itself, or to
 *       the time that the answer took if that is longer. Sixteen answers in a row that came within
 *       half of the delay take half of the lesson back.
 * </ul>
 *
 * <p>SRTT + 4·RTTVAR + ack delay is QUIC's probe timeout (RFC 9002, 6.2.1); 2·SRTT is that of TLP
 * (RFC 8985, 7.2).
 */
final class ProbeDelay {
  /** Until the path has a sample. */
  static final long UNSAMPLED_NS = 50_000_000;

  /** RFC 9002's granularity: no probe sooner, however short the path. */
  static final long DELAY_NS_MIN = 1_000_000;

  /**
   * Limit of what needless resends may add: with it a probe waits as long as TCP's least timeout.
   */
  static final long LEARNED_NS_MAX = 200_000_000;

  /** Answers in a row, each within half of the delay, that halve what was learned. */
  static final int QUICK_ANSWERS = 16;

  /** Less than this was not worth learning. */
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

  /** Returns the time from a send to its probe, ns. */
  long delayNs() {
    return rtt.hasSample() ? pathNs() + learnedNs + lateness.allowanceNs() : UNSAMPLED_NS;
  }

  private long pathNs() {
    long smoothedNs = rtt.smoothedNs();
    long answerNs = smoothedNs + Math.max(smoothedNs, 4 * rtt.variationNs());
    return Math.max(answerNs + peerAckDelayNs, DELAY_NS_MIN);
  }

  /**
   * Returns whether needless resends have taught something that quick answers have not taken back
   * yet.
   */
  boolean hasLearned() {
    return learnedNs > 0;
  }

  /** Returns the delay that needless resends have taught, ns. */
  long learnedNs() {
    return learnedNs;
  }

  /**
   * Notes that a probe, or an expiry of the ADP timer, proved needless.
   *
   * @param tookNs from the first send to the answer, or 0 where that is not known
   */
  void onNeedless(long tookNs) {
    long pathNs = pathNs();
    long longerNs = learnedNs + (pathNs + learnedNs) / 2;
    learnedNs = Math.min(LEARNED_NS_MAX, Math.max(longerNs, tookNs - pathNs));
    quickAnswers = 0;
  }

  /**
   * Notes that an answer came so long after its packet, the time for which the peer held it
   * included.
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
