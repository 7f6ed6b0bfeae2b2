package io.rtransport.netty.facade;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.netty.PayloadSinks;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtChannelOption;
import io.rtransport.netty.RtChannels;
import io.rtransport.netty.RtRail;
import io.rtransport.netty.RtServerChannel;
import io.rtransport.netty.port.PortFactory;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * RT for applications that use futures and callbacks. An endpoint listens, connects, and owns or
 * shares the event loops that do the work.
 *
 * <pre>{@code
 * try (RtEndpoint endpoint = RtEndpoint.open()) {
 *   RtListener listener = endpoint.listen(address, target).join();
 *   RtConnection connection = endpoint.connect(listener.localAddress()).join();
 *   connection.push(bytes).join();
 * }
 * }</pre>
 *
 * <p>Every method except {@link #close} may be called on any thread and returns at once. The
 * package comment says where futures complete and callbacks run.
 */
public final class RtEndpoint implements AutoCloseable {
  private static final long QUIET_MILLIS = 50;
  private static final long SHUTDOWN_MILLIS = 5_000;
  private static final RtTarget NO_TARGET = new RtTarget() {};

  private final EventLoopGroup loops;
  private final boolean isOwner;
  private final PortFactory ports;
  private final PortFactory clientPorts;
  private final int receiveLoops;
  private final AddressResolverGroup<InetSocketAddress> names;
  private final ConnectionConfig handshake;
  private final Consumer<RtChannel> channelSettings;
  private final PendingFutures pending;
  private final ChannelGroup channels =
      new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE, true);
  private final CompletableFuture<Void> shutdown;

  RtEndpoint(RtEndpointBuilder builder) {
    loops = builder.loops();
    isOwner = builder.isOwner();
    receiveLoops = builder.receiveLoopCount();
    ports = builder.ports();
    clientPorts = builder.clientPorts();
    names = builder.names();
    handshake = builder.handshake();
    channelSettings = builder.channelSettings();
    pending = new PendingFutures(loops);
    shutdown = new LoopFuture<>(loops);
  }

  /** Opens an endpoint with one event loop of its own, over epoll if the system has epoll. */
  public static RtEndpoint open() {
    return builder().open();
  }

  /** Returns a builder for an endpoint with other event loops or settings. */
  public static RtEndpointBuilder builder() {
    return new RtEndpointBuilder();
  }

  /**
   * Accepts connections at {@code local}; {@code target} serves their requests. The future fails
   * with a {@code BindException} if the address is taken.
   */
  public CompletableFuture<RtListener> listen(InetSocketAddress local, RtTarget target) {
    return listen(local, List.of(), target);
  }

  /**
   * Accepts connections at {@code local} and at {@code further} addresses. Clients are told all of
   * them, and a connection then uses them as one: {@link RtChannelOption#LISTEN}.
   *
   * @param further concrete addresses of this host, of the family of {@code local}, 0 to 7. The
   *     future fails if one is not available, and then none is left open
   */
  public CompletableFuture<RtListener> listen(
      InetSocketAddress local, List<InetSocketAddress> further, RtTarget target) {
    CompletableFuture<RtListener> future = pending.begin();
    if (future.isDone()) {
      return future;
    }
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(loops)
            .channelFactory(RtChannels.server(ports))
            .option(RtChannelOption.RECEIVE_LOOPS, receiveLoops)
            .option(RtChannelOption.LISTEN, further)
            .handler(initializer(this::prepare))
            .childHandler(initializer(child -> prepare(child, target, connection -> {})));
    whenDone(
        bootstrap.bind(local),
        future,
        channel -> new RtListener((RtServerChannel) channel, pending));
    return future;
  }

  /** Connects to {@code remote} without a target: pushes and pulls of the peer are refused. */
  public CompletableFuture<RtConnection> connect(InetSocketAddress remote) {
    return connect(remote, NO_TARGET);
  }

  /**
   * Connects to {@code remote}; {@code target} serves its requests. The future completes after the
   * handshake, just after {@link RtTarget#onConnect}. It fails with a {@code ConnectException} if
   * nobody listens there or the peer refuses, and with a {@code ConnectTimeoutException} after
   * {@code CONNECT_TIMEOUT_MILLIS} of silence. Cancelling it gives the attempt up. A name that is
   * not resolved yet is resolved on the common pool, because that may block, and all its addresses
   * are tried.
   */
  public CompletableFuture<RtConnection> connect(InetSocketAddress remote, RtTarget target) {
    return connect(remote, List.of(), target);
  }

  /**
   * Connects to {@code remote} and over {@code rails}, which the connection then uses as one:
   * {@link RtChannelOption#RAILS}.
   *
   * @param rails further ways to the same peer, 0 to 7. Not for an endpoint whose clients share a
   *     socket
   */
  public CompletableFuture<RtConnection> connect(
      InetSocketAddress remote, List<RtRail> rails, RtTarget target) {
    return connect(null, remote, rails, target);
  }

  /**
   * Connects to {@code remote} as {@link #connect(InetSocketAddress, List, RtTarget)} does, from an
   * address of this host.
   *
   * @param local from where it connects to {@code remote}; null: the system chooses. Port 0 lets
   *     the system choose the port. The future fails if it is not ours
   */
  public CompletableFuture<RtConnection> connect(
      InetSocketAddress local, InetSocketAddress remote, List<RtRail> rails, RtTarget target) {
    CompletableFuture<RtConnection> future = pending.begin();
    if (future.isDone()) {
      return future;
    }
    if (remote.isUnresolved()) {
      CompletableFuture.runAsync(() -> connect(local, resolved(remote), rails, target, future))
          .exceptionally(
              failure -> {
                future.completeExceptionally(failure.getCause());
                return null;
              });
    } else {
      connect(local, remote, rails, target, future);
    }
    return future;
  }

  /** Returns all addresses of the name. Blocks, as the system's resolver does. */
  private InetSocketAddress resolved(InetSocketAddress name) {
    return names.getResolver(loops.next()).resolve(name).syncUninterruptibly().getNow();
  }

  private void connect(
      InetSocketAddress local,
      InetSocketAddress remote,
      List<RtRail> rails,
      RtTarget target,
      CompletableFuture<RtConnection> future) {
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loops)
            .option(RtChannelOption.RAILS, rails)
            .channelFactory(RtChannels.client(clientPorts))
            .handler(
                initializer(
                    channel ->
                        prepare(channel, target, connection -> handOver(connection, future))));
    ChannelFuture connecting = bootstrap.connect(remote, local);
    future.whenComplete(
        (connection, failure) -> {
          if (future.isCancelled()) {
            connecting.cancel(false);
            connecting.channel().close();
          }
        });
    whenDone(connecting, future, null);
  }

  /** Gives {@code connection} to the caller, or closes it if the caller does not wait any more. */
  private static void handOver(RtConnection connection, CompletableFuture<RtConnection> future) {
    if (!future.complete(connection)) {
      connection.close();
    }
  }

  /**
   * Ends {@code future} with the result of {@code begun}. If {@code value} is null, only a failure
   * ends it.
   */
  private static <T> void whenDone(
      ChannelFuture begun, CompletableFuture<T> future, Function<Channel, T> value) {
    begun.addListener(
        done -> {
          if (!done.isSuccess()) {
            future.completeExceptionally(done.cause());
          } else if (value != null) {
            future.complete(value.apply(begun.channel()));
          }
        });
  }

  private static ChannelHandler initializer(Consumer<Channel> settings) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        settings.accept(channel);
      }
    };
  }

  private void prepare(Channel channel) {
    RtServerChannel server = (RtServerChannel) channel;
    if (handshake != null) {
      server.config().connectionConfig(handshake);
    }
    channels.add(server);
  }

  private void prepare(Channel channel, RtTarget target, Consumer<RtConnection> whenActive) {
    RtChannel connected = (RtChannel) channel;
    if (handshake != null && connected.parent() == null) {
      connected.config().connectionConfig(handshake);
    }
    connected.config().setOption(ChannelOption.SO_LINGER, lingerSeconds(connected));
    channelSettings.accept(connected);
    connected.config().setOption(RtChannelOption.ACKNOWLEDGE, RtChannelOption.Acknowledge.EXPLICIT);
    connected
        .config()
        .setOption(RtChannelOption.WRITE_COMPLETES, RtChannelOption.WriteCompletes.COMPLETED);
    RtConnection connection = new RtConnection(connected, pending);
    if (connected.config().payloadSinks() == null) { // the application's own sinks stay
      PayloadSinks sinks = (on, length, header) -> target.onOffer(connection, length, header);
      connected.config().setOption(RtChannelOption.PAYLOAD_SINKS, sinks);
    }
    connected.pipeline().addLast(new ConnectionHandler(connection, target, whenActive));
    channels.add(connected);
  }

  /**
   * Returns a time somewhat longer than the connection's own close timeout, which gives up the
   * rest.
   */
  private static int lingerSeconds(RtChannel channel) {
    long timeoutMillis = channel.config().getOption(RtChannelOption.CLOSE_TIMEOUT_MILLIS);
    return (int) TimeUnit.MILLISECONDS.toSeconds(timeoutMillis) + 1;
  }

  /**
   * Closes listeners and connections, and then the event loops if the endpoint owns them.
   * Connections first finish their transactions. The future completes when all is done; every other
   * future of this endpoint has completed by then.
   */
  public CompletableFuture<Void> shutdown() {
    loops.terminationFuture().addListener(terminated -> shutdown.complete(null));
    channels.close().addListener(closed -> afterChannels());
    return shutdown.copy();
  }

  private void afterChannels() {
    if (isOwner) {
      loops.shutdownGracefully(QUIET_MILLIS, SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS);
    } else {
      pending.end();
      shutdown.complete(null);
    }
  }

  /**
   * Calls {@link #shutdown} and waits for it. On one of its own event loops it does not wait,
   * because the wait would never end.
   */
  @Override
  public void close() {
    CompletableFuture<Void> done = shutdown();
    for (EventExecutor loop : loops) {
      if (loop.inEventLoop()) {
        return;
      }
    }
    done.join();
  }

  /** Returns the number of futures not yet ended, for tests. */
  int pendingCount() {
    return pending.count();
  }
}
