package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;

/**
 * Aeron's buffers as Netty's, without a copy: a view of the whole memory behind one, made once for
 * each of the few that a connection reads (its log, and what long messages are put together in).
 * Confined to one thread; a view is good as long as its buffer.
 */
final class AeronViews {
  private static final int VIEWS = 4;

  private final Object[] memories = new Object[VIEWS];
  private final ByteBuf[] views = new ByteBuf[VIEWS];
  private int next;

  /** A view of the memory that {@code buffer} lies in. */
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

  /** Where in the view of {@code buffer} its byte {@code offset} lies. */
  static int index(DirectBuffer buffer, int offset) {
    return buffer.wrapAdjustment() + offset;
  }
}
