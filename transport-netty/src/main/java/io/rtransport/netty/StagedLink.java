package io.rtransport.netty;

import io.netty.channel.ChannelHandlerContext;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.connection.Connection;

/** A link as the stages of its bursts use it. Loop-confined. */
interface StagedLink {
  Connection connection();

  long nowNs();

  /** Returns whether bursts pass the channel's handlers. */
  boolean isPiped();

  /** Fires a burst into the pipeline; {@code from} null: below all handlers. */
  void fireBurst(ChannelHandlerContext from, PacketBurst burst);

  /** Takes all entries of the connection. */
  void drain();

  /** Reads messages that are ready. Nothing is read behind a message that caused a defect. */
  void readReady();

  /** Transmits what the batch has brought, at its end. */
  void onBatchComplete();

  /** Ends the connection by a defect of our code. */
  void onDefect(Throwable cause);
}
