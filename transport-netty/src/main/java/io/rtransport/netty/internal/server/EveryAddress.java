package io.rtransport.netty.internal.server;

import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;

/**
 * Addresses of a name, in the resolver's order. An {@code RtChannel} that connects uses all of
 * them; every other user sees the first only. This class carries a resolver's whole answer through
 * Netty's {@code Bootstrap}, which asks for one address.
 */
public final class EveryAddress extends InetSocketAddress {
  private static final long serialVersionUID = 1L;

  private final transient List<InetSocketAddress> all;

  private EveryAddress(List<InetSocketAddress> all) {
    super(all.get(0).getAddress(), all.get(0).getPort());
    this.all = all;
  }

  public List<InetSocketAddress> all() {
    return all == null ? List.of(this) : all; // null after serialization
  }

  /** Asks the resolvers of another group for all addresses that they know. */
  public static final class ResolverGroup extends AddressResolverGroup<InetSocketAddress> {
    private final AddressResolverGroup<InetSocketAddress> names;

    public ResolverGroup(AddressResolverGroup<InetSocketAddress> names) {
      this.names = names;
    }

    @Override
    protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
      return new Resolver(executor, names.getResolver(executor));
    }
  }

  private record Resolver(EventExecutor executor, AddressResolver<InetSocketAddress> names)
      implements AddressResolver<InetSocketAddress> {
    @Override
    public boolean isSupported(SocketAddress address) {
      return names.isSupported(address);
    }

    @Override
    public boolean isResolved(SocketAddress address) {
      return names.isResolved(address);
    }

    @Override
    public Future<InetSocketAddress> resolve(SocketAddress address) {
      return resolve(address, executor.newPromise());
    }

    @Override
    public Future<InetSocketAddress> resolve(
        SocketAddress address, Promise<InetSocketAddress> promise) {
      names
          .resolveAll(address)
          .addListener(
              (Future<List<InetSocketAddress>> known) -> {
                if (known.isSuccess()) {
                  promise.trySuccess(new EveryAddress(List.copyOf(known.getNow())));
                } else {
                  promise.tryFailure(known.cause());
                }
              });
      return promise;
    }

    @Override
    public Future<List<InetSocketAddress>> resolveAll(SocketAddress address) {
      return names.resolveAll(address);
    }

    @Override
    public Future<List<InetSocketAddress>> resolveAll(
        SocketAddress address, Promise<List<InetSocketAddress>> promise) {
      return names.resolveAll(address, promise);
    }

    @Override
    public void close() {
      // The resolver belongs to its group.
    }
  }
}
