package io.rtransport.core.time;

import java.util.random.RandomGenerator;

/**
 * The timer of CONNECT, CLOSE and PING: 100 ms, growing by half, at most 1 s, each time off by up
 * to 10 % so that peers drift apart.
 */
public final class Backoff {
  public static final long FIRST_NS = 100_000_000L;
  public static final long CAP_NS = 1_000_000_000L;

  private final RandomGenerator random;
  private long delayNs = FIRST_NS;

  public Backoff(RandomGenerator random) {
    this.random = random;
  }

  /** Starts over at the first delay. */
  public void reset() {
    delayNs = FIRST_NS;
  }

  /** The delay until the next repetition; the one after is longer. */
  public long nextDelayNs() {
    long delay = delayNs;
    delayNs = Math.min(delayNs + delayNs / 2, CAP_NS);
    long jitter = delay / 10;
    return delay - jitter + random.nextLong(2 * jitter + 1);
  }
}
