package io.rtransport.netty;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.ConnectionReport;
import io.rtransport.core.stats.Bound;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.internal.loop.LoopCounters;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.port.RtPort;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a channel's counts, which only its event loop may touch. It reads them at once on that
 * loop, else by a task of the loop. If the loop takes no more tasks, it reads after the loop has
 * ended. So the counts cost a packet nothing.
 */
final class StatsReading {
  private final DefaultRtChannel channel;

  StatsReading(DefaultRtChannel channel) {
    this.channel = channel;
  }

  Future<RtChannelStats> read() {
    EventLoop loop = loopOrNull();
    if (loop == null || loop.inEventLoop()) {
      return ImmediateEventExecutor.INSTANCE.newSucceededFuture(now());
    }
    // Its listeners must be told even if the channel's loop has ended.
    Promise<RtChannelStats> promise = GlobalEventExecutor.INSTANCE.newPromise();
    LoopCounters.onLoopOrAfter(loop, () -> complete(promise));
    return promise;
  }

  /**
   * Returns the channel's event loop. Null before the channel has one: then it has counted nothing.
   */
  private EventLoop loopOrNull() {
    try {
      return channel.eventLoop();
    } catch (IllegalStateException notRegistered) {
      return null;
    }
  }

  /** Returns the counts. On the loop, or after the loop has ended. */
  private RtChannelStats now() {
    PipelineLink link = channel.link();
    RtPort port = channel.port();
    LoopDriver driver = channel.driver();
    Map<CounterId, Long> counts =
        link == null ? Map.of() : LoopCounters.nonZero(link.connection().counters());
    return new RtChannelStats(
        channel.reading().messagesRead(),
        channel.messagesWritten(),
        link == null ? 0 : link.pipelineEvents(),
        link != null ? link.ports().socketCalls() : port == null ? 0 : port.socketCalls(),
        port == null ? 0 : port.refusedSegmentSends(),
        driver == null ? 0 : driver.wakeups(),
        link == null ? 0 : link.connection().datagramLengthBytes(),
        link == null ? Map.of() : heldNs(link.connection(), driver.nowNs()),
        channel.isInDoubt(),
        link == null ? List.of() : ConnectionReport.of(link.connection()).paths(),
        counts);
  }

  private static Map<Bound, Long> heldNs(Connection connection, long nowNs) {
    Map<Bound, Long> times = new EnumMap<>(Bound.class);
    for (Bound bound : Bound.values()) {
      long ns = connection.heldNs(bound, nowNs);
      if (ns != 0) {
        times.put(bound, ns);
      }
    }
    return times;
  }

  private void complete(Promise<RtChannelStats> promise) {
    try {
      promise.trySuccess(now());
    } catch (RuntimeException e) {
      promise.tryFailure(e);
    }
  }
}
