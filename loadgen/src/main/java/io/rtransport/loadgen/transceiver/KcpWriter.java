package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.MessageHeader;
import kcp.Ukcp;

/**
 * Writes messages to a KCP connection in pieces that fit a datagram, so that KCP neither splits nor
 * assembles them: it takes at most 255 fragments of a message. The rest of a long message goes by
 * reference. KCP accepts everything; its user must know when to stop. Confined to its event loop.
 */
final class KcpWriter {
  /** KCP's header, and room for its options. */
  private static final int OVERHEAD_BYTES = 32;

  private final int pieceBytes;
  private final MessageContents contents;

  KcpWriter(int mtuBytes, MessageContents contents) {
    this.pieceBytes = mtuBytes - OVERHEAD_BYTES;
    this.contents = contents;
  }

  /** Returns the datagrams that a message fills. */
  int pieces(int lengthBytes) {
    return (lengthBytes + pieceBytes - 1) / pieceBytes;
  }

  void message(Ukcp to, long sequence, int lengthBytes, boolean measured) {
    int firstBytes = Math.min(lengthBytes, pieceBytes);
    int taken = firstBytes - MessageHeader.LENGTH;
    ByteBuf first = PooledByteBufAllocator.DEFAULT.directBuffer(firstBytes, firstBytes);
    contents.writeHeader(first, sequence, lengthBytes, measured);
    first.writeBytes(contents.array(), contents.bodyOffset(sequence), taken);
    send(to, first);
    if (lengthBytes > firstBytes) {
      ByteBuf body = contents.body(sequence, lengthBytes);
      for (int at = taken; at < body.readableBytes(); at += pieceBytes) {
        to.write(body.slice(at, Math.min(pieceBytes, body.readableBytes() - at)));
      }
    }
  }

  /** Sends the request of a pull: the header alone. */
  void request(Ukcp to, long sequence, int lengthBytes, boolean measured) {
    ByteBuf header =
        PooledByteBufAllocator.DEFAULT.directBuffer(MessageHeader.LENGTH, MessageHeader.LENGTH);
    MessageHeader.write(header, sequence, lengthBytes, measured, 0);
    send(to, header);
  }

  void number(Ukcp to, long number) {
    send(to, PooledByteBufAllocator.DEFAULT.directBuffer(Long.BYTES, Long.BYTES).writeLong(number));
  }

  /** Sends bytes and releases them. KCP keeps its own reference. */
  private static void send(Ukcp to, ByteBuf bytes) {
    to.write(bytes);
    bytes.release();
  }
}
