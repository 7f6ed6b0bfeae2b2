package io.rtransport.core.time;

import java.util.random.RandomGenerator;

/**
 * Timer of CONNECT, CLOSE and PING: 100 ms, growing by half each time, at most 1 s. Each delay
 * varies by up to 10 % so that peers drift apart.
 */
public final class Backoff {
  public static final long FIRST_NS = 100_000_000L;
  public static final long CAP_NS = 1_000_000_000L;

  private final RandomGenerator random;
  private long delayNs = FIRST_NS;

  public Backoff(RandomGenerator random) {
    this.random = random;
  }

  /** Starts again with the first delay. */
  public void reset() {
    delayNs = FIRST_NS;
  }

  /** Returns the delay until the next repetition. The following one is longer. */
  public long nextDelayNs() {
    long delay = delayNs;
    delayNs = Math.min(delayNs + delayNs / 2, CAP_NS);
    long jitter = delay / 10;
    return delay - jitter + random.nextLong(2 * jitter + 1);
  }
}
