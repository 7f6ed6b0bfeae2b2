package io.rtransport.netty.port;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;

/**
 * The receive buffers of one event loop. A buffer is kept, and taken again as soon as its count is
 * back to 1; beyond {@link #KEPT_MAX} held by applications a buffer is made for one read and freed
 * with it. Loop-confined.
 */
public final class ReceiveBuffers {
  /** The largest GRO read. */
  public static final int COALESCED_LENGTH = 65_536;

  /** Buffers of one capacity that are kept. */
  static final int KEPT_MAX = 32;

  private static final int SLICE_FRACTION = 4;
  private static final int COPY_LENGTH_MAX = 256;

  private final List<ReceiveBuffer> kept = new ArrayList<>();
  private final List<ReceiveBuffer> taken = new ArrayList<>();
  private int next;
  private boolean closed;

  /**
   * A buffer with at least {@code capacity} bytes, its indices at 0, with a count of its own for
   * the taker to release. It can be found by its contents until {@link #readComplete}.
   */
  public ReceiveBuffer take(int capacity) {
    assert !closed : "loop has closed";
    ReceiveBuffer free = findFree(capacity);
    if (free == null) {
      free = new ReceiveBuffer(UnpooledByteBufAllocator.DEFAULT.directBuffer(capacity, capacity));
      if (kept.size() < KEPT_MAX) {
        kept.add(free);
        free.bytes().retain();
      }
    } else {
      free.bytes().retain();
    }
    free.bytes().clear();
    free.nextOffset = 0;
    taken.add(free);
    return free;
  }

  private ReceiveBuffer findFree(int capacity) {
    for (int i = 0; i < kept.size(); i++) {
      if (next >= kept.size()) {
        next = 0;
      }
      ReceiveBuffer buffer = kept.get(next++);
      if (buffer.capacity() >= capacity && buffer.capacity() < 2 * capacity && buffer.isFree()) {
        next--; // hot in the cache: first to be tried again
        return buffer;
      }
    }
    return null;
  }

  /**
   * The buffer, taken since the last {@link #readComplete}, that holds {@code content}'s bytes;
   * null if none of ours.
   */
  ReceiveBuffer find(ByteBuf content) {
    ByteBuf root = ReceiveBuffer.rootOf(content);
    for (int i = taken.size() - 1; i >= 0; i--) {
      if (taken.get(i).holds(root)) {
        return taken.get(i);
      }
    }
    return null;
  }

  /** A port's read batch is over. */
  public void readComplete() {
    taken.clear();
  }

  /**
   * Whether a message of {@code length} bytes is worth keeping its receive buffer of {@code
   * capacity} bytes for.
   */
  public static boolean isWorthSlice(int length, int capacity) {
    return length > COPY_LENGTH_MAX && length * SLICE_FRACTION >= capacity;
  }

  /** Buffers kept, free or not. */
  public int keptCount() {
    return kept.size();
  }

  /** Kept buffers that nobody else holds. */
  public int freeCount() {
    int free = 0;
    for (ReceiveBuffer buffer : kept) {
      free += buffer.isFree() ? 1 : 0;
    }
    return free;
  }

  /** Gives up our count of each. */
  public void close() {
    closed = true;
    taken.clear();
    for (ReceiveBuffer buffer : kept) {
      buffer.bytes().release();
    }
    kept.clear();
  }
}
