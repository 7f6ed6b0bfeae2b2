package io.rtransport.core.wire;

import java.nio.ByteBuffer;

/**
 * All packets of one connection in one datagram read (a GRO buffer, a recvmmsg batch), or in one
 * turn of the send pump: a reused array of views, confined to its event loop and borrowed until the
 * call returns. Forty-six packets are one event.
 *
 * <p>Inbound, a sublayer that refuses a packet marks it {@link #drop dropped}; those above skip it.
 * Outbound, {@link #token} names the block of the retransmission store that holds the packet, or
 * {@link #TRANSIENT}: such bytes are gone when the call returns.
 */
public final class PacketBurst {
  /** Limit of the packets in a burst. */
  public static final int CAPACITY = 64;

  /** The token of a packet whose bytes must be copied before the call returns. */
  public static final int TRANSIENT = -1;

  private final ByteBuffer[] buffers = new ByteBuffer[CAPACITY];
  private final int[] offsets = new int[CAPACITY];
  private final int[] lengths = new int[CAPACITY];
  private final int[] paths = new int[CAPACITY];
  private final int[] tokens = new int[CAPACITY];
  private long dropped;
  private int count;

  /** Appends a packet. False, and nothing changed, when the burst is full. */
  public boolean add(ByteBuffer buffer, int offset, int length, int pathIndex, int token) {
    if (count == CAPACITY) {
      return false;
    }
    buffers[count] = buffer;
    offsets[count] = offset;
    lengths[count] = length;
    paths[count] = pathIndex;
    tokens[count] = token;
    count++;
    return true;
  }

  /** Forgets all packets, so that no buffer is kept alive by a burst at rest. */
  public void clear() {
    for (int i = 0; i < count; i++) {
      buffers[i] = null;
    }
    count = 0;
    dropped = 0;
  }

  public int count() {
    return count;
  }

  public boolean isFull() {
    return count == CAPACITY;
  }

  public ByteBuffer buffer(int i) {
    return buffers[i];
  }

  public int offset(int i) {
    return offsets[i];
  }

  public int length(int i) {
    return lengths[i];
  }

  /** Returns the index of the local path that the packet came in on, or goes out by. */
  public int pathIndex(int i) {
    return paths[i];
  }

  public int token(int i) {
    return tokens[i];
  }

  /** Marks packet {@code i} as refused: the sublayers above skip it. */
  public void drop(int i) {
    dropped |= 1L << i;
  }

  public boolean isDropped(int i) {
    return (dropped & (1L << i)) != 0;
  }

  /** Returns a copy of packet {@code i} that outlives the burst. */
  public ByteBuffer copy(int i) {
    ByteBuffer copy = ByteBuffer.allocate(lengths[i]);
    copy.put(0, buffers[i], offsets[i], lengths[i]);
    return copy;
  }
}
