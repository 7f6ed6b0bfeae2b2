package io.rtransport.netty.internal.loop;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.ScheduledFuture;
import io.rtransport.core.time.DeadlineWheel;
import java.util.concurrent.TimeUnit;

/**
 * The one deadline that an event loop's driver has armed: moved only to be sooner, so that most of
 * what is sent and acknowledged arms nothing. Where nothing is due it is not armed, and wakes
 * nobody. Confined to the event loop.
 */
public final class LoopAlarm {
  /** NIO's selector waits for whole milliseconds, and so up to one longer. */
  public static final long NIO_TICK_NS = TimeUnit.MILLISECONDS.toNanos(1);

  /**
   * Of other loops: the kernel's timers are late by 50 µs unless told otherwise, and a turn takes
   * its time.
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

  /** How late the alarm may ring on a host that is not busy, ns. */
  public static long tickNs(EventLoop loop) {
    // A loop that never sleeps is another type, and its timers are as exact as its turns.
    boolean isNio = loop instanceof IoEventLoop io && io.isIoType(NioIoHandler.class);
    return isNio ? NIO_TICK_NS : TICK_NS;
  }

  /**
   * Rings at {@code deadlineNs}, or sooner: whoever is woken looks for himself. {@link
   * DeadlineWheel#NONE}: leaves it as it is.
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

  /** From the action: rings once more, when the loop has looked at its sockets. */
  public void ringAgain() {
    rings--; // one wake-up
    armedNs = Long.MIN_VALUE; // no deadline is sooner
    armed = loop.schedule(task, 0, TimeUnit.NANOSECONDS);
  }

  /** Times that it woke the loop so far. */
  public long rings() {
    return rings;
  }
}
