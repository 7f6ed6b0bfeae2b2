package io.rtransport.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A client and the channel that a server accepted for it, over TCP or over RT, for tests that hold
 * RT against TCP.
 */
final class DuplexPair implements AutoCloseable {
  private final Transport transport;
  private final EventLoopGroup group;
  private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
  final EndOfInputLog atServer = new EndOfInputLog();
  final EndOfInputLog atClient = new EndOfInputLog();
  private Channel listener;
  private DuplexChannel client;
  private DuplexChannel server;

  DuplexPair(Transport transport) {
    this.transport = transport;
    group = new MultiThreadIoEventLoopGroup(2, transport.handlers());
  }

  void connect(Consumer<ServerBootstrap> serverOptions, Consumer<Bootstrap> clientOptions)
      throws Exception {
    ServerBootstrap listening =
        new ServerBootstrap()
            .group(group)
            .channelFactory(transport.servers())
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
    return new Bootstrap().group(group).channelFactory(transport.clients()).handler(atClient);
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
