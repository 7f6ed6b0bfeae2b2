package io.rtransport.core.congestion;

/**
 * Tells a queue too short to be seen in the delay from a bad line: it loses more than such a line
 * does.
 */
final class LossPeriod {
  /**
   * Share of the packets of a period that is lost through no random fault any more: one in six.
   * Ours: 10 % of random loss lies 3 σ below it.
   */
  static final int SHARE = 6;

  /** Packets of a period, at least. */
  static final int PACKETS = 128;

  private long bytes;
  private long lostBytes;

  /**
   * Counts bytes that were acknowledged, or lost.
   *
   * @return whether a period ends with them in which too much was lost
   */
  boolean count(int countedBytes, int ofThemLost, double packetBytes) {
    bytes += countedBytes;
    lostBytes += ofThemLost;
    if (bytes < PACKETS * packetBytes) {
      return false;
    }
    boolean isTooMuch = lostBytes * SHARE > bytes;
    bytes = 0;
    lostBytes = 0;
    return isTooMuch;
  }
}
