package io.rtransport.netty.internal.write;

import io.netty.buffer.ByteBuf;
import io.rtransport.core.transaction.PushSupplier;

/**
 * Small messages that were written one after the other, copied together: length (two bytes) and
 * bytes of each. One of them needs no buffer and no record of its own while it waits, so that a
 * writer of thousands goes through memory in one direction, and its allocator gives out the same
 * few buffers, which are in the processor's nearest cache. Reused; confined to the event loop.
 */
public final class CoalescedWrites {
  public static final int CAPACITY_BYTES = 8 << 10;

  private static final int LENGTH_LENGTH = 2;

  private final byte[] bytes = new byte[CAPACITY_BYTES];
  private int head;
  private int tail;
  private int count;
  private int lengthMax;

  /**
   * Begins anew.
   *
   * @param longest bytes of the longest message that it takes
   */
  public void begin(int longest) {
    lengthMax = longest;
  }

  /** Whether it takes one more message of that length. */
  public boolean hasRoom(int length) {
    return length <= lengthMax && CAPACITY_BYTES - tail >= LENGTH_LENGTH + length;
  }

  /**
   * Appends {@code length} bytes of {@code message} from {@code index} on; the buffer stays the
   * caller's.
   */
  public void append(ByteBuf message, int index, int length) {
    message.getBytes(index, bytes, tail + LENGTH_LENGTH, length);
    bytes[tail] = (byte) (length >>> 8);
    bytes[tail + 1] = (byte) length;
    tail += LENGTH_LENGTH + length;
    count++;
  }

  /** Appends what is left in {@code other}, if there is room for all of it. */
  public boolean append(CoalescedWrites other) {
    int length = other.tail - other.head;
    if (CAPACITY_BYTES - tail < length) {
      return false;
    }
    System.arraycopy(other.bytes, other.head, bytes, tail, length);
    tail += length;
    count += other.count;
    return true;
  }

  /** Messages left. */
  public int count() {
    return count;
  }

  /** Bytes of the first. */
  public int nextLength() {
    return (bytes[head] & 0xFF) << 8 | bytes[head + 1] & 0xFF;
  }

  /** Bytes of all that are left, without their lengths. */
  public int lengthBytes() {
    return tail - head - count * LENGTH_LENGTH;
  }

  /** Puts them into {@code packet}, each with {@code tag}, until it is full or none is left. */
  public void fill(PushSupplier.Packet packet, long tag) {
    while (count > 0) {
      int length = nextLength();
      if (packet.put(bytes, head + LENGTH_LENGTH, length, tag) == PushSupplier.Packet.FULL) {
        return;
      }
      head += LENGTH_LENGTH + length;
      count--;
    }
  }

  public void clear() {
    head = 0;
    tail = 0;
    count = 0;
  }
}
