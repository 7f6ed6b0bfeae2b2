package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPromise;
import io.rtransport.core.connection.ApplicationVerbs;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.transaction.OutboxEntry;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Target of the answer to one of our pulls: its sink, or a buffer of the answer's length. */
final class PullAnswer {
  /** Result of {@link #write} if the sink has failed. The sink then gets no more of the answer. */
  private static final int FAILED = -1;

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

  /** Takes the entry of an answer that begins: accepts or refuses it. */
  void onOpened(ApplicationVerbs verbs, OutboxEntry opened) {
    long rsn = opened.rsn();
    long slot = opened.tag();
    if (!open(rsn, opened.messageLength())) {
      verbs.refuseAnswer(rsn, CloseCode.REFUSED_BY_SINK.code(), true);
    } else if (!verbs.acceptAnswer(rsn, slot, untakenBytesMax())) {
      deliver(false);
    }
  }

  private boolean open(long rsn, long length) {
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

  /** Takes bytes of the answer. */
  void onBytes(ApplicationVerbs verbs, OutboxEntry bytes) {
    long rsn = bytes.rsn();
    int length = bytes.length();
    int taken = write(bytes.messageOffset(), bytes.buffer(), bytes.offset(), length);
    if (taken == FAILED) {
      verbs.failAnswerSink(rsn);
      return;
    }
    if (taken < length) {
      verbs.limitUntakenOfPull(rsn, untakenBytesMax());
    }
    verbs.takenOfPull(rsn, taken);
  }

  /** Writes bytes of the answer. Returns how many of them are taken now, or {@link #FAILED}. */
  private int write(long offset, ByteBuffer from, int index, int length) {
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
  private long untakenBytesMax() {
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

  /** Takes the end of the answer: it is whole, or never will be. */
  void onDelivered(OutboxEntry delivered) {
    deliver(delivered.isWhole());
  }

  private void deliver(boolean whole) {
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
