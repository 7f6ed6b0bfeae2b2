package io.rtransport.core.congestion;

/**
 * Spreads what a large window lets go at once, on a long path. Acknowledgements that were held up
 * together would let go megabytes in one burst, which is more than the socket buffers on the way
 * hold. So sends draw on an allowance, which fills at a multiple of window / round trip: twice it
 * for windows that a buffer holds, that slow start can double, five quarters of it above.
 *
 * <p>It never holds less than {@value #BURST_BYTES} bytes, or two milliseconds' worth, when nothing
 * was sent of late: a window that is smaller is not paced, nor a path of up to {@link
 * PathRoom#FAST_PATH_NS}.
 */
public final class Pacer {
  /** Bytes that may always leave at once: an eighth of {@link #BUFFER_BYTES}. */
  static final int BURST_BYTES = 512 << 10;

  /** The longest burst, ns: loops wake up no more often than once in a millisecond for it. */
  static final long BURST_NS = 2_000_000;

  /** A window that a socket's buffer holds whole, bytes: what RT's own sockets ask for. */
  static final int BUFFER_BYTES = 4 << 20;

  static final double SMALL_GAIN = 2;
  static final double LARGE_GAIN = 1.25;

  private double allowanceBytes = BURST_BYTES;
  private long filledNs;
  private double bytesPerNs;

  /**
   * Whether something may leave now.
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

  /** So many bytes have left. */
  public void onSent(int bytes) {
    if (bytesPerNs > 0) {
      allowanceBytes -= bytes;
    }
  }

  /**
   * When half of a burst may leave, ns; {@link Long#MAX_VALUE} unless {@link #isOpen} has just said
   * no.
   */
  public long opensNs() {
    if (bytesPerNs == 0 || allowanceBytes > 0) {
      return Long.MAX_VALUE;
    }
    double waitedForBytes = Math.max(BURST_BYTES, bytesPerNs * BURST_NS) / 2 - allowanceBytes;
    return filledNs + (long) (waitedForBytes / bytesPerNs);
  }
}
