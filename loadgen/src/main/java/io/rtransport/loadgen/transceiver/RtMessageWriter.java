package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.MessageHeader;

/**
 * Makes buffers of messages. Small ones are copied. Bodies from 8 KiB go by reference after their
 * header, as in the tcp transport.
 */
final class RtMessageWriter {
  /** Shortest message that is not copied, bytes. */
  static final int BY_REFERENCE_BYTES_MIN = 8 << 10;

  private final MessageContents contents;

  RtMessageWriter(MessageContents contents) {
    this.contents = contents;
  }

  ByteBuf message(ByteBufAllocator alloc, long sequence, int lengthBytes, boolean measured) {
    if (lengthBytes < BY_REFERENCE_BYTES_MIN) {
      ByteBuf message = alloc.directBuffer(lengthBytes, lengthBytes);
      contents.writeMessage(message, sequence, lengthBytes, measured);
      return message;
    }
    ByteBuf header = alloc.directBuffer(MessageHeader.LENGTH, MessageHeader.LENGTH);
    contents.writeHeader(header, sequence, lengthBytes, measured);
    return alloc
        .compositeDirectBuffer(2)
        .addComponents(true, header, contents.body(sequence, lengthBytes));
  }
}
