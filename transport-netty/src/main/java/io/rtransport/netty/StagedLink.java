package io.rtransport.netty;

import io.netty.channel.ChannelPipeline;
import io.rtransport.core.connection.Connection;

/** A link as the stages of its bursts use it. Loop-confined. */
interface StagedLink {
  Connection connection();

  long nowNs();

  /** Returns whether bursts pass the channel's handlers. */
  boolean isPiped();

  /** Returns the channel's pipeline. */
  ChannelPipeline pipeline();

  /** Takes all entries of the connection. */
  void drain();

  /** Reads messages that are ready. Nothing is read behind a message that caused a defect. */
  void readReady();

  /** Transmits what the batch has brought, at its end. */
  void onBatchComplete();

  /** Ends the connection by a defect of our code. */
  void onDefect(Throwable cause);
}
