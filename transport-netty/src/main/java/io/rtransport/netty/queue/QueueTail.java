package io.rtransport.netty.queue;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Last handler of a channel below queues. It takes the exception of a lost connection, of which the
 * consumer hears by {@link RtQueueHandler#onClosed}; else Netty would log each.
 */
@Sharable
final class QueueTail extends ChannelInboundHandlerAdapter {
  static final QueueTail INSTANCE = new QueueTail();

  private QueueTail() {}

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    // The link has the reason.
  }
}
