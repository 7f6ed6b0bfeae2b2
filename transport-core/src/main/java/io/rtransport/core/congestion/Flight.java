package io.rtransport.core.congestion;

/**
 * Bytes in flight on a path, and their recent peak: a window that was never filled was never
 * tested. A flight ends when everything that was in flight at its beginning was acknowledged or
 * lost, one round trip later. The peak counts, not the current value, because one burst may
 * acknowledge a whole flight.
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

  /** Returns the bytes in flight now. */
  long bytes() {
    return bytes;
  }

  /** Returns the peak of this flight. */
  long peakBytes() {
    return peakBytes;
  }

  /** Returns the peak of this flight and the last. */
  long recentPeakBytes() {
    return Math.max(peakBytes, lastPeakBytes);
  }
}
