package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPromise;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Target of the answer to one of our pulls: its sink, or a buffer of the answer's length. */
final class PullAnswer {
  /** Result of {@link #write} if the sink has failed. The sink then gets no more of the answer. */
  static final int FAILED = -1;

  private final LinkedChannel channel;
  private final RtSink sink;
  private ByteBuf buffer;
  private long lengthBytes;
  private boolean isWhole;
  private boolean isDiscarded;
  private IOException failure;

  PullAnswer(LinkedChannel channel, RtSink sink) {
    this.channel = channel;
    this.sink = sink;
  }

  /** Begins the answer. Returns false if it is not taken. */
  boolean open(long rsn, long length) {
    if (sink == null && length > channel.config().maxBufferedMessage()) {
      return false;
    }
    lengthBytes = length;
    if (sink != null) {
      failure = sink.tryOpen(channel, rsn, true, length);
      isDiscarded = failure != null;
    }
    return !isDiscarded;
  }

  /** Writes bytes of the answer. Returns how many of them are taken now, or {@link #FAILED}. */
  int write(long offset, ByteBuffer from, int index, int length) {
    if (sink != null) {
      failure = sink.tryWrite(channel, offset, from, index, length);
      if (failure == null) {
        return sink.takenOf(length);
      }
      discard();
      return FAILED;
    }
    if (buffer == null) {
      try {
        buffer = channel.alloc().buffer((int) lengthBytes, (int) lengthBytes);
      } catch (OutOfMemoryError e) {
        failure = new IOException("no memory for the answer", e);
        discard();
        return FAILED;
      }
    }
    ByteBuffer target = buffer.internalNioBuffer((int) offset, length);
    target.put(target.position(), from, index, length);
    return length;
  }

  /** Returns how many bytes of the answer may be granted and not yet taken. */
  long untakenBytesMax() {
    return sink == null ? Long.MAX_VALUE : sink.untakenBytesMax();
  }

  /**
   * Returns whether the end of the answer can be told: the sink has the bytes where they belong.
   */
  boolean isSettled() {
    return sink == null || isDiscarded || !isWhole || sink.isSettled();
  }

  void onSettled(Runnable told) {
    sink.onSettled(told);
  }

  /** Tells that the whole answer is here, or, if not {@code whole}, that it never will be. */
  void deliver(boolean whole) {
    isWhole = whole;
    if (!whole) {
      discard();
    }
  }

  /**
   * Ends the promises of {@code pull}, whose transaction ended. {@code failure} is null after
   * success. Calls into the application.
   */
  void complete(ChannelPromise promise, Pull pull, RtException failure) {
    if (failure != null) {
      fail(promise, pull, this.failure == null ? failure : new SinkFailure(this.failure));
      return;
    }
    try {
      ByteBuf whole = take();
      if (!pull.answer().complete(whole) && whole != null) {
        whole.release();
      }
      promise.trySuccess();
    } catch (IOException e) { // the sink's own failure; it has had its last call
      tell(promise, pull, new SinkFailure(e));
    }
  }

  /**
   * Fails the promises of {@code pull}: there will never be an answer. Calls into the application.
   */
  void fail(ChannelPromise promise, Pull pull, Exception cause) {
    try {
      discard();
    } finally {
      tell(promise, pull, cause);
    }
  }

  private static void tell(ChannelPromise promise, Pull pull, Exception cause) {
    pull.answer().completeExceptionally(cause);
    promise.tryFailure(cause);
  }

  /**
   * Ends a completed transaction. Returns the whole buffer, which becomes the caller's, or null if
   * there was a sink.
   */
  private ByteBuf take() throws IOException {
    if (sink != null) {
      failure = sink.tryEnd(channel, isWhole);
      if (failure != null) {
        throw failure;
      }
      return null;
    }
    ByteBuf whole =
        buffer == null ? channel.alloc().buffer(0, 0) : buffer.writerIndex((int) lengthBytes);
    buffer = null;
    return whole;
  }

  /** Drops the answer: the transaction failed, or will. */
  private void discard() {
    if (isDiscarded) {
      return;
    }
    isDiscarded = true;
    if (buffer != null) {
      buffer.release();
      buffer = null;
    }
    if (sink != null) {
      sink.tryEnd(channel, false); // the answer has failed in any case
    }
  }
}
