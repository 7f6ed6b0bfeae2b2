package io.rtransport.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultChannelPipeline;

/**
 * The pipeline of an {@link RtChannel}. It notices exceptions that no handler caught, and counts
 * writes that wait outside the event loop.
 */
final class RtPipeline extends DefaultChannelPipeline {
  private final DefaultRtChannel channel;

  RtPipeline(DefaultRtChannel channel) {
    super(channel);
    this.channel = channel;
  }

  @Override
  protected void onUnhandledInboundException(Throwable cause) {
    channel.reading().onUnhandled(cause);
    super.onUnhandledInboundException(cause);
  }

  @Override
  protected void onUnhandledInboundMessage(ChannelHandlerContext ctx, Object message) {
    if (message instanceof RtPullRequest request) {
      request.failUnhandled();
    }
    super.onUnhandledInboundMessage(ctx, message);
  }

  @Override
  protected void incrementPendingOutboundBytes(long size) {
    channel.writability().handOver(size);
  }

  @Override
  protected void decrementPendingOutboundBytes(long size) {
    channel.writability().endHandOver(size);
  }
}
