package io.rtransport.netty;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.netty.handler.BurstStages;

/**
 * The transaction sublayer's place in the pipeline, {@code rt-transaction}. Bursts of packets
 * travel below it, the application's messages above it. Writes stop here and wait for their flush.
 * A flush stops here and asks for the pump.
 */
final class TransactionHandler extends ChannelDuplexHandler {
  /** Its name in the pipeline. */
  static final String NAME = "rt-transaction";

  private final PipelineEnd channel;
  private final BurstStages stages;
  private ChannelHandlerContext context;

  TransactionHandler(PipelineEnd channel, BurstStages stages) {
    this.channel = channel;
    this.stages = stages;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    context = null;
  }

  /** Returns the context where messages enter the application's part of the pipeline, or null. */
  ChannelHandlerContext context() {
    return context;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof PacketBurst burst) {
      stages.transaction(burst);
    } else {
      ctx.fireChannelRead(message);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (channel.onBatchEnd()) {
      ctx.fireChannelReadComplete();
    }
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    channel.onWrite(message, promise);
  }

  @Override
  public void flush(ChannelHandlerContext ctx) {
    channel.onFlush();
  }
}
