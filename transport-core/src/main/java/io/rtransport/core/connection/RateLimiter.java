package io.rtransport.core.connection;

/** Token bucket that limits answers to strangers. */
final class RateLimiter {
  private final long intervalNs;
  private final int burst;
  private long fullAtNs = Long.MIN_VALUE;

  /** Allows {@code burst} answers at once and {@code perSecond} in the long run. */
  RateLimiter(int perSecond, int burst) {
    this.intervalNs = 1_000_000_000L / perSecond;
    this.burst = burst;
  }

  boolean tryAcquire(long nowNs) {
    long start = Math.max(fullAtNs, nowNs);
    if (start - nowNs > (burst - 1) * intervalNs) {
      return false;
    }
    fullAtNs = start + intervalNs;
    return true;
  }
}
