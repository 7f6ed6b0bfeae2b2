package io.rtransport.core.congestion;

/**
 * Mean difference of the delay between successive rounds. It shows no queue, because a standing
 * queue is in both rounds. Measured as in RTP (RFC 3550, 6.4.1).
 */
final class RoundJitter {
  /**
   * Number of jitters by which a round may differ without being late. As in RFC 6298 for round
   * trips.
   */
  static final int FACTOR = 4;

  /**
   * Most room for jitter, in units of T. Own value: where all packets overtake each other, more
   * packets in flight mean more needless resends.
   */
  static final int TARGETS_MAX = 3;

  /** Weight of a round in the jitter: one in 16, from RFC 3550. */
  static final int SHARE = 16;

  private long lastNs;
  private long meanNs;

  /** Takes a round that has ended, with its least round trip {@code signalNs}, at least 1. */
  void measure(long signalNs) {
    if (lastNs != 0) {
      meanNs += (Math.abs(signalNs - lastNs) - meanNs) / SHARE;
    }
    lastNs = signalNs;
  }

  /** Starts anew: the next round does not follow the last one. */
  void interrupt() {
    lastNs = 0;
  }

  /** Forgets the jitter: the path leads elsewhere. */
  void restart() {
    lastNs = 0;
    meanNs = 0;
  }

  /** Returns the room for jitter with a target of {@code targetNs}, ns. */
  long roomNs(long targetNs) {
    return Math.min(TARGETS_MAX * targetNs, FACTOR * meanNs);
  }
}
