package io.rtransport.netty.handler;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.rtransport.core.burst.PacketBurst;

/**
 * The wire sublayer's place in the pipeline, {@code rt-wire}: the door that every inbound packet
 * passes.
 */
public final class WireHandler extends ChannelDuplexHandler {
  /** Its name in the pipeline. */
  public static final String NAME = "rt-wire";

  private final BurstStages stages;

  public WireHandler(BurstStages stages) {
    this.stages = stages;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof PacketBurst burst) {
      stages.countEvent();
      stages.wire(burst);
    }
    ctx.fireChannelRead(message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    stages.countEvent();
    ctx.fireChannelReadComplete();
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    stages.countEvent();
    ctx.write(message, promise);
  }
}
