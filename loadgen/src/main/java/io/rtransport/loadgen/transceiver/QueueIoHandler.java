package io.rtransport.loadgen.transceiver;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.rtransport.netty.queue.RtQueues;
import java.time.Duration;

/**
 * I/O of an event loop that is the consumer of RT's queues: each turn polls them once, and a turn
 * without work waits in {@link RtQueues#await}. A timer or a task of the loop ends the wait too.
 * Confined to its loop except for {@link #wakeup}.
 */
final class QueueIoHandler implements IoHandler {
  /** Time without work after which a loop waits, for one that never does. */
  static final long NEVER_NS = Long.MAX_VALUE;

  /** Most entries of a turn. Tasks of the loop, which send, run in between. */
  private static final int LIMIT = 1_024;

  private static final Duration LONG = Duration.ofHours(1);

  private final RtQueues queues;
  private final QueueConsumer consumer;
  private final long pollNs;
  private long workNs;

  private QueueIoHandler(RtQueues queues, QueueConsumer consumer, long pollNs) {
    this.queues = queues;
    this.consumer = consumer;
    this.pollNs = pollNs;
  }

  /**
   * Returns the maker of the I/O of one loop.
   *
   * @param pollNs time without work after which it waits; 0: at once, or {@link #NEVER_NS}
   */
  static IoHandlerFactory newFactory(RtQueues queues, QueueConsumer consumer, long pollNs) {
    return executor -> new QueueIoHandler(queues, consumer, pollNs);
  }

  @Override
  public int run(IoHandlerContext context) {
    int count = queues.poll(consumer, LIMIT);
    if (count == 0 && context.canBlock()) {
      count = idle(context);
    }
    if (count > 0) {
      workNs = pollNs == 0 ? 0 : System.nanoTime();
      consumer.onBatchEnd();
    }
    return count;
  }

  /** Passes the time of a turn without work. */
  private int idle(IoHandlerContext context) {
    if (pollNs != 0 && System.nanoTime() - workNs < pollNs) {
      Thread.yield(); // the event loops below may have no other processor
      return 0;
    }
    if (context.deadlineNanos() < 0) {
      return queues.await(consumer, LIMIT, LONG);
    }
    long leftNs = Math.max(0, context.delayNanos(System.nanoTime()));
    return queues.await(consumer, LIMIT, Duration.ofNanos(Math.min(leftNs, LONG.toNanos())));
  }

  @Override
  public void wakeup() {
    queues.signal();
  }

  @Override
  public IoRegistration register(IoHandle handle) {
    throw new UnsupportedOperationException("the loop of a consumer has no other I/O");
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return false;
  }
}
