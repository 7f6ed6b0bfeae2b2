package io.rtransport.core.solicitation;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Memory of an event loop for messages that have arrived in part and cannot be opened yet: their
 * header is missing, or the sink answered LATER. Credit paid for each byte before it was sent, so
 * this memory needs no limit of its own. Buffers are powers of two, so it is at most twice the paid
 * bytes.
 */
public final class HoldingMemory {
  private static final int SMALLEST_SHIFT = 6;
  private static final int CLASSES = 26;
  private static final long KEPT_BYTES_MAX = 1 << 20;

  private final ArrayDeque<ByteBuffer>[] free = classes();
  private long inUseBytes;
  private long keptBytes;

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static ArrayDeque<ByteBuffer>[] classes() {
    ArrayDeque<ByteBuffer>[] classes = new ArrayDeque[CLASSES];
    for (int i = 0; i < CLASSES; i++) {
      classes[i] = new ArrayDeque<>();
    }
    return classes;
  }

  /** Returns a buffer of at least {@code length} bytes, which credit has paid for. */
  ByteBuffer acquire(int length) {
    int sizeClass =
        length <= 64 ? 0 : 32 - Integer.numberOfLeadingZeros(length - 1) - SMALLEST_SHIFT;
    int capacity = 1 << (sizeClass + SMALLEST_SHIFT);
    inUseBytes += capacity;
    ByteBuffer buffer = free[sizeClass].poll();
    if (buffer == null) {
      return ByteBuffer.allocate(capacity);
    }
    keptBytes -= capacity;
    return buffer;
  }

  void release(ByteBuffer buffer) {
    int capacity = buffer.capacity();
    inUseBytes -= capacity;
    if (keptBytes + capacity <= KEPT_BYTES_MAX) {
      keptBytes += capacity;
      free[Integer.numberOfTrailingZeros(capacity) - SMALLEST_SHIFT].push(buffer);
    }
  }

  /** Returns the bytes in use, for tests and statistics. */
  public long inUseBytes() {
    return inUseBytes;
  }
}
