package io.rtransport.core.congestion;

/**
 * Distinguishes a bad line from a queue that is too short to show in the delay. The queue loses
 * more than the line does.
 */
final class LossPeriod {
  /**
   * Share of lost packets in a period above which the loss is not random: one in six. Own value: 10
   * % of random loss lies 3 σ below it.
   */
  static final int SHARE = 6;

  /** Least number of packets in a period. */
  static final int PACKETS = 128;

  private long bytes;
  private long lostBytes;

  /**
   * Counts bytes that were acknowledged or lost.
   *
   * @return whether these bytes end a period with too much loss
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
