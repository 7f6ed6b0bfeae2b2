package io.rtransport.loadgen.transceiver;

import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.logbuffer.BufferClaim;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.MessageHeader;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes messages to a publication as Aeron's guide advises. A message that fits a frame goes into
 * a claimed place of the log, without another copy. A longer message goes by an offer, which splits
 * it. A message longer than Aeron accepts (an eighth of a term) goes by several offers, because the
 * receiver reads a stream of messages anyway. "No room" is an answer, to be tried again. Confined
 * to one thread.
 */
final class AeronWriter {
  private final ExclusivePublication publication;
  private final MessageContents contents;
  private final BufferClaim claim = new BufferClaim();
  private final ByteBuf header = Unpooled.buffer(MessageHeader.LENGTH, MessageHeader.LENGTH);
  private final UnsafeBuffer headerView = new UnsafeBuffer(header.array());
  private final UnsafeBuffer bodies;

  /**
   * The message that goes out in several offers, and how much of its body is out. There is none if
   * nothing is left.
   */
  private long sequence;

  private int bodyBytes;
  private int bodyOutBytes;

  AeronWriter(ExclusivePublication publication, MessageContents contents) {
    this.publication = publication;
    this.contents = contents;
    this.bodies = new UnsafeBuffer(contents.array());
  }

  /** Returns whether a part of the last message must still go out: {@link #resume} first. */
  boolean isBusy() {
    return bodyOutBytes < bodyBytes;
  }

  /** Takes a message, perhaps only its first part now. Returns false if there is no room. */
  boolean message(long sequence, int lengthBytes, boolean measured) {
    contents.writeHeader(header.clear(), sequence, lengthBytes, measured);
    int bodyOffset = contents.bodyOffset(sequence);
    int length = lengthBytes - MessageHeader.LENGTH;
    if (lengthBytes <= publication.maxPayloadLength()) {
      if (!claim(lengthBytes)) {
        return false;
      }
      claim.putBytes(headerView, 0, MessageHeader.LENGTH);
      claim
          .buffer()
          .putBytes(claim.offset() + MessageHeader.LENGTH, contents.array(), bodyOffset, length);
      claim.commit();
      return true;
    }
    int part = Math.min(length, publication.maxMessageLength() - MessageHeader.LENGTH);
    long position;
    do {
      position = publication.offer(headerView, 0, MessageHeader.LENGTH, bodies, bodyOffset, part);
    } while (position == Publication.ADMIN_ACTION);
    if (position < 0) {
      return false;
    }
    this.sequence = sequence;
    bodyBytes = length;
    bodyOutBytes = part;
    resume();
    return true;
  }

  /** Continues the message that is going out. Returns whether anything went. */
  boolean resume() {
    int before = bodyOutBytes;
    while (isBusy()) {
      int part = Math.min(bodyBytes - bodyOutBytes, publication.maxMessageLength());
      if (!bytes(bodies, contents.bodyOffset(sequence) + bodyOutBytes, part)) {
        break;
      }
      bodyOutBytes += part;
    }
    return bodyOutBytes > before;
  }

  /**
   * Takes bytes unchanged, at most those of one received message. Returns false if there is no
   * room.
   */
  boolean bytes(DirectBuffer from, int offset, int length) {
    if (length <= publication.maxPayloadLength()) {
      if (!claim(length)) {
        return false;
      }
      claim.putBytes(from, offset, length);
      claim.commit();
      return true;
    }
    long position;
    do {
      position = publication.offer(from, offset, length);
    } while (position == Publication.ADMIN_ACTION);
    return position > 0;
  }

  /** Takes the request of a pull: the header alone. */
  boolean request(long sequence, int lengthBytes, boolean measured) {
    MessageHeader.write(header.clear(), sequence, lengthBytes, measured, 0);
    return bytes(headerView, 0, MessageHeader.LENGTH);
  }

  /** Takes an 8-byte number, big-endian. */
  boolean number(long number) {
    header.clear().writeLong(number);
    return bytes(headerView, 0, Long.BYTES);
  }

  /**
   * Claims a place in the log. An administrative action (the next term has begun) only means to try
   * again.
   */
  private boolean claim(int length) {
    long position;
    do {
      position = publication.tryClaim(length, claim);
    } while (position == Publication.ADMIN_ACTION);
    return position > 0;
  }
}
