package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.rtransport.loadgen.workload.MessageHeader;
import io.rtransport.loadgen.workload.MessageVerifier;

/**
 * Splits a byte stream into messages by the length in their headers, and verifies them without
 * collecting their bytes. A length out of range makes the rest of the stream meaningless: {@link
 * #feed} then always returns false.
 */
final class MessageStream {
  private final MessageVerifier verifier;
  private final int lengthBytesMax;
  private final Runnable onMessage;
  private final ByteBuf partialHeader = Unpooled.buffer(MessageHeader.LENGTH, MessageHeader.LENGTH);
  private boolean inBody;
  private boolean broken;

  /**
   * Creates the stream.
   *
   * @param onMessage run after each message that was intact and new; the verifier tells which
   */
  MessageStream(MessageVerifier verifier, int lengthBytesMax, Runnable onMessage) {
    this.verifier = verifier;
    this.lengthBytesMax = lengthBytesMax;
    this.onMessage = onMessage;
  }

  /** Takes all bytes between {@code index} and {@code end}. */
  boolean feed(ByteBuf in, int start, int end) {
    int index = start;
    while (!broken && index < end) {
      if (inBody) {
        index = body(in, index, end);
      } else if (partialHeader.isReadable() || end - index < MessageHeader.LENGTH) {
        int length = Math.min(partialHeader.writableBytes(), end - index);
        partialHeader.writeBytes(in, index, length);
        index += length;
        if (!partialHeader.isWritable()) {
          begin(partialHeader, 0);
          partialHeader.clear();
          endIfWhole();
        }
      } else {
        begin(in, index);
        index = body(in, index + MessageHeader.LENGTH, end);
      }
    }
    return !broken;
  }

  private void begin(ByteBuf in, int index) {
    int lengthBytes = MessageHeader.lengthBytes(in, index);
    broken = lengthBytes < MessageHeader.LENGTH || lengthBytes > lengthBytesMax;
    verifier.begin(in, index);
    inBody = true;
  }

  private int body(ByteBuf in, int index, int end) {
    if (broken) {
      return end;
    }
    int length = Math.min(verifier.bodyLeftBytes(), end - index);
    verifier.body(in, index, length);
    endIfWhole();
    return index + length;
  }

  private void endIfWhole() {
    if (!broken && verifier.bodyLeftBytes() == 0) {
      inBody = false;
      if (verifier.end()) {
        onMessage.run();
      }
    }
  }
}
