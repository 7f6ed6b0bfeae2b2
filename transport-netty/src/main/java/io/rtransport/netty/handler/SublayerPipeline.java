package io.rtransport.netty.handler;

import io.netty.channel.ChannelHandlerContext;
import io.rtransport.core.burst.PacketBurst;

/** A channel as the handlers among its sublayers see it. On its event loop only. */
public interface SublayerPipeline {
  void addTap(RtTap tap);

  void removeTap(RtTap tap);

  /**
   * Runs {@code action} as a turn of the event loop's driver. The action may send bursts down, and
   * up by {@link #receive}. Work that it leaves due is done at the end of the turn.
   */
  void runTurn(Runnable action);

  /**
   * Carries a burst of a handler's own up from the place of {@code from}, for example a burst that
   * the handler has held back. When the call returns, its packets have been read, even if a handler
   * above has thrown, and nothing looks at them later. The end of the read batch follows at the end
   * of the turn. A burst that is fired in any other way, while none is on its way up, ends the
   * connection.
   *
   * @throws IllegalStateException if a burst is on its way up already; call it in a task of the
   *     event loop then
   */
  void receive(ChannelHandlerContext from, PacketBurst burst);
}
