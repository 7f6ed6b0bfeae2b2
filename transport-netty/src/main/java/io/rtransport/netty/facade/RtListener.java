package io.rtransport.netty.facade;

import io.netty.util.concurrent.Future;
import io.rtransport.netty.RtServerChannel;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

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

  /**
   * Listens at one more address, and tells it to the clients. It may be one that was left.
   *
   * @param address of this host, not a wildcard; port 0: the system chooses one
   * @return the address as it is bound. Fails as {@link RtServerChannel#join} does
   */
  public CompletableFuture<InetSocketAddress> join(InetSocketAddress address) {
    return change(() -> channel.join(address));
  }

  /**
   * Gives an address up, but not the first one. Clients are told, and use the others.
   *
   * @return done when nothing more is accepted there. Fails as {@link RtServerChannel#leave} does
   */
  public CompletableFuture<Void> leave(InetSocketAddress address) {
    return change(() -> channel.leave(address));
  }

  private <T> CompletableFuture<T> change(Supplier<Future<T>> change) {
    CompletableFuture<T> future = pending.begin();
    if (!future.isDone()) {
      change
          .get()
          .addListener(
              (Future<T> done) -> {
                if (done.isSuccess()) {
                  future.complete(done.getNow());
                } else {
                  future.completeExceptionally(done.cause());
                }
              });
    }
    return future;
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
