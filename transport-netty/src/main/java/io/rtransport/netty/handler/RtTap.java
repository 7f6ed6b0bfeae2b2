package io.rtransport.netty.handler;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.rtransport.core.wire.PacketBurst;

/**
 * A handler that also sees what the send pump pulls through its place. Outbound, sublayers above
 * the window are pulled by calls and no event passes there; a tap is told of each burst by one
 * read-only call instead, before the burst is written. Inbound bursts reach it as {@code
 * channelRead}, as they do any handler above {@code rt-wire} and below {@code rt-transaction}; what
 * has been done to them by then, and where packets may be dropped, is said at {@link BurstStages}.
 */
public abstract class RtTap extends ChannelDuplexHandler {
  /** A burst is about to leave: borrowed, and not to be changed. On the channel's event loop. */
  protected abstract void onTransmit(PacketBurst burst);

  /** Tells the tap of {@code burst}: for a {@link SublayerPipeline}. */
  public final void tell(PacketBurst burst) {
    onTransmit(burst);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    if (!(ctx.channel() instanceof SublayerPipeline channel)) {
      throw new IllegalStateException(
          "channel=" + ctx.channel().getClass().getSimpleName() + " must be an RtChannel");
    }
    channel.addTap(this);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    ((SublayerPipeline) ctx.channel()).removeTap(this);
  }
}
