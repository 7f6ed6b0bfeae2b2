package io.rtransport.core.congestion;

/**
 * The bytes in flight on a path, and the most that were of late: a window that was never filled was
 * never tested. A flight ends when what was in flight at its beginning has left, by an
 * acknowledgement or as lost, which is a round trip after it. (The most, not the moment's: a whole
 * flight may be acknowledged in one burst.)
 */
final class Flight {
  private long bytes;
  private long leftBytes;
  private long peakBytes;
  private long lastPeakBytes;

  void onSent(int length) {
    bytes += length;
    peakBytes = Math.max(peakBytes, bytes);
  }

  void onLeft(int length) {
    bytes = Math.max(0, bytes - length);
    leftBytes -= length;
    if (leftBytes <= 0) {
      leftBytes = bytes;
      lastPeakBytes = peakBytes;
      peakBytes = bytes;
    }
  }

  /** In flight now. */
  long bytes() {
    return bytes;
  }

  /** The most in this flight. */
  long peakBytes() {
    return peakBytes;
  }

  /** The most in this flight and the last. */
  long recentPeakBytes() {
    return Math.max(peakBytes, lastPeakBytes);
  }
}
