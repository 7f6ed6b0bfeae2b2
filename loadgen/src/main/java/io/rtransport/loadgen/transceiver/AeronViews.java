package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;

/**
 * Netty views of Aeron's buffers, without a copy. A view covers the whole memory of a buffer. It is
 * made once for each of the few memories that a connection reads: its log, and the buffer that
 * assembles long messages. Confined to one thread; a view is valid as long as its buffer.
 */
final class AeronViews {
  private static final int VIEWS = 4;

  private final Object[] memories = new Object[VIEWS];
  private final ByteBuf[] views = new ByteBuf[VIEWS];
  private int next;

  /** Returns a view of the memory that holds {@code buffer}. */
  ByteBuf of(DirectBuffer buffer) {
    Object memory = buffer.byteArray() == null ? buffer.byteBuffer() : buffer.byteArray();
    for (int i = 0; i < VIEWS; i++) {
      if (memories[i] == memory) {
        return views[i];
      }
    }
    int place = next++ % VIEWS;
    memories[place] = memory;
    views[place] =
        memory instanceof byte[] array
            ? Unpooled.wrappedBuffer(array)
            : Unpooled.wrappedBuffer(((ByteBuffer) memory).duplicate().clear());
    return views[place];
  }

  /** Returns the index of byte {@code offset} of {@code buffer} in its view. */
  static int index(DirectBuffer buffer, int offset) {
    return buffer.wrapAdjustment() + offset;
  }
}
