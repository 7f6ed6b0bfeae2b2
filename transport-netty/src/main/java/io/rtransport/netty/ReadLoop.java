package io.rtransport.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.MaxMessagesRecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.RejectedExecutionException;

/**
 * Decides when ready messages are given to the application, as Netty's own transports do. With
 * {@code autoRead} it gives them as they come, at most {@code maxMessagesPerRead} in a batch.
 * Without {@code autoRead} it gives one for each {@code read()}. Confined to the event loop.
 */
final class ReadLoop {
  private final LinkedChannel channel;
  private final TransactionHandler handler;
  private final ReadQueue queue;

  /** Progress of the end of input. */
  private enum End {
    AHEAD,
    /** Every message before the end has been handed over; the application may not have read it. */
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

  /**
   * Tells that the application asks for messages, or that the channel has been registered again.
   */
  void beginRead() {
    isReadPending = true;
    boolean hasWork = queue.hasReady() || end == End.DUE || end == End.TOLD;
    // If the handler is gone, nobody can be told, and a request to read would repeat without end.
    if (hasWork && channel.isRegistered() && handler.context() != null) {
      channel.link().readDueSoon();
    }
  }

  /** Takes back the request of {@link #beginRead}, if it was not answered yet. */
  void clearRead() {
    isReadPending = false;
  }

  /** Tells that an accepted channel has its handlers. They may read messages that came earlier. */
  void onHandlers() {
    if (queue.hasReady()) {
      channel.link().readDue();
    }
  }

  /**
   * Tells that the peer begins nothing more, and that every message it began is in the queue or
   * read.
   */
  void onPeerFinished() {
    if (end == End.AHEAD) {
      end = End.DUE;
    }
  }

  /**
   * Tells that the application wants nothing more. Messages that come are refused. As in Netty, the
   * application gets an event only if half-closure is allowed.
   */
  void shutdown() {
    queue.close();
    if (end == End.AHEAD || end == End.DUE) {
      end = channel.config().isAllowHalfClosure() ? End.TOLD : End.OVER;
      channel.link().readDueSoon();
    }
  }

  /**
   * Tells the application of the end of input, once it has read every message before the end and
   * reads on, as Netty does over TCP. Without half-closure the channel then closes, unless the peer
   * closes anyway.
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

  /** Gives ready messages to the application, as many as it wants. */
  void readReady() {
    if (queue.hasReady() && canRead()) {
      queue.runBeforeRead();
    }
    while (queue.hasReady() && canRead()) {
      queue.read(handler.context());
    }
  }

  /**
   * Returns whether the application takes a message now. It does not while the channel is
   * registered and its link does not know yet: the end of the batch would not reach the handlers.
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
   * Ends a batch. Returns whether the application has read anything in it, and so must be told of
   * its end.
   */
  boolean endBatch() {
    boolean hasRead = readsInBatch > 0;
    readsInBatch = 0;
    if (queue.hasReady() && canRead()) { // asked for within the batch, which was full
      channel.link().readDueSoon();
    }
    return hasRead;
  }

  /**
   * Returns whether the application has read something, and was not told yet that the batch is
   * over.
   */
  boolean isInBatch() {
    return readsInBatch > 0;
  }

  /** Returns the context below the application's handlers; not null if {@link #canRead}. */
  ChannelHandlerContext context() {
    return handler.context();
  }

  /**
   * Gives {@code message} to the handlers above. Returns the exception that no handler caught, or
   * null.
   */
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

  /** Notes an exception that reached the end of the pipeline. */
  void onUnhandled(Throwable cause) {
    unhandled = cause;
  }

  void close() {
    queue.close();
  }
}
