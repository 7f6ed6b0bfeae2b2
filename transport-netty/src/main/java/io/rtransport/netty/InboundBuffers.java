package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.rtransport.netty.internal.loop.LoopBuffers;
import io.rtransport.netty.port.ReceiveBuffer;
import io.rtransport.netty.port.ReceiveBuffers;
import java.nio.ByteBuffer;

/**
 * Decides whether the buffer of a peer's message is a slice of its receive buffer or a copy.
 * Stateless.
 */
final class InboundBuffers {
  private InboundBuffers() {}

  /**
   * Returns the buffer of a message that came in one piece: a slice if the message is worth its
   * receive buffer, else a copy.
   *
   * @throws OutOfMemoryError at the limit of direct memory
   */
  static ByteBuf whole(LinkedChannel channel, ByteBuffer from, int index, int length) {
    if (ReceiveBuffers.isWorthSlice(length, from.capacity())) {
      ReceiveBuffer lent = channel.buffers().lentBuffer(from);
      if (lent != null) {
        return lent.bytes().retainedSlice(index, length);
      }
    }
    ByteBuf copy = channel.alloc().buffer(length, length);
    put(channel, copy, 0, from, index, length);
    return copy.writerIndex(length);
  }

  /** Copies {@code length} bytes to {@code offset} of a message's own buffer. */
  static void put(
      LinkedChannel channel, ByteBuf to, int offset, ByteBuffer from, int index, int length) {
    if (length <= LoopBuffers.COPY_BYTES_MAX) {
      byte[] copy = channel.buffers().copyScratch();
      from.get(index, copy, 0, length);
      to.setBytes(offset, copy, 0, length);
    } else {
      ByteBuffer target = to.internalNioBuffer(offset, length);
      target.put(target.position(), from, index, length);
    }
  }
}
