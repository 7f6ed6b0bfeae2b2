package io.rtransport.netty.internal.stat;

import io.netty.util.concurrent.Promise;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.internal.loop.LoopLink;
import java.util.concurrent.TimeUnit;

/**
 * Reads one event loop by tasks of that loop. Each task reads a few connections, and the next one
 * comes a millisecond later. So 10,000 connections take about 160 ms, of which the loop gives a
 * small part. Counts of connections that end meanwhile may be missing from the sums; with no more
 * connections than one task reads they are exact.
 */
final class LoopReading implements Runnable {
  /** Most connections of one task. */
  static final int CONNECTIONS_PER_STEP = 64;

  private static final long STEP_MILLIS = 1;

  private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(LoopReading.class);

  private final LoopDriver driver;
  private final LoopStat stat = new LoopStat();
  private final Promise<LoopStat> done;
  private int slot;

  private LoopReading(LoopDriver driver, Promise<LoopStat> done) {
    this.driver = driver;
    this.done = done;
  }

  /** Begins to read. {@code done} fails if the loop has ended. Any thread. */
  static void begin(LoopDriver driver, Promise<LoopStat> done) {
    LoopReading reading = new LoopReading(driver, done);
    try {
      driver.loop().execute(reading);
    } catch (RuntimeException e) {
      done.tryFailure(e);
    }
  }

  @Override
  public void run() {
    try {
      if (slot == 0) {
        stat.addLoop(driver);
      }
      slot = driver.forEachLink(slot, CONNECTIONS_PER_STEP, this::add);
      if (slot < 0) {
        done.trySuccess(stat);
      } else if (!done.isDone()) {
        driver.loop().schedule(this, STEP_MILLIS, TimeUnit.MILLISECONDS);
      }
    } catch (RuntimeException e) {
      done.tryFailure(e);
    }
  }

  private void add(LoopLink link) {
    try {
      stat.add(link);
    } catch (RuntimeException e) { // it must not hide the others
      LOGGER.warn("a connection that cannot be read: {}", link.connection().remote(), e);
    }
  }
}
