package io.rtransport.core.congestion;

/**
 * Spreads a large window over time on a long path. Acknowledgements that were delayed together
 * would release megabytes in one burst, more than the socket buffers on the way hold. So sends draw
 * on an allowance, which fills at a multiple of window / round trip. The factor is 2 for windows
 * that fit into a buffer, so that slow start can double them, and 5/4 above.
 *
 * <p>After a pause the allowance holds at least {@value #BURST_BYTES} bytes, or two milliseconds'
 * worth. A smaller window is not paced, nor is a path of up to {@link PathRoom#FAST_PATH_NS}.
 */
public final class Pacer {
  /** Bytes that may always leave at once: one eighth of {@link #BUFFER_BYTES}. */
  static final int BURST_BYTES = 512 << 10;

  /** Longest burst, ns. Event loops then wake up for it at most once in a millisecond. */
  static final long BURST_NS = 2_000_000;

  /**
   * Largest window that a socket's buffer holds whole, bytes: the size that RT's own sockets ask
   * for.
   */
  static final int BUFFER_BYTES = 4 << 20;

  static final double SMALL_GAIN = 2;
  static final double LARGE_GAIN = 1.25;

  private double allowanceBytes = BURST_BYTES;
  private long filledNs;
  private double bytesPerNs;

  /**
   * Returns whether a packet may leave now.
   *
   * @param windowBytes the congestion window
   * @param smoothedRttNs the round trip; 0 without a sample
   * @param leastRttNs without queue; 0 without a sample
   */
  public boolean isOpen(long windowBytes, long smoothedRttNs, long leastRttNs, long nowNs) {
    if (leastRttNs <= PathRoom.FAST_PATH_NS || windowBytes <= BURST_BYTES) {
      bytesPerNs = 0;
      return true;
    }
    if (bytesPerNs == 0) { // not paced before
      allowanceBytes = BURST_BYTES;
      filledNs = nowNs;
    }
    double gain = windowBytes <= BUFFER_BYTES ? SMALL_GAIN : LARGE_GAIN;
    bytesPerNs = gain * windowBytes / smoothedRttNs;
    double mostBytes = Math.max(BURST_BYTES, bytesPerNs * BURST_NS);
    allowanceBytes = Math.min(mostBytes, allowanceBytes + bytesPerNs * (nowNs - filledNs));
    filledNs = nowNs;
    return allowanceBytes > 0;
  }

  /** Counts bytes that have left. */
  public void onSent(int bytes) {
    if (bytesPerNs > 0) {
      allowanceBytes -= bytes;
    }
  }

  /**
   * Returns when half of a burst may leave, ns; {@link Long#MAX_VALUE} unless {@link #isOpen} has
   * just returned false.
   */
  public long opensNs() {
    if (bytesPerNs == 0 || allowanceBytes > 0) {
      return Long.MAX_VALUE;
    }
    double waitedForBytes = Math.max(BURST_BYTES, bytesPerNs * BURST_NS) / 2 - allowanceBytes;
    return filledNs + (long) (waitedForBytes / bytesPerNs);
  }
}
