package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.EventExecutor;
import io.rtransport.netty.internal.loop.LoopDrivers;
import io.rtransport.netty.port.ReceiveBuffers;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A server and its clients over loopback, a loop each, for one test. Closing it closes what is
 * left, and then proves that nothing was left: every receive buffer has been given back.
 */
final class SocketPair implements AutoCloseable {
  private static final long LIMIT_SECONDS = 20;

  private static final long QUIET_MILLIS = 50;

  private final TransportKind kind;
  private final EventLoopGroup servers;
  private final EventLoopGroup clients;
  private final BlockingQueue<RtChannel> accepted = new LinkedBlockingQueue<>();
  private RtServerChannel server;

  SocketPair(TransportKind kind) {
    this(kind, 1);
  }

  SocketPair(TransportKind kind, int serverLoops) {
    kind.assumeAvailable();
    this.kind = kind;
    servers = new MultiThreadIoEventLoopGroup(serverLoops, kind.handlers());
    clients = new MultiThreadIoEventLoopGroup(1, kind.handlers());
  }

  RtServerChannel listen(Consumer<Channel> childInitializer) throws Exception {
    return listen(childInitializer, bootstrap -> {});
  }

  RtServerChannel listen(Consumer<Channel> childInitializer, Consumer<ServerBootstrap> options)
      throws Exception {
    server = listenAt(new InetSocketAddress(NetUtil.LOCALHOST4, 0), childInitializer, options);
    return server;
  }

  /** A server for the caller to close. */
  RtServerChannel listenAt(
      InetSocketAddress local,
      Consumer<Channel> childInitializer,
      Consumer<ServerBootstrap> options)
      throws Exception {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(servers)
            .channelFactory(RtChannels.server(kind.sockets()))
            .childHandler(
                initializer(
                    child -> {
                      accepted.add((RtChannel) child);
                      childInitializer.accept(child);
                    }));
    options.accept(bootstrap);
    return (RtServerChannel) bootstrap.bind(local).sync().channel();
  }

  RtChannel connect(Consumer<Channel> initializer) throws Exception {
    return connect(initializer, bootstrap -> {});
  }

  RtChannel connect(Consumer<Channel> initializer, Consumer<Bootstrap> options) throws Exception {
    return (RtChannel) client(initializer, options).connect(server.localAddress()).sync().channel();
  }

  Bootstrap client(Consumer<Channel> initializer, Consumer<Bootstrap> options) {
    Bootstrap bootstrap =
        new Bootstrap()
            .group(clients)
            .channelFactory(RtChannels.client(kind.sockets()))
            .handler(initializer(initializer));
    options.accept(bootstrap);
    return bootstrap;
  }

  RtChannel child() throws InterruptedException {
    RtChannel child = accepted.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
    assertThat(child).as("accepted channel").isNotNull();
    return child;
  }

  /** Accepted, and not yet asked for by {@link #child}. */
  int acceptedCount() {
    return accepted.size();
  }

  EventLoopGroup servers() {
    return servers;
  }

  EventLoopGroup clients() {
    return clients;
  }

  static ChannelInitializer<Channel> initializer(Consumer<Channel> action) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        action.accept(channel);
      }
    };
  }

  static Consumer<Channel> handlers(ChannelHandler... handlers) {
    return channel -> channel.pipeline().addLast(handlers);
  }

  static Consumer<Channel> nothing() {
    return channel -> channel.pipeline().addLast(new ChannelInboundHandlerAdapter());
  }

  @Override
  public void close() throws Exception {
    assertBuffersReturned(clients);
    if (server != null) {
      server.close().sync();
    }
    assertBuffersReturned(servers);
    // Without a quiet period a loop may end before it has closed its sockets.
    clients.shutdownGracefully(QUIET_MILLIS, LIMIT_SECONDS * 1_000, TimeUnit.MILLISECONDS);
    servers.shutdownGracefully(QUIET_MILLIS, LIMIT_SECONDS * 1_000, TimeUnit.MILLISECONDS);
    assertThat(clients.terminationFuture().await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(servers.terminationFuture().await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  private static void assertBuffersReturned(EventLoopGroup group) throws Exception {
    for (EventExecutor loop : group) {
      int held =
          loop.submit(() -> heldBuffers((EventLoop) loop)).get(LIMIT_SECONDS, TimeUnit.SECONDS);
      assertThat(held).as("receive buffers that somebody still holds").isZero();
    }
  }

  private static int heldBuffers(EventLoop loop) {
    ReceiveBuffers buffers = LoopDrivers.of(loop).receiveBuffers();
    return buffers.keptCount() - buffers.freeCount();
  }
}
