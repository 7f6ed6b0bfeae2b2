package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.MessageHeader;
import kcp.Ukcp;

/**
 * Writes messages to a KCP connection in pieces that fit a datagram, so that it neither cuts nor
 * puts together: it takes 255 fragments of a message and no more. The rest of a long message goes
 * by reference. KCP takes all that it is given; its user must know when to stop. Confined to its
 * event loop.
 */
final class KcpWriter {
  /** KCP's header, and room for what its options add. */
  private static final int OVERHEAD_BYTES = 32;

  private final int pieceBytes;
  private final MessageContents contents;

  KcpWriter(int mtuBytes, MessageContents contents) {
    this.pieceBytes = mtuBytes - OVERHEAD_BYTES;
    this.contents = contents;
  }

  /** Datagrams that a message fills. */
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

  /** What a pull asks with: the header alone. */
  void request(Ukcp to, long sequence, int lengthBytes, boolean measured) {
    ByteBuf header =
        PooledByteBufAllocator.DEFAULT.directBuffer(MessageHeader.LENGTH, MessageHeader.LENGTH);
    MessageHeader.write(header, sequence, lengthBytes, measured, 0);
    send(to, header);
  }

  void number(Ukcp to, long number) {
    send(to, PooledByteBufAllocator.DEFAULT.directBuffer(Long.BYTES, Long.BYTES).writeLong(number));
  }

  /** It keeps a reference of its own. */
  private static void send(Ukcp to, ByteBuf bytes) {
    to.write(bytes);
    bytes.release();
  }
}
