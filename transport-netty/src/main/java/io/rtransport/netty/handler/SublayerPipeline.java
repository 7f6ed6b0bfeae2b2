package io.rtransport.netty.handler;

import io.netty.channel.ChannelHandlerContext;
import io.rtransport.core.wire.PacketBurst;

/** What handlers among the sublayers may ask of their channel. On its event loop only. */
public interface SublayerPipeline {
  void addTap(RtTap tap);

  void removeTap(RtTap tap);

  /**
   * Runs {@code action}, which may send bursts down, and up by {@link #receive}, as a turn of the
   * event loop's driver: what it leaves due is done at its end.
   */
  void runTurn(Runnable action);

  /**
   * Carries a burst of a handler's own, such as one that it has held back, up from the place of
   * {@code from}. Its packets have been read when the call returns, whatever a handler above has
   * thrown, and nothing looks at them afterwards. The end of the read batch follows at the end of
   * the turn. A burst that is fired in any other way, while none is on its way up, ends the
   * connection.
   */
  void receive(ChannelHandlerContext from, PacketBurst burst);
}
