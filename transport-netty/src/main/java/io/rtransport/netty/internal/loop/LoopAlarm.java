package io.rtransport.netty.internal.loop;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.ScheduledFuture;
import io.rtransport.core.time.DeadlineWheel;
import java.util.concurrent.TimeUnit;

/**
 * The one deadline that an event loop's driver has armed. It moves only to be sooner, so most sends
 * and acknowledgements arm nothing. If nothing is due it is not armed, and wakes no thread.
 * Confined to the event loop.
 */
public final class LoopAlarm {
  /**
   * Lateness of NIO's timers, ns: its selector waits for whole milliseconds, so up to one longer.
   */
  public static final long NIO_TICK_NS = TimeUnit.MILLISECONDS.toNanos(1);

  /**
   * Lateness of other loops' timers, ns: the kernel's timers are late by 50 µs unless told
   * otherwise, and a turn takes its time.
   */
  public static final long TICK_NS = TimeUnit.MICROSECONDS.toNanos(200);

  private final EventLoop loop;
  private final Runnable action;
  private final Runnable task = this::ring;
  private ScheduledFuture<?> armed;
  private long armedNs = DeadlineWheel.NONE;
  private long rings;

  public LoopAlarm(EventLoop loop, Runnable action) {
    this.loop = loop;
    this.action = action;
  }

  /** Returns how late the alarm may ring on a host that is not busy, ns. */
  public static long tickNs(EventLoop loop) {
    // A loop that never sleeps has another type, and its timers are as exact as its turns.
    boolean isNio = loop instanceof IoEventLoop io && io.isIoType(NioIoHandler.class);
    return isNio ? NIO_TICK_NS : TICK_NS;
  }

  /**
   * Makes the alarm ring at {@code deadlineNs} or sooner; the woken driver checks the deadlines.
   * {@link DeadlineWheel#NONE} changes nothing.
   */
  public void setNoLaterThan(long deadlineNs) {
    if (deadlineNs == DeadlineWheel.NONE || deadlineNs >= armedNs) {
      return;
    }
    if (armed != null) {
      armed.cancel(false);
    }
    armedNs = deadlineNs;
    long delayNs = Math.max(0, deadlineNs - loop.ticker().nanoTime());
    armed = loop.schedule(task, delayNs, TimeUnit.NANOSECONDS);
  }

  private void ring() {
    armed = null;
    armedNs = DeadlineWheel.NONE;
    rings++;
    action.run();
  }

  /**
   * Makes the alarm ring once more, after the loop has looked at its sockets. Called from the
   * action.
   */
  public void ringAgain() {
    rings--; // both count as one wake-up
    armedNs = Long.MIN_VALUE; // no deadline is sooner
    armed = loop.schedule(task, 0, TimeUnit.NANOSECONDS);
  }

  /** Returns how many times it has woken the loop so far. */
  public long rings() {
    return rings;
  }
}
