package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ReferenceCounted;
import io.netty.util.internal.SystemPropertyUtil;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.netty.RtChannelOption.WriteCompletes;
import io.rtransport.netty.internal.write.CancelWish;
import io.rtransport.netty.internal.write.CoalescedWrites;
import io.rtransport.netty.internal.write.Deadlines;
import java.nio.ByteBuffer;

/**
 * One write to a channel, or one answer to a pull, from the write until its promise is done.
 * Objects are reused. A push ends twice, in either order: its payload is released when the last
 * byte is in a packet, and its transaction ends.
 */
final class OutboundMessage {
  /**
   * Bytes that each message counts for beside its own. Without them a writer of empty messages
   * would never be held back. The same property as for Netty's own channels sets the value.
   */
  static final int OVERHEAD_BYTES =
      SystemPropertyUtil.getInt("io.netty.transport.outboundBufferEntrySizeOverhead", 96);

  private static final ByteBuffer NO_HEADER = ByteBuffer.allocate(0);

  /** Kind of the message. */
  enum Kind {
    /** A bare buffer: it may not fail alone. */
    PLAIN,
    PUSH,
    PULL,
    /** The answer to a peer's pull; it has no promise. */
    ANSWER
  }

  static final int NONE = -1;

  final int slot;

  /** Slot of the next message in its {@link OutboundQueue}, or of the next free one. */
  int next = NONE;

  private Kind kind;
  private WriteCompletes completes = WriteCompletes.COMPLETED;

  /** Promise of the write. Null for the void promise, for an answer, and from the end on. */
  ChannelPromise promise;

  /**
   * Whether it was written with the channel's void promise. If so, nothing of it is needed once its
   * payload is released.
   */
  boolean isVoid;

  /** Whether {@link #owner} is a buffer, and that buffer the payload. */
  boolean isBuffer;

  int bufferStart;

  /**
   * The small messages that this entry stands for, all written with the void promise; null if it
   * stands for one message.
   */
  CoalescedWrites coalesced;

  /** The payload, if it is not a buffer. */
  RtPayload payload;

  /**
   * The object that is released to release the payload: the buffer, the payload, or the push around
   * it.
   */
  ReferenceCounted owner;

  /** Handle that gives the message up; null if it cannot be given up. */
  CancelWish wish;

  Pull pull;
  PullAnswer answer;
  ByteBuffer header = NO_HEADER;
  long lengthBytes;

  /** Number of the pull that it answers, or of its own transaction once submitted. */
  long rsn;

  /** Deadline on the loop's clock, ns. */
  long deadlineNs = Deadlines.NONE;

  boolean isSubmitted;

  /** Whether its promise failed before it was submitted. Such a message is skipped. */
  boolean isGivenUp;

  /**
   * Bytes that it still counts for in the channel's writability. The overhead counts until the last
   * byte is in a packet.
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

  /** Makes it a message of a bare buffer. The buffer is released with it. */
  void buffer(ByteBuf buffer) {
    isBuffer = true;
    owner = buffer;
    bufferStart = buffer.readerIndex();
    lengthBytes = buffer.readableBytes();
    pendingBytes = OVERHEAD_BYTES + lengthBytes;
  }

  /** Makes it a message of a payload, which {@code newOwner} releases with it. */
  void payload(RtPayload newPayload, ReferenceCounted newOwner) {
    payload = newPayload;
    owner = newOwner;
    lengthBytes = newPayload.lengthBytes();
    pendingBytes = OVERHEAD_BYTES + (newPayload.isInMemory() ? lengthBytes : 0);
  }

  /** Makes it a pull, which has no payload of its own. */
  void pull(Pull newPull) {
    kind(Kind.PULL);
    header(newPull.header());
    pull = newPull;
    newPull.taken();
    wish = newPull.wish();
    isReleased = true;
    pendingBytes = OVERHEAD_BYTES;
  }

  // A store of a reference into an old object is costly, and these values nearly always stay the
  // same.

  Kind kind() {
    return kind;
  }

  void kind(Kind value) {
    if (kind != value) {
      kind = value;
    }
  }

  /** Returns the value of WRITE_COMPLETES at the time of the write. */
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

  /** Releases the payload to its owner. Once. */
  void releasePayload() {
    isReleased = true;
    payload = null;
    if (owner != null) {
      ReferenceCounted released = owner;
      owner = null;
      ReferenceCountUtil.safeRelease(released); // application code, within the core
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
