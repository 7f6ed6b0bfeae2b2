package io.rtransport.netty.port;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;

/**
 * Receive buffers of one event loop. A buffer is kept, and is used again as soon as its count is
 * back to 1. If applications hold {@link #KEPT_MAX} buffers, a further buffer is made for one read
 * and freed with it. Loop-confined.
 */
public final class ReceiveBuffers {
  /** Length of the largest GRO read, bytes. */
  public static final int COALESCED_LENGTH = 65_536;

  /** Limit of the buffers that are kept. */
  static final int KEPT_MAX = 32;

  private static final int SLICE_FRACTION = 4;
  private static final int COPY_LENGTH_MAX = 256;

  private final List<ReceiveBuffer> kept = new ArrayList<>();
  private final List<ReceiveBuffer> taken = new ArrayList<>();
  private int next;
  private boolean closed;

  /**
   * Returns a buffer with at least {@code capacity} bytes and its indices at 0. The caller has its
   * own count and must release it. {@link #find} can find the buffer by its contents until {@link
   * #readComplete}.
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
        next--; // hot in the cache: tried first next time
        return buffer;
      }
    }
    return null;
  }

  /**
   * Returns the buffer that holds the bytes of {@code content} and was taken since the last {@link
   * #readComplete}. Null if none of these buffers does.
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

  /** Tells that a port's read batch is over. */
  public void readComplete() {
    taken.clear();
  }

  /**
   * Returns whether a message of {@code length} bytes justifies keeping its receive buffer of
   * {@code capacity} bytes.
   */
  public static boolean isWorthSlice(int length, int capacity) {
    return length > COPY_LENGTH_MAX && length * SLICE_FRACTION >= capacity;
  }

  /** Returns the number of kept buffers, free or not. */
  public int keptCount() {
    return kept.size();
  }

  /** Returns the number of kept buffers that no other user holds. */
  public int freeCount() {
    int free = 0;
    for (ReceiveBuffer buffer : kept) {
      free += buffer.isFree() ? 1 : 0;
    }
    return free;
  }

  /** Releases the loop's own count of each buffer. */
  public void close() {
    closed = true;
    taken.clear();
    for (ReceiveBuffer buffer : kept) {
      buffer.bytes().release();
    }
    kept.clear();
  }
}
