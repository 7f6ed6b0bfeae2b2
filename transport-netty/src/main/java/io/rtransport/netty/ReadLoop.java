package io.rtransport.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.MaxMessagesRecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.RejectedExecutionException;

/**
 * When messages that are ready are given to the application: with {@code autoRead} as they come, at
 * most {@code maxMessagesPerRead} in a batch; without, one for each {@code read()}, as Netty's own
 * transports do. Confined to the event loop.
 */
final class ReadLoop {
  private final LinkedChannel channel;
  private final TransactionHandler handler;
  private final ReadQueue queue;

  /** How far the end of input has come. */
  private enum End {
    AHEAD,
    /** All before it has been handed over; the application may not have read it. */
    DUE,
    TOLD,
    OVER
  }

  private End end = End.AHEAD;
  private boolean isReadPending;
  private int readsInBatch;
  private long messagesRead;
  private Throwable unhandled;

  ReadLoop(LinkedChannel channel, TransactionHandler handler, WriteQueue writes) {
    this.channel = channel;
    this.handler = handler;
    this.queue = new ReadQueue(channel, this, writes);
  }

  ReadQueue queue() {
    return queue;
  }

  long messagesRead() {
    return messagesRead;
  }

  /** The application asks for messages, or the channel has been registered again. */
  void beginRead() {
    isReadPending = true;
    boolean hasWork = queue.hasReady() || end == End.DUE || end == End.TOLD;
    // Where nobody can be told, its handler being gone, asking again would never end.
    if (hasWork && channel.isRegistered() && handler.context() != null) {
      channel.link().readDueSoon();
    }
  }

  /** Takes back what {@link #beginRead} asked for, if it was not answered yet. */
  void clearRead() {
    isReadPending = false;
  }

  /** An accepted channel has its handlers: they may read what came before them. */
  void onHandlers() {
    if (queue.hasReady()) {
      channel.link().readDue();
    }
  }

  /** The peer begins nothing more, and what it began is in the queue or read. */
  void onPeerFinished() {
    if (end == End.AHEAD) {
      end = End.DUE;
    }
  }

  /**
   * The application wants nothing more: what comes is refused. Netty tells it so only where
   * half-closure is allowed.
   */
  void shutdown() {
    queue.close();
    if (end == End.AHEAD || end == End.DUE) {
      end = channel.config().isAllowHalfClosure() ? End.TOLD : End.OVER;
      channel.link().readDueSoon();
    }
  }

  /**
   * Tells the application of the end of input, once it has read all before it and reads on; as
   * Netty does over TCP. Without half-closure the channel closes then, unless the peer closes
   * anyway.
   */
  void tellEnd() {
    if (end == End.AHEAD || end == End.OVER || queue.hasWaiting() || !canRead()) {
      return;
    }
    boolean isToldAgain = end == End.TOLD;
    isReadPending = false;
    end = End.OVER;
    if (isToldAgain) {
      channel.pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
    } else if (channel.config().isAllowHalfClosure()) {
      end = End.TOLD;
      channel.inputShutdown();
      channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
      if (channel.config().isAutoRead()) {
        channel.link().readDueSoon();
      }
    } else if (!channel.link().isPeerClosing()) {
      channel.unsafe().close(channel.unsafe().voidPromise());
    }
  }

  /** Gives what is ready and wanted to the application. */
  void readReady() {
    if (queue.hasReady() && canRead()) {
      queue.runBeforeRead();
    }
    while (queue.hasReady() && canRead()) {
      queue.read(handler.context());
    }
  }

  /**
   * Whether the application takes a message now. Not yet where the channel is registered, and its
   * link has not heard of it: the end of the batch would not reach the handlers.
   */
  boolean canRead() {
    if (!channel.isActive() || !channel.isRegistered() || !channel.link().hasHandlers()) {
      return false;
    }
    if (handler.context() == null) {
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

  /**
   * The end of a batch: whether the application has read anything in it, and so is to hear of its
   * end.
   */
  boolean endBatch() {
    boolean hasRead = readsInBatch > 0;
    readsInBatch = 0;
    if (queue.hasReady() && canRead()) { // asked for within the batch, which had no room for it
      channel.link().readDueSoon();
    }
    return hasRead;
  }

  /** Whether the application has read something, and was not told yet that the batch is over. */
  boolean isInBatch() {
    return readsInBatch > 0;
  }

  /** Above which the application's handlers stand, where {@link #canRead}. */
  ChannelHandlerContext context() {
    return handler.context();
  }

  /** Gives {@code message} to the handlers above; the exception that no handler caught, or null. */
  Throwable fire(ChannelHandlerContext context, Object message) {
    isReadPending = false;
    readsInBatch++;
    messagesRead++;
    unhandled = null;
    try {
      context.fireChannelRead(message);
    } catch (RejectedExecutionException e) { // the next handler's own executor has ended
      ReferenceCountUtil.safeRelease(message);
      unhandled = e;
    }
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
