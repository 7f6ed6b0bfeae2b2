package io.rtransport.netty;

import io.netty.channel.ChannelPromise;

/**
 * A channel as the last of its own handlers, {@link TransactionHandler}, sees it. Loop-confined.
 */
interface PipelineEnd {
  /** Takes {@code message} over, and completes or fails {@code promise} later. */
  void onWrite(Object message, ChannelPromise promise);

  void onFlush();

  /**
   * Tells the channel that a batch of bursts is over.
   *
   * @return whether the application has read anything in the batch, and so must be told of its end
   */
  boolean onBatchEnd();
}
