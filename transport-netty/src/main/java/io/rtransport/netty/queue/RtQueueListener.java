package io.rtransport.netty.queue;

import io.netty.channel.Channel;
import java.net.InetSocketAddress;

/** A place at which {@link RtQueues} accept connections. Any thread. */
public final class RtQueueListener implements AutoCloseable {
  private final Channel channel;

  RtQueueListener(Channel channel) {
    this.channel = channel;
  }

  /** Returns the address that it is bound to. */
  public InetSocketAddress localAddress() {
    return (InetSocketAddress) channel.localAddress();
  }

  /** Accepts no more. Connections that were accepted stay. Returns at once. */
  @Override
  public void close() {
    channel.close();
  }
}
