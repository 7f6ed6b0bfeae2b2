package io.rtransport.loadgen.proof;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * How much this machine kept a thread waiting that wanted to run every few milliseconds: what a
 * bound on wall-clock time allows for, so that it judges the transport and not whatever else runs
 * here.
 */
final class Lateness implements AutoCloseable {
  private static final long PERIOD_MILLIS = 5;
  private static final long SLACK_NS = 1_000_000;

  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private volatile long sumNs;
  private volatile long worstNs;
  private long lastNs = System.nanoTime();

  Lateness() {
    clock.scheduleWithFixedDelay(this::look, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void look() {
    long nowNs = System.nanoTime();
    long lateNs = Math.max(0, nowNs - lastNs - PERIOD_MILLIS * 1_000_000 - SLACK_NS);
    sumNs += lateNs;
    worstNs = Math.max(worstNs, lateNs);
    lastNs = nowNs;
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
    clock.shutdownNow();
  }
}
