package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.MessageHeader;
import io.rtransport.netty.queue.RtQueueConnection;
import io.rtransport.netty.queue.RtQueueEntry;

/**
 * Posts the messages of one side, and reads those that it is given. Short ones are copied both
 * ways, without an object. Longer ones are lent, with their bodies by reference as through
 * channels. Confined to the consumer's thread.
 */
final class QueueMessages {
  private static final ByteBufAllocator ALLOC = PooledByteBufAllocator.DEFAULT;

  private final MessageContents contents;
  private final RtMessageWriter lent;
  private final byte[] sent = new byte[RtMessageWriter.BY_REFERENCE_BYTES_MIN];
  private final ByteBuf sentView = Unpooled.wrappedBuffer(sent);
  private final byte[] request = new byte[MessageHeader.LENGTH];
  private final ByteBuf requestView = Unpooled.wrappedBuffer(request);
  private byte[] read = new byte[RtMessageWriter.BY_REFERENCE_BYTES_MIN];
  private ByteBuf readView = Unpooled.wrappedBuffer(read);
  private long refused;

  QueueMessages(MessageContents contents) {
    this.contents = contents;
    this.lent = new RtMessageWriter(contents);
  }

  /** Returns the posts that had no room. */
  long refused() {
    return refused;
  }

  // ---- posting: true where the post was taken

  /** Posts a message as a push, with its number as its tag. */
  boolean push(RtQueueConnection to, long sequence, int lengthBytes, boolean measured) {
    if (lengthBytes < sent.length && lengthBytes <= to.copyBytesMax()) {
      contents.writeMessage(sentView.clear(), sequence, lengthBytes, measured);
      return isTaken(to.submitPush(sent, 0, lengthBytes, sequence));
    }
    ByteBuf message = message(sequence, lengthBytes, measured);
    boolean isTaken = push(to, message, sequence);
    if (!isTaken) {
      message.release();
    }
    return isTaken;
  }

  /** Posts a push of a buffer, which stays the caller's where it is not taken. */
  boolean push(RtQueueConnection to, ByteBuf message, long tag) {
    return isTaken(to.submitPush(null, message, tag));
  }

  /** Posts a push of an entry's bytes, which its ring must be able to copy. */
  boolean push(RtQueueConnection to, RtQueueEntry from, long tag) {
    return isTaken(to.submitPush(from.buffer(), from.offset(), from.length(), tag));
  }

  /** Posts a pull, with its number as its tag. */
  boolean pull(RtQueueConnection to, long sequence, int lengthBytes, boolean measured) {
    MessageHeader.write(requestView.clear(), sequence, lengthBytes, measured, 0);
    return isTaken(to.submitPull(request, lengthBytes, sequence));
  }

  private boolean isTaken(long answer) {
    if (answer == RtQueueConnection.BACK_PRESSURED) {
      refused++;
    }
    return answer >= 0;
  }

  /** Returns a message in a buffer. */
  ByteBuf message(long sequence, int lengthBytes, boolean measured) {
    return lent.message(ALLOC, sequence, lengthBytes, measured);
  }

  // ---- reading

  /** Returns a view of an entry's bytes, from index 0 on, until the next call. */
  ByteBuf bytesOf(RtQueueEntry entry) {
    return view(entry, entry.offset(), entry.length());
  }

  /** Returns a view of an entry's header, from index 0 on, until the next call. */
  ByteBuf headerOf(RtQueueEntry entry) {
    return view(entry, entry.headerOffset(), entry.headerLength());
  }

  /** A long message stands in a direct buffer of its own, and is read where it is. */
  private ByteBuf view(RtQueueEntry entry, int offset, int length) {
    if (entry.buffer().isDirect()) {
      return Unpooled.wrappedBuffer(entry.buffer()).slice(offset, length);
    }
    if (length > read.length) {
      read = new byte[length];
      readView = Unpooled.wrappedBuffer(read);
    }
    entry.buffer().get(offset, read, 0, length);
    return readView;
  }

  /** Returns a copy of an entry's bytes, which outlives the handler's call. */
  ByteBuf copyOf(RtQueueEntry entry) {
    int length = entry.length();
    return ALLOC.directBuffer(length, length).writeBytes(bytesOf(entry), 0, length);
  }
}
