package io.rtransport.netty;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Carries datagrams between one client and a server, and drops without a word those that are too
 * long: a black hole.
 */
final class NarrowPath extends UdpRelay {
  private final AtomicLong dropped = new AtomicLong();
  private volatile int bytesMax;

  NarrowPath(InetSocketAddress server, int bytesMax) throws IOException {
    super(server);
    this.bytesMax = bytesMax;
    start();
  }

  /** From now on datagrams of more than so many bytes vanish, both ways. */
  void bytesMax(int bytes) {
    bytesMax = bytes;
  }

  /** Datagrams that vanished. */
  long dropped() {
    return dropped.get();
  }

  @Override
  boolean passes(ByteBuffer datagram, boolean isOutbound) {
    if (datagram.remaining() <= bytesMax) {
      return true;
    }
    dropped.incrementAndGet();
    return false;
  }
}
