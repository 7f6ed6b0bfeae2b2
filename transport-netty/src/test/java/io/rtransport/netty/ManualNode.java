package io.rtransport.netty;

import io.netty.channel.EventLoop;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.local.LocalIoHandler;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import io.rtransport.core.connection.LoopResources;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.internal.loop.LoopDrivers;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * One event loop with the driver of a node behind it, on a clock that the test moves; the test's
 * thread runs it. The same seed twice does the same.
 */
public final class ManualNode implements AutoCloseable {
  private static final int STORE_BYTES = 1 << 19;
  private static final long BUDGET_BYTES = 1 << 21;
  private static final long POOL_BYTES = 1 << 20;

  private final MockTicker ticker = Ticker.newMockTicker();
  private final ManualIoEventLoop loop =
      new ManualIoEventLoop(null, Thread.currentThread(), LocalIoHandler.newFactory(), ticker);
  private final LoopResources resources;
  private final NodeBudgets budgets = NodeBudgets.of(BUDGET_BYTES, POOL_BYTES);
  private final LoopDriver driver;

  public ManualNode(int index, long seed) {
    resources = new LoopResources(STORE_BYTES, 1 << 8, new Random(seed));
    driver = LoopDrivers.install(loop, index, resources, budgets, new Random(seed + 1), loop);
  }

  public EventLoop loop() {
    return loop;
  }

  /** Does all that is due at {@code nowNs}. */
  public void run(long nowNs) {
    ticker.advance(nowNs - ticker.nanoTime(), TimeUnit.NANOSECONDS);
    while (loop.runNow() > 0) {
      // until there is nothing left
    }
  }

  /** Lets time pass within a call of the loop. */
  void spend(long ns) {
    ticker.advance(ns, TimeUnit.NANOSECONDS);
  }

  /**
   * When its connections next have something to do; what is scheduled on the loop beside them is
   * not counted.
   */
  public long nextDeadlineNs() {
    return driver.endpoint().nextDeadlineNs();
  }

  /** Bytes of messages that have come and cannot be opened yet. */
  long heldBytes() {
    return resources.solicitation().holding().inUseBytes();
  }

  /**
   * What is still held though every connection has ended and been forgotten; empty if nothing is.
   */
  public String left() {
    StringBuilder left = new StringBuilder();
    say(left, "connections", driver.endpoint().size());
    say(left, "packets in flight", resources.retransmissionEngine().inFlightCount());
    say(left, "store", resources.store().unitCount() - resources.store().freeUnits());
    say(left, "reservations of the store", resources.store().reservedUnits());
    say(left, "reorder entries", resources.solicitation().reorderTable().size());
    say(left, "held bytes", resources.solicitation().holding().inUseBytes());
    say(left, "transactions", resources.solicitation().transactions().inUse());
    say(left, "budget", budgets.solicitation().countedBytes());
    say(left, "pull reservations", budgets.solicitation().pullBytes());
    say(left, "credit", budgets.credit().usedBytes());
    say(
        left,
        "receive buffers",
        driver.receiveBuffers().keptCount() - driver.receiveBuffers().freeCount());
    return left.toString();
  }

  private static void say(StringBuilder left, String what, long count) {
    if (count != 0) {
      left.append(what).append(' ').append(count).append("; ");
    }
  }

  @Override
  @SuppressWarnings("deprecation") // the graceful way sleeps on the wall clock
  public void close() {
    loop.shutdown();
    loop.runNow();
  }
}
