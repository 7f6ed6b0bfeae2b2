package io.rtransport.netty;

import io.netty.buffer.ByteBufAllocator;

/**
 * An RT channel as its queues of reads and writes see it. On the event loop only, but for what
 * {@link RtChannel} has and {@link #onLoop}.
 */
interface LinkedChannel extends RtChannel, TransferContext {
  @Override
  default ByteBufAllocator alloc() {
    return config().getAllocator();
  }

  /** Null before there is a connection. */
  Link link();

  /** What the event loop lends to all of its channels; not before there is a connection. */
  LoopBuffers buffers();

  /** Runs {@code action} on the event loop, now if this is it; what it submits leaves soon. */
  void onLoop(Runnable action);

  /** The application has been told of the end of its input. */
  void inputShutdown();
}
