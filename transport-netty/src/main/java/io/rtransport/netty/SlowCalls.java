package io.rtransport.netty;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Finds payloads and sinks of an application that block their event loop, and so every connection
 * of that loop. A call that takes longer than {@link #BOUND_NS} is counted ({@link
 * CounterId#CALLS_BLOCKED}), and the first of each class in this process is logged.
 *
 * <p>It reads the loop's clock twice for each call, and never for the library's own classes ({@link
 * RtPayload#isPrompt}, {@link RtSink#isPrompt}). If the process stands still within a call, that
 * looks the same as a call that blocks.
 */
final class SlowCalls {
  /**
   * Longest time that a call may take, ns: far more than the copy of a packet takes, and less than
   * peers notice.
   */
  static final long BOUND_NS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(SlowCalls.class);

  private static final ClassValue<AtomicBoolean> IS_TOLD =
      new ClassValue<>() {
        @Override
        protected AtomicBoolean computeValue(Class<?> type) {
          return new AtomicBoolean();
        }
      };

  private SlowCalls() {}

  /** Returns the time on the loop of {@code context}, ns. Called before a call. */
  static long nowNs(TransferContext context) {
    return context.eventLoop().ticker().nanoTime();
  }

  /**
   * Checks the time of a call of {@code method} of {@code called}, which began at {@code beganNs}
   * and is over.
   */
  static void judge(TransferContext context, Object called, String method, long beganNs) {
    long tookNs = nowNs(context) - beganNs;
    if (tookNs > BOUND_NS) {
      onSlow(context, called, method, tookNs);
    }
  }

  private static void onSlow(TransferContext context, Object called, String method, long tookNs) {
    Counters counters = context.counters();
    if (counters != null) { // else a write ends that no connection has had
      counters.increment(CounterId.CALLS_BLOCKED);
    }
    Class<?> type = called.getClass();
    if (IS_TOLD.get(type).compareAndSet(false, true)) {
      LOGGER.warn(
          "{}: {} of {} blocked the event loop for {} ms; said once a class",
          context,
          method,
          type.getName(),
          TimeUnit.NANOSECONDS.toMillis(tookNs));
    }
  }
}
