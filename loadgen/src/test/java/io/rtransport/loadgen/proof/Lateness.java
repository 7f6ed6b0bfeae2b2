package io.rtransport.loadgen.proof;

import java.time.Duration;

/**
 * How much this machine kept a thread waiting that wanted to run every few milliseconds: what a bound on wall-clock time allows for, so that it
 * judges the transport and not whatever else runs here.
 */
final class Lateness implements AutoCloseable {
  private static final long PERIOD_MILLIS = 5;
  private static final long SLACK_NS = 1_000_000;

  private final Thread thread = new Thread(this::run, "rt-proof-lateness");
  private volatile long sumNs;
  private volatile long worstNs;
  private volatile boolean isOver;

  Lateness() {
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    long lastNs = System.nanoTime();
    while (!isOver) {
      try {
        Thread.sleep(PERIOD_MILLIS);
      } catch (InterruptedException e) {
        return;
      }
      long nowNs = System.nanoTime();
      long lateNs = Math.max(0, nowNs - lastNs - PERIOD_MILLIS * 1_000_000 - SLACK_NS);
      sumNs += lateNs;
      worstNs = Math.max(worstNs, lateNs);
      lastNs = nowNs;
    }
  }

  /** So far. */
  Duration sum() {
    return Duration.ofNanos(sumNs);
  }

  /** The longest wait so far. */
  Duration worst() {
    return Duration.ofNanos(worstNs);
  }

  @Override
  public void close() {
    isOver = true;
  }
}
