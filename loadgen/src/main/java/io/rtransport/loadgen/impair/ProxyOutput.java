package io.rtransport.loadgen.impair;

import io.netty.buffer.ByteBuf;

/** Exit of one direction from the proxy, on its event loop. */
interface ProxyOutput {
  /** Queues a datagram. Takes ownership of the reference. */
  void write(ByteBuf datagram);

  /** Sends the queued datagrams. */
  void flush();
}
