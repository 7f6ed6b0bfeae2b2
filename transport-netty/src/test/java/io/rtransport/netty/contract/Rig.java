package io.rtransport.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A server, its children and clients over loopback, a loop each side, made from Netty's bootstraps
 * alone so that nothing in a test knows what it runs over. Set it up by the fields, then {@link
 * #open} or {@link #listen} and {@link #connect}.
 */
final class Rig implements AutoCloseable {
  static final int LIMIT_SECONDS = 20;

  final Transport transport;
  final EventLoopGroup servers;
  final EventLoopGroup clients;
  final Journal atServer = new Journal();
  Journal atChild;
  Journal atClient;

  /** Handlers before the journals, made for each channel. */
  Supplier<List<ChannelHandler>> childHandlers = List::of;

  Supplier<List<ChannelHandler>> clientHandlers = List::of;

  /** Done to each channel of either side before it gets its handlers. */
  Consumer<Channel> preparation = channel -> {};

  /** Of accepted channels, if not the server's. */
  EventLoopGroup children;

  Consumer<ServerBootstrap> serverOptions = bootstrap -> {};
  Consumer<Bootstrap> clientOptions = bootstrap -> {};

  Channel server;
  Channel child;
  Channel client;
  private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();

  Rig(Transport transport) {
    this.transport = transport;
    servers = new MultiThreadIoEventLoopGroup(1, transport.handlers());
    clients = new MultiThreadIoEventLoopGroup(1, transport.handlers());
  }

  /** Listens, connects, and waits for the accepted channel. */
  Rig open() throws Exception {
    listen();
    connect();
    nextChild();
    return this;
  }

  ServerBootstrap serverBootstrap() {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(servers, children == null ? servers : children)
            .channelFactory(transport.servers())
            .handler(atServer)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    addAll(channel, childHandlers.get(), new Journal());
                    accepted.add(channel);
                  }
                });
    serverOptions.accept(bootstrap);
    return bootstrap;
  }

  Channel listen() throws Exception {
    server = serverBootstrap().bind(any()).sync().channel();
    return server;
  }

  Bootstrap clientBootstrap(Journal journal) {
    Bootstrap bootstrap =
        new Bootstrap()
            .group(clients)
            .channelFactory(transport.clients())
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 15_000)
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    addAll(channel, clientHandlers.get(), journal);
                  }
                });
    clientOptions.accept(bootstrap);
    return bootstrap;
  }

  private void addAll(Channel channel, List<ChannelHandler> handlers, Journal journal) {
    preparation.accept(channel);
    for (ChannelHandler handler : handlers) {
      channel.pipeline().addLast(handler);
    }
    channel.pipeline().addLast("journal", journal);
  }

  Channel connect() throws Exception {
    atClient = new Journal();
    client = clientBootstrap(atClient).connect(server.localAddress()).sync().channel();
    return client;
  }

  /** The next accepted channel, with its journal. */
  Channel nextChild() throws InterruptedException {
    child = accepted.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
    assertThat(child).as("accepted channel").isNotNull();
    atChild = (Journal) child.pipeline().get("journal");
    atChild.awaitEvent(Journal.ACTIVE);
    return child;
  }

  int acceptedCount() {
    return accepted.size();
  }

  /** Two groups of handlers, a channel's. */
  static List<ChannelHandler> handlers(ChannelHandler... handlers) {
    return new ArrayList<>(List.of(handlers));
  }

  static InetSocketAddress any() {
    return new InetSocketAddress(NetUtil.LOCALHOST4, 0);
  }

  static ByteBuf text(String text) {
    return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
  }

  static ByteBuf zeros(int length) {
    return Unpooled.wrappedBuffer(new byte[length]);
  }

  /** Waits for {@code future}, whatever its end. */
  static <F extends Future<?>> F done(F future) throws InterruptedException {
    assertThat(future.await(LIMIT_SECONDS, TimeUnit.SECONDS)).as("%s done", future).isTrue();
    return future;
  }

  /** Waits for {@code future}, which must succeed. */
  static <F extends Future<?>> F succeeded(F future) throws InterruptedException {
    done(future);
    assertThat(future.cause()).as("cause of %s", future).isNull();
    return future;
  }

  /** Why {@code future} failed. */
  static Throwable failure(Future<?> future) throws InterruptedException {
    Throwable cause = done(future).cause();
    assertThat(cause).as("cause of %s", future).isNotNull();
    return cause;
  }

  static <T> T onLoop(Channel channel, Callable<T> action) throws Exception {
    return channel.eventLoop().submit(action).get(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  static void runOnLoop(Channel channel, Runnable action) throws Exception {
    channel.eventLoop().submit(action).get(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() throws Exception {
    for (Channel channel : new Channel[] {client, server}) {
      if (channel != null) {
        channel.close();
      }
    }
    if (child != null) {
      child.close();
    }
    for (EventLoopGroup group : List.of(clients, servers)) {
      group.shutdownGracefully(0, LIMIT_SECONDS * 1_000, TimeUnit.MILLISECONDS);
    }
    for (EventLoopGroup group : List.of(clients, servers)) {
      assertThat(group.terminationFuture().await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    }
  }
}
