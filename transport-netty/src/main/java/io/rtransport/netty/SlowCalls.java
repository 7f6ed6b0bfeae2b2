package io.rtransport.netty;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.stats.CounterId;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Finds an application's payloads and sinks that block their event loop, and with it every
 * connection of that loop: a call that takes longer than {@link #BOUND_NS} is counted ({@link
 * CounterId#CALLS_BLOCKED}), and the first of its class in this process is logged.
 *
 * <p>It reads the loop's clock twice a call, and never for what the library makes itself ({@link
 * RtPayload#isPrompt}, {@link RtSink#isPrompt}). A process that stands still within a call looks
 * the same as a call that blocks.
 */
final class SlowCalls {
  /** What a call may take: far more than copying a packet does, and less than what peers notice. */
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

  /** The time on the loop of {@code context}, before a call. */
  static long nowNs(TransferContext context) {
    return context.eventLoop().ticker().nanoTime();
  }

  /** A call of {@code method} of {@code called} is over, which began at {@code beganNs}. */
  static void judge(TransferContext context, Object called, String method, long beganNs) {
    long tookNs = nowNs(context) - beganNs;
    if (tookNs > BOUND_NS) {
      onSlow(context, called, method, tookNs);
    }
  }

  private static void onSlow(TransferContext context, Object called, String method, long tookNs) {
    context.counters().increment(CounterId.CALLS_BLOCKED);
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
