package io.rtransport.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.AbstractEventExecutorGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;

/**
 * Group that registers each accepted channel with the loop that received its connection. The
 * wrapped group does everything else, its own end included.
 */
final class ReceivingLoopGroup extends AbstractEventExecutorGroup implements EventLoopGroup {
  private final EventLoopGroup group;

  ReceivingLoopGroup(EventLoopGroup group) {
    this.group = group;
  }

  private EventLoopGroup groupFor(Channel channel) {
    return channel instanceof DefaultRtChannel accepted && accepted.driver() != null
        ? accepted.driver().loop()
        : group;
  }

  @Override
  public EventLoop next() {
    return group.next();
  }

  @Override
  public ChannelFuture register(Channel channel) {
    return groupFor(channel).register(channel);
  }

  @Override
  public ChannelFuture register(ChannelPromise promise) {
    return groupFor(promise.channel()).register(promise);
  }

  @Override
  @Deprecated
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    return groupFor(channel).register(channel, promise);
  }

  @Override
  public Iterator<EventExecutor> iterator() {
    return group.iterator();
  }

  @Override
  public boolean isShuttingDown() {
    return group.isShuttingDown();
  }

  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    return group.shutdownGracefully(quietPeriod, timeout, unit);
  }

  @Override
  public Future<?> terminationFuture() {
    return group.terminationFuture();
  }

  @Override
  @Deprecated
  public void shutdown() {
    group.shutdown();
  }

  @Override
  public boolean isShutdown() {
    return group.isShutdown();
  }

  @Override
  public boolean isTerminated() {
    return group.isTerminated();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return group.awaitTermination(timeout, unit);
  }
}
