package io.rtransport.simulator;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** Datagram in flight: a copy of the sent bytes, with its fate. Pooled by {@link SimNetwork}. */
final class Datagram {
  /** Longest datagram that a world's hosts send: longer than a jumbo frame. */
  static final int LENGTH_MAX = 9_216;

  /**
   * Longest datagram that the simulated network carries: RT's longest and the bytes that corruption
   * may append.
   */
  static final int CAPACITY = LENGTH_MAX + 64;

  final ByteBuffer bytes = ByteBuffer.allocateDirect(CAPACITY);

  /** In a swarm: the link that it takes, and the end of a connection that sent it, or null. */
  int link;

  SwarmSide sender;

  int length;
  int from;

  /** Time of its arrival, virtual ns. */
  long arrivalNs;

  /** Order of equal arrival times; no two are equal. */
  long serial;

  /** Number of datagrams that this direction sent before it. */
  long index;

  /** Source address that the receiver sees, and the address it was sent to. */
  InetSocketAddress source;

  InetSocketAddress destination;

  boolean isDamaged;

  /** Whether this is the second arrival of a datagram. */
  boolean isCopy;

  void fill(ByteBuffer buffer, int offset, int lengthBytes) {
    bytes.clear();
    bytes.put(0, buffer, offset, lengthBytes);
    length = lengthBytes;
    isDamaged = false;
    isCopy = false;
  }
}
