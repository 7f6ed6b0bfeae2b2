package io.rtransport.core.congestion;

/**
 * A window that never moves: for benchmarks, for a path that is one's own, and to see what the
 * sliding window does by itself.
 */
public final class FixedWindow implements CongestionControl {
  private final long windowBytes;

  /**
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
