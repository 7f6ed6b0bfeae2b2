package io.rtransport.core.burst;

import java.nio.ByteBuffer;

/**
 * Packets of one connection from one datagram read (a GRO buffer or a recvmmsg batch), or for one
 * turn of the send pump. A burst is handled as one event. It is a reused array of views, confined
 * to its event loop and borrowed until the call returns.
 *
 * <p>Inbound, a sublayer that refuses a packet marks it {@link #drop dropped}, and the sublayers
 * above skip it. Outbound, {@link #token} names the block of the retransmission store that holds
 * the packet. For {@link #TRANSIENT} the bytes are valid only until the call returns.
 */
public final class PacketBurst {
  /** Largest number of packets in a burst. */
  public static final int CAPACITY = 64;

  /** The token of a packet whose bytes must be copied before the call returns. */
  public static final int TRANSIENT = -1;

  /** Path index of a packet that arrived by no open path of its connection. */
  public static final int NO_PATH = -1;

  /** Type of a packet whose header nobody has read yet. */
  public static final int NO_TYPE = -1;

  private final ByteBuffer[] buffers = new ByteBuffer[CAPACITY];
  private final int[] offsets = new int[CAPACITY];
  private final int[] lengths = new int[CAPACITY];
  private final int[] paths = new int[CAPACITY];
  private final int[] tokens = new int[CAPACITY];
  private final byte[] types = new byte[CAPACITY];
  private long dropped;
  private int count;

  /** Appends a packet. Returns false and changes nothing if the burst is full. */
  public boolean add(ByteBuffer buffer, int offset, int length, int pathIndex, int token) {
    if (count == CAPACITY) {
      return false;
    }
    buffers[count] = buffer;
    offsets[count] = offset;
    lengths[count] = length;
    paths[count] = pathIndex;
    tokens[count] = token;
    types[count] = NO_TYPE;
    count++;
    return true;
  }

  /** Removes all packets. An idle burst then keeps no buffer alive. */
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

  /**
   * Returns the index of the local path on which the packet arrived or leaves. A packet that
   * arrived from an address without a path has {@link #NO_PATH}.
   */
  public int pathIndex(int i) {
    return paths[i];
  }

  public int token(int i) {
    return tokens[i];
  }

  /**
   * Returns the type of packet {@code i}, as the sublayer that checked it has read it; {@link
   * #NO_TYPE} before that, and for outbound packets.
   */
  public int type(int i) {
    return types[i];
  }

  /** Notes the type of packet {@code i}, 0..31. */
  public void type(int i, int type) {
    types[i] = (byte) type;
  }

  /** Marks packet {@code i} as refused. The sublayers above skip it. */
  public void drop(int i) {
    dropped |= 1L << i;
  }

  public boolean isDropped(int i) {
    return (dropped & (1L << i)) != 0;
  }

  /** Returns a copy of packet {@code i}, valid after the burst is reused. */
  public ByteBuffer copy(int i) {
    ByteBuffer copy = ByteBuffer.allocate(lengths[i]);
    copy.put(0, buffers[i], offsets[i], lengths[i]);
    return copy;
  }
}
