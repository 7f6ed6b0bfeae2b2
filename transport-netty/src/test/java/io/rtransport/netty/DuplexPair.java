package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A client and the channel that a server accepted for it, over TCP or over RT, for tests that hold RT against TCP. */
final class DuplexPair implements AutoCloseable {
  /** Whose channels. */
  enum Kind {
    TCP_NIO(TransportKind.NIO, NioServerSocketChannel::new, NioSocketChannel::new),
    TCP_EPOLL(TransportKind.EPOLL, EpollServerSocketChannel::new, EpollSocketChannel::new),
    RT_NIO(
        TransportKind.NIO,
        RtChannels.server(TransportKind.NIO.sockets()),
        RtChannels.client(TransportKind.NIO.sockets())),
    RT_EPOLL(
        TransportKind.EPOLL,
        RtChannels.server(TransportKind.EPOLL.sockets()),
        RtChannels.client(TransportKind.EPOLL.sockets()));

    private final TransportKind io;
    private final ChannelFactory<? extends ServerChannel> servers;
    private final ChannelFactory<? extends Channel> clients;

    Kind(
        TransportKind io,
        ChannelFactory<? extends ServerChannel> servers,
        ChannelFactory<? extends Channel> clients) {
      this.io = io;
      this.servers = servers;
      this.clients = clients;
    }

    boolean isRt() {
      return this == RT_NIO || this == RT_EPOLL;
    }
  }

  private final Kind kind;
  private final EventLoopGroup group;
  private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
  final EndOfInputLog atServer = new EndOfInputLog();
  final EndOfInputLog atClient = new EndOfInputLog();
  private Channel listener;
  private DuplexChannel client;
  private DuplexChannel server;

  DuplexPair(Kind kind) {
    this.kind = kind;
    group = new MultiThreadIoEventLoopGroup(2, kind.io.handlers());
  }

  void connect(Consumer<ServerBootstrap> serverOptions, Consumer<Bootstrap> clientOptions)
      throws Exception {
    ServerBootstrap listening =
        new ServerBootstrap()
            .group(group)
            .channelFactory(kind.servers)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel child) {
                    child.pipeline().addLast(atServer);
                    accepted.add(child);
                  }
                });
    serverOptions.accept(listening);
    listener = listening.bind(new InetSocketAddress(NetUtil.LOCALHOST4, 0)).sync().channel();
    Bootstrap connecting = connecting();
    clientOptions.accept(connecting);
    client = (DuplexChannel) connecting.connect(listener.localAddress()).sync().channel();
    server = (DuplexChannel) accepted.poll(20, TimeUnit.SECONDS);
    assertThat(server).as("accepted").isNotNull();
  }

  Bootstrap connecting() {
    return new Bootstrap().group(group).channelFactory(kind.clients).handler(atClient);
  }

  DuplexChannel client() {
    return client;
  }

  DuplexChannel server() {
    return server;
  }

  @Override
  public void close() throws Exception {
    for (Channel channel : new Channel[] {client, server, listener}) {
      if (channel != null) {
        channel.close().sync();
      }
    }
    group.shutdownGracefully(10, 20_000, TimeUnit.MILLISECONDS);
    assertThat(group.terminationFuture().await(20, TimeUnit.SECONDS)).isTrue();
  }
}
