package io.rtransport.netty;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.netty.port.RtPort;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;

/**
 * Reads a channel's counts, which its event loop alone may touch: there, or by a task of that loop, or, if the loop takes no more tasks, when
 * it has ended. So counting costs a packet nothing.
 */
final class StatsReading {
  private final RtChannel channel;

  StatsReading(RtChannel channel) {
    this.channel = channel;
  }

  Future<RtChannelStats> read() {
    EventLoop loop = loopOrNull();
    if (loop == null || loop.inEventLoop()) {
      return ImmediateEventExecutor.INSTANCE.newSucceededFuture(now());
    }
    // Its listeners must be told though the channel's loop may have ended.
    Promise<RtChannelStats> promise = GlobalEventExecutor.INSTANCE.newPromise();
    try {
      loop.execute(() -> complete(promise));
    } catch (RejectedExecutionException e) {
      loop.terminationFuture().addListener(ended -> complete(promise));
    }
    return promise;
  }

  /** Null before the channel has one: then it has counted nothing. */
  private EventLoop loopOrNull() {
    try {
      return channel.eventLoop();
    } catch (IllegalStateException notRegistered) {
      return null;
    }
  }

  /** On the loop, or when that has ended. */
  private RtChannelStats now() {
    PipelineLink link = channel.link();
    RtPort port = channel.port();
    LoopDriver driver = channel.driver();
    Map<CounterId, Long> counts = link == null ? Map.of() : nonZero(link.connection().counters());
    return new RtChannelStats(
        channel.reading().messagesRead(),
        channel.messagesWritten(),
        link == null ? 0 : link.pipelineEvents(),
        port == null ? 0 : port.socketCalls(),
        port == null ? 0 : port.refusedSegmentSends(),
        driver == null ? 0 : driver.wakeups(),
        counts);
  }

  /** A copy of those that have counted anything. On the event loop of {@code counters}. */
  static Map<CounterId, Long> nonZero(Counters counters) {
    Map<CounterId, Long> counts = new EnumMap<>(CounterId.class);
    for (CounterId id : CounterId.values()) {
      long value = counters.value(id);
      if (value != 0) {
        counts.put(id, value);
      }
    }
    return counts;
  }

  private void complete(Promise<RtChannelStats> promise) {
    try {
      promise.trySuccess(now());
    } catch (RuntimeException e) {
      promise.tryFailure(e);
    }
  }
}
