package io.rtransport.netty.handler;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.rtransport.core.burst.PacketBurst;

/**
 * The window sublayer's place in the pipeline, {@code rt-window}. Outbound bursts begin here, with
 * {@link #transmit}. The end of a read batch passes up first. So messages that handlers write and
 * flush then leave together with the acknowledgements of the batch.
 */
public final class WindowHandler extends ChannelInboundHandlerAdapter {
  /** Its name in the pipeline. */
  public static final String NAME = "rt-window";

  private final BurstStages stages;
  private ChannelHandlerContext context;

  public WindowHandler(BurstStages stages) {
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

  /** Sends a burst down as one write. Drops it if the handler is not in the pipeline. */
  public void transmit(PacketBurst burst) {
    if (context != null) {
      context.write(burst, context.voidPromise());
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof PacketBurst burst) {
      stages.countEvent();
      stages.window(burst);
    }
    ctx.fireChannelRead(message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    stages.countEvent();
    ctx.fireChannelReadComplete();
    stages.complete();
  }
}
