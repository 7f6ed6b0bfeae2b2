package io.rtransport.netty.internal.write;

import io.netty.buffer.ByteBuf;
import io.rtransport.core.transaction.PushSupplier;

/**
 * Run of small messages that were written one after the other, copied together: length (two bytes)
 * and bytes of each. A waiting message needs no buffer and no record of its own. So a writer of
 * thousands goes through memory in one direction. Its allocator gives out the same few buffers,
 * which are in the processor's nearest cache. Reused; confined to the event loop.
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
   * Begins a new run.
   *
   * @param longest length of the longest message that it takes, bytes
   */
  public void begin(int longest) {
    lengthMax = longest;
  }

  /** Returns whether it takes one more message of {@code length} bytes. */
  public boolean hasRoom(int length) {
    return length <= lengthMax && CAPACITY_BYTES - tail >= LENGTH_LENGTH + length;
  }

  /**
   * Appends {@code length} bytes of {@code message} from {@code index} on. The buffer stays the
   * caller's.
   */
  public void append(ByteBuf message, int index, int length) {
    message.getBytes(index, bytes, tail + LENGTH_LENGTH, length);
    bytes[tail] = (byte) (length >>> 8);
    bytes[tail + 1] = (byte) length;
    tail += LENGTH_LENGTH + length;
    count++;
  }

  /** Appends the rest of {@code other}. Returns false if there is no room for all of it. */
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

  /** Returns the number of messages left. */
  public int count() {
    return count;
  }

  /** Returns the length of the first message, bytes. */
  public int nextLength() {
    return (bytes[head] & 0xFF) << 8 | bytes[head + 1] & 0xFF;
  }

  /** Returns the bytes of all messages that are left, without their length fields. */
  public int lengthBytes() {
    return tail - head - count * LENGTH_LENGTH;
  }

  /** Puts messages into {@code packet}, each with {@code tag}, until it is full or none is left. */
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
