package io.rtransport.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.MaxMessagesRecvByteBufAllocator;

/**
 * When messages that are ready are given to the application: with {@code autoRead} as they come, at most {@code maxMessagesPerRead} in a
 * batch; without, one for each {@code read()}, as Netty's own transports do. Confined to the event loop.
 */
final class ReadLoop {
  private final RtChannel channel;
  private final TransactionHandler handler;
  private final ReadQueue queue;
  private boolean isReadPending;
  private int readsInBatch;
  private long messagesRead;
  private Throwable unhandled;

  ReadLoop(RtChannel channel, TransactionHandler handler) {
    this.channel = channel;
    this.handler = handler;
    this.queue = new ReadQueue(channel, this);
  }

  ReadQueue queue() {
    return queue;
  }

  long messagesRead() {
    return messagesRead;
  }

  /** The application asks for messages. */
  void beginRead() {
    isReadPending = true;
    if (queue.hasReady()) {
      channel.link().readDueSoon();
    }
  }

  /** Gives what is ready and wanted to the application. */
  void readReady() {
    while (queue.hasReady() && canRead()) {
      queue.read(handler.context());
    }
  }

  private boolean canRead() {
    if (!channel.isActive() || handler.context() == null) {
      return false;
    }
    return channel.config().isAutoRead()
        ? readsInBatch < maxMessagesPerRead()
        : isReadPending && readsInBatch == 0;
  }

  private int maxMessagesPerRead() {
    return channel.config().getRecvByteBufAllocator()
            instanceof MaxMessagesRecvByteBufAllocator allocator
        ? allocator.maxMessagesPerRead()
        : Integer.MAX_VALUE;
  }

  /** The end of a batch: whether the application has read anything in it, and so is to hear of its end. */
  boolean endBatch() {
    boolean hasRead = readsInBatch > 0;
    readsInBatch = 0;
    return hasRead;
  }

  /** Gives {@code message} to the handlers above; the exception that no handler caught, or null. */
  Throwable fire(ChannelHandlerContext context, Object message) {
    isReadPending = false;
    readsInBatch++;
    messagesRead++;
    unhandled = null;
    context.fireChannelRead(message);
    Throwable failure = unhandled;
    unhandled = null;
    return failure;
  }

  /** An exception reached the end of the pipeline. */
  void onUnhandled(Throwable cause) {
    unhandled = cause;
  }

  void close() {
    queue.close();
  }
}
