package io.rtransport.netty;

import io.netty.channel.ChannelPromise;

/** A channel as the last of its own handlers sees it: {@link TransactionHandler}. Loop-confined. */
interface PipelineEnd {
  /** Takes {@code message} over, and ends {@code promise}. */
  void onWrite(Object message, ChannelPromise promise);

  void onFlush();

  /**
   * A batch of bursts is over.
   *
   * @return whether the application has read anything in it, and so is to hear of its end
   */
  boolean onBatchEnd();
}
