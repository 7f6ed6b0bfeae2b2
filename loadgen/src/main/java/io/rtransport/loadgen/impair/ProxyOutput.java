package io.rtransport.loadgen.impair;

import io.netty.buffer.ByteBuf;

/** One direction's way out of the proxy, on its event loop. */
interface ProxyOutput {
  /** Queues a datagram; takes over the reference. */
  void write(ByteBuf datagram);

  /** Sends what is queued. */
  void flush();
}
