package io.rtransport.simulator;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** A datagram under way: a copy of what was sent, with its fate. Pooled by {@link SimNetwork}. */
final class Datagram {
  /** The longest datagram that a world's hosts send: a jumbo frame's and more. */
  static final int LENGTH_MAX = 9_216;

  /**
   * Longest datagram the simulated network carries: the largest of RT and what corruption may
   * append.
   */
  static final int CAPACITY = LENGTH_MAX + 64;

  final ByteBuffer bytes = ByteBuffer.allocateDirect(CAPACITY);

  /** In a swarm: the link that it travels, and the end of a connection that sent it, or null. */
  int link;

  SwarmSide sender;

  int length;
  int from;

  /** When it arrives, virtual ns. */
  long arrivalNs;

  /** Ties between equal arrivals are broken by this: no two are equal. */
  long serial;

  /** How many datagrams this direction had sent before it. */
  long index;

  /** What the receiver is told of its sender, and whom it was sent to. */
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
