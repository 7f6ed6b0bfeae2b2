package io.rtransport.netty.handler;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.rtransport.core.burst.PacketBurst;

/**
 * Handler that also sees the bursts that the send pump pulls through its place. Outbound, the
 * sublayers above the window are pulled by calls, so no event passes there. Instead one read-only
 * call tells the tap of each burst before the burst is written. Inbound bursts reach the tap as
 * {@code channelRead}, as they reach any handler between {@code rt-wire} and {@code
 * rt-transaction}. {@link BurstStages} says what has been done to them by then, and where packets
 * may be dropped.
 */
public abstract class RtTap extends ChannelDuplexHandler {
  /**
   * Tells that a burst is about to leave. The burst is borrowed and must not be changed. On the
   * channel's event loop.
   */
  protected abstract void onTransmit(PacketBurst burst);

  /** Tells the tap of {@code burst}. Called by a {@link SublayerPipeline}. */
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
