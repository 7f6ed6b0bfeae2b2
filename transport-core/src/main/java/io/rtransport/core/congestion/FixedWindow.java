package io.rtransport.core.congestion;

/**
 * Window of constant size: for benchmarks, for a private path, and to observe the sliding window
 * alone.
 */
public final class FixedWindow implements CongestionControl {
  private final long windowBytes;

  /**
   * Creates the window.
   *
   * @param windowBytes bytes that may be in flight, at least 1
   */
  public FixedWindow(long windowBytes) {
    if (windowBytes < 1) {
      throw new IllegalArgumentException("windowBytes=" + windowBytes + ", valid: at least 1");
    }
    this.windowBytes = windowBytes;
  }

  @Override
  public boolean onSent(int bytes, long nowNs) {
    return false;
  }

  @Override
  public void onAcknowledged(int bytes, long rttNs, long nowNs) {}

  @Override
  public void onLost(int bytes, long sentAtNs, long nowNs) {}

  @Override
  public void onTimeout(long nowNs) {}

  @Override
  public void onMoved(boolean isOtherHost, long nowNs) {}

  @Override
  public long windowBytes() {
    return windowBytes;
  }
}
