package io.rtransport.netty.facade;

import io.rtransport.netty.RtServerChannel;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Address, or several, at which an endpoint accepts connections. Every method may be called on any
 * thread and returns at once.
 */
public final class RtListener {
  private final RtServerChannel channel;
  private final PendingFutures pending;

  RtListener(RtServerChannel channel, PendingFutures pending) {
    this.channel = channel;
    this.pending = pending;
  }

  /**
   * Returns the address at which it listens, with the port that the system chose if none was given.
   */
  public InetSocketAddress localAddress() {
    return channel.localAddress();
  }

  /** Returns all addresses at which it listens, the one of {@link #localAddress} first. */
  public List<InetSocketAddress> localAddresses() {
    return channel.localAddresses();
  }

  /** Accepts nothing more. Connections that are set up live on. */
  public CompletableFuture<Void> close() {
    CompletableFuture<Void> future = pending.begin();
    if (!future.isDone()) {
      channel.close().addListener(closed -> future.complete(null));
    }
    return future;
  }

  @Override
  public String toString() {
    return "RtListener(" + channel + ")";
  }
}
