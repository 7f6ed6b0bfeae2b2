package io.rtransport.core.congestion;

/**
 * How far rounds that follow each other are apart, which is no queue: one that stands is in both.
 * Measured as RTP does (RFC 3550, 6.4.1).
 */
final class RoundJitter {
  /**
   * Jitters that a round may be away from the others without being late. As RFC 6298 has it of
   * round trips.
   */
  static final int FACTOR = 4;

  /**
   * The most room for jitter, in units of T. Ours: where all packets overtake each other more of
   * them in flight are resent for nothing.
   */
  static final int TARGETS_MAX = 3;

  /** Share that a round has in the jitter: one in 16, of RFC 3550. */
  static final int SHARE = 16;

  private long lastNs;
  private long meanNs;

  /** A round has ended whose least round trip was {@code signalNs}, at least 1. */
  void measure(long signalNs) {
    if (lastNs != 0) {
      meanNs += (Math.abs(signalNs - lastNs) - meanNs) / SHARE;
    }
    lastNs = signalNs;
  }

  /** The next round does not follow the last one. */
  void interrupt() {
    lastNs = 0;
  }

  /** The path is another. */
  void restart() {
    lastNs = 0;
    meanNs = 0;
  }

  /** What a target of {@code targetNs} leaves for it, ns. */
  long roomNs(long targetNs) {
    return Math.min(TARGETS_MAX * targetNs, FACTOR * meanNs);
  }
}
