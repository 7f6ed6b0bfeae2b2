package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ReferenceCounted;
import io.netty.util.internal.SystemPropertyUtil;
import io.rtransport.core.transaction.Outcome;
import io.rtransport.netty.RtChannelOption.WriteCompletes;
import io.rtransport.netty.internal.write.CancelWish;
import io.rtransport.netty.internal.write.CoalescedWrites;
import io.rtransport.netty.internal.write.Deadlines;
import java.nio.ByteBuffer;

/**
 * One thing written to a channel, or one answer to a pull, from the write until its promise is
 * done. Reused. A push ends twice, in either order: its payload is released when the last byte is
 * in a packet, and its transaction ends.
 */
final class OutboundMessage {
  /**
   * What each message counts for beside its bytes, or a writer of empty ones would never be held
   * back: as for Netty's own channels, and set by the same property.
   */
  static final int OVERHEAD_BYTES =
      SystemPropertyUtil.getInt("io.netty.transport.outboundBufferEntrySizeOverhead", 96);

  private static final ByteBuffer NO_HEADER = ByteBuffer.allocate(0);

  /** What it is. */
  enum Kind {
    /** A bare buffer: may not fail alone. */
    PLAIN,
    PUSH,
    PULL,
    /** The answer to a peer's pull; has no promise. */
    ANSWER
  }

  static final int NONE = -1;

  final int slot;

  /** The slot behind it in its {@link OutboundQueue}, or among the free. */
  int next = NONE;

  private Kind kind;
  private WriteCompletes completes = WriteCompletes.COMPLETED;

  /** Null for the void promise, an answer, and from the end on. */
  ChannelPromise promise;

  /**
   * Whether it was written with the channel's void promise: once its payload is released nothing of
   * it is needed.
   */
  boolean isVoid;

  /** Whether {@link #owner} is a buffer, which is the payload. */
  boolean isBuffer;

  int bufferStart;

  /**
   * The small messages that it stands for, all written with the void promise; null where it is one.
   */
  CoalescedWrites coalesced;

  /** The payload that is no buffer. */
  RtPayload payload;

  /** What is released for the payload: the buffer, the payload, or the push around it. */
  ReferenceCounted owner;

  /** By which it can be given up; null for what cannot. */
  CancelWish wish;

  Pull pull;
  PullAnswer answer;
  ByteBuffer header = NO_HEADER;
  long lengthBytes;

  /** Of the pull that it answers; of the own transaction, once submitted. */
  long rsn;

  /** On the loop's clock. */
  long deadlineNs = Deadlines.NONE;

  boolean isSubmitted;

  /** Whether its promise has failed before it was submitted: it is passed over then. */
  boolean isGivenUp;

  /**
   * What it still counts for in the channel's writability: its overhead until its last byte is in a
   * packet.
   */
  long pendingBytes;

  boolean isReleased;

  /** Whether the last byte of its payload has been copied into a packet. */
  boolean isWholeCopied;

  /** Whether its promise was done before its transaction ended. */
  boolean isReported;

  boolean isEnded;
  private Outcome outcome;
  int code;
  private String text;
  boolean isFromTransport;

  OutboundMessage(int slot) {
    this.slot = slot;
  }

  /** It is a bare buffer, which is released for it. */
  void buffer(ByteBuf buffer) {
    isBuffer = true;
    owner = buffer;
    bufferStart = buffer.readerIndex();
    lengthBytes = buffer.readableBytes();
    pendingBytes = OVERHEAD_BYTES + lengthBytes;
  }

  // An old object pays for each reference that is stored into it: these are nearly always the same.

  Kind kind() {
    return kind;
  }

  void kind(Kind value) {
    if (kind != value) {
      kind = value;
    }
  }

  /** As the option was when it was written. */
  WriteCompletes completes() {
    return completes;
  }

  void completes(WriteCompletes value) {
    if (completes != value) {
      completes = value;
    }
  }

  Outcome outcome() {
    return outcome;
  }

  String text() {
    return text;
  }

  void end(Outcome how, int withCode, String withText) {
    isEnded = true;
    code = withCode;
    if (outcome != how) {
      outcome = how;
    }
    if (text != withText) {
      text = withText;
    }
  }

  ByteBuf buffer() {
    return (ByteBuf) owner;
  }

  void header(byte[] bytes) {
    header = bytes.length == 0 ? NO_HEADER : ByteBuffer.wrap(bytes);
  }

  /** Gives the bytes back to whom they belong. Once. */
  void releasePayload() {
    isReleased = true;
    payload = null;
    if (owner != null) {
      ReferenceCounted released = owner;
      owner = null;
      ReferenceCountUtil.safeRelease(released); // which is the application's code, within the core
    }
  }

  void clear() {
    assert coalesced == null : "its coalesced is not given back";
    isVoid = false;
    isBuffer = false;
    promise = null;
    pull = null;
    if (wish != null) {
      wish.ended();
      wish = null;
    }
    isSubmitted = false;
    deadlineNs = Deadlines.NONE;
    isGivenUp = false;
    answer = null;
    if (header != NO_HEADER) {
      header = NO_HEADER;
    }
    lengthBytes = 0;
    rsn = 0;
    pendingBytes = 0;
    isReleased = false;
    isWholeCopied = false;
    isReported = false;
    isEnded = false;
  }
}
