package io.rtransport.netty.handler;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.rtransport.core.burst.PacketBurst;

/** The solicitation sublayer's place in the pipeline, {@code rt-solicitation}. */
public final class SolicitationHandler extends ChannelInboundHandlerAdapter {
  /** Its name in the pipeline. */
  public static final String NAME = "rt-solicitation";

  private final BurstStages stages;

  public SolicitationHandler(BurstStages stages) {
    this.stages = stages;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof PacketBurst burst) {
      stages.countEvent();
      stages.solicitation(burst);
    }
    ctx.fireChannelRead(message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    stages.countEvent();
    ctx.fireChannelReadComplete();
  }
}
