package io.rtransport.simulator;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/** Datagram in flight: a copy of the sent bytes, with its fate. Pooled by {@link SimNetwork}. */
final class Datagram {
  /** End of a connection that sends datagrams. */
  interface Sender {
    /** Returns the connection id that it has given itself. */
    int cid();
  }

  /** Longest datagram that a world's hosts send: longer than a jumbo frame. */
  static final int LENGTH_MAX = 9_216;

  /**
   * Longest datagram that the simulated network carries: RT's longest and the bytes that corruption
   * may append.
   */
  static final int CAPACITY = LENGTH_MAX + 64;

  private static final int USUAL_CAPACITY = 2_048;

  ByteBuffer bytes = ByteBuffer.allocateDirect(USUAL_CAPACITY);

  /** Direction of the link that it takes. */
  SimLink link;

  /** Who sent it, where that is of interest to the receiver; or null. */
  Sender sender;

  int length;

  /** Time of its arrival, virtual ns. */
  long arrivalNs;

  /** Order of equal arrival times; no two are equal. */
  long serial;

  /** Number of datagrams that this direction sent before it. */
  long index;

  /** Source address that the receiver sees, and the address it was sent to. */
  InetSocketAddress source;

  InetSocketAddress destination;

  /** Whether it has reached its destination, and waits for the line of the socket there. */
  boolean isQueued;

  boolean isDamaged;

  /** Whether this is not the first arrival of a datagram that a host has sent. */
  boolean isCopy;

  void fill(ByteBuffer buffer, int offset, int lengthBytes) {
    length = 0;
    grow(lengthBytes);
    bytes.put(0, buffer, offset, lengthBytes);
    length = lengthBytes;
    isDamaged = false;
    isCopy = false;
    isQueued = false;
  }

  /**
   * Damages the datagram: flips up to three bits (a CRC32C finds every such error), cuts its end,
   * or appends bytes.
   */
  void damage(long seed) {
    RandomGenerator random = SimRandom.fork(seed, "damage");
    isDamaged = true;
    int way = random.nextInt(8);
    if (way == 0 && length > 0) {
      length = random.nextInt(length);
    } else if (way == 1) {
      int added = 1 + random.nextInt(CAPACITY - length);
      grow(length + added);
      for (int i = 0; i < added; i++) {
        bytes.put(length + i, (byte) random.nextInt());
      }
      length += added;
    } else {
      int first = random.nextInt(length * 8);
      flip(first);
      int second = random.nextInt(length * 8);
      if (random.nextBoolean() && second != first) {
        flip(second);
      }
    }
  }

  private void grow(int lengthBytes) {
    if (lengthBytes > bytes.capacity()) {
      ByteBuffer longer = ByteBuffer.allocateDirect(CAPACITY);
      longer.put(0, bytes, 0, length);
      bytes = longer;
    }
  }

  /** Inverts one bit. */
  void flip(int bit) {
    int at = bit >> 3;
    bytes.put(at, (byte) (bytes.get(at) ^ (1 << (bit & 7))));
  }
}
