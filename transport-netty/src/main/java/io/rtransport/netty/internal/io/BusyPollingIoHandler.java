package io.rtransport.netty.internal.io;

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import java.util.function.LongSupplier;

/**
 * I/O handler of an event loop that never sleeps, or only after it has found nothing for some time.
 * It wraps another handler and tells it in each turn that it may not block. So that handler asks
 * the kernel (io_uring: looks into the ring) and comes back. The loop itself looks for timers and
 * tasks once a turn. So a task from another thread needs no wake-up meanwhile, and a timer needs no
 * timer of the kernel.
 *
 * <p>A loop that has found nothing for long offers its processor after each turn to other threads
 * that wait for it. If there are more such loops than processors, a loop with a new message does
 * not wait for the time slice of an idle one. If no thread waits, the offer costs a fraction of a
 * microsecond a turn. Confined to its loop, except {@link #wakeup}.
 */
public final class BusyPollingIoHandler extends DelegatingIoHandler {
  /**
   * Turns without work before the processor is offered to other threads: some tens of microseconds,
   * longer than a round trip on one host.
   */
  public static final int SPINS_MAX = 64;

  /** Value of pollNs for a loop that never sleeps. */
  public static final long FOREVER = Long.MAX_VALUE;

  private final long pollNs;
  private final LongSupplier clock;
  private final Runnable yield;
  private Unblocked unblocked;
  private int emptyTurns;
  private long emptySinceNs;

  /**
   * @param pollNs time without work after which the loop may sleep, or {@link #FOREVER}
   * @param clock nanoseconds
   * @param yield gives the processor to another thread that waits for one
   */
  public BusyPollingIoHandler(IoHandler handler, long pollNs, LongSupplier clock, Runnable yield) {
    super(handler);
    this.pollNs = pollNs;
    this.clock = clock;
    this.yield = yield;
  }

  public static IoHandlerFactory factory(IoHandlerFactory handlers, long pollNs) {
    return factory(
        handlers,
        executor ->
            new BusyPollingIoHandler(
                handlers.newHandler(executor), pollNs, System::nanoTime, Thread::yield));
  }

  @Override
  public int run(IoHandlerContext context) {
    if (unblocked == null || unblocked.context != context) {
      unblocked = new Unblocked(context);
    }
    int handled = handler.run(mayBlock() ? context : unblocked);
    if (handled > 0 || !context.canBlock()) {
      emptyTurns = 0;
      return handled;
    }
    if (emptyTurns == 0 && pollNs != FOREVER) {
      emptySinceNs = clock.getAsLong();
    }
    if (emptyTurns < SPINS_MAX) {
      emptyTurns++;
      Thread.onSpinWait();
    } else {
      yield.run();
    }
    return handled;
  }

  private boolean mayBlock() {
    return pollNs != FOREVER && emptyTurns > 0 && clock.getAsLong() - emptySinceNs >= pollNs;
  }

  /**
   * Wakes the loop. A loop that never sleeps needs no wake-up, which saves a system call for each
   * task from another thread.
   */
  @Override
  public void wakeup() {
    if (pollNs != FOREVER) {
      handler.wakeup();
    }
  }

  /** Context of a loop, except that it may never block. */
  private static final class Unblocked implements IoHandlerContext {
    private final IoHandlerContext context;

    Unblocked(IoHandlerContext context) {
      this.context = context;
    }

    @Override
    public boolean canBlock() {
      return false;
    }

    @Override
    public long delayNanos(long currentTimeNanos) {
      return context.delayNanos(currentTimeNanos);
    }

    @Override
    public long deadlineNanos() {
      return context.deadlineNanos();
    }

    @Override
    public void reportActiveIoTime(long activeNanos) {
      context.reportActiveIoTime(activeNanos);
    }

    @Override
    public boolean shouldReportActiveIoTime() {
      return context.shouldReportActiveIoTime();
    }
  }
}
