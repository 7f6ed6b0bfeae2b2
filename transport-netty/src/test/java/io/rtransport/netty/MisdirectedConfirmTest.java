package io.rtransport.netty;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.PacketType;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A handshake is confirmed at a port that no server has, but which is read by the server's event
 * loop: a client's. That is nobody's connection; where it is confirmed again at the server's port
 * it goes on.
 */
@Timeout(60)
class MisdirectedConfirmTest {
  private static final int MISDIRECTED = 2;

  private final EventLoopGroup serverLoop =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final EventLoopGroup clientLoop =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private DatagramSocket front;
  private DatagramSocket back;
  private RtServerChannel server;
  private volatile SocketAddress initiator;

  private static final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ctx.writeAndFlush(message);
    }
  }

  @BeforeEach
  void open() throws Exception {
    front = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    back = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    server =
        (RtServerChannel)
            new ServerBootstrap()
                .group(serverLoop)
                .channelFactory(RtChannels.server(NioDatagramChannel::new))
                .childHandler(
                    new ChannelInitializer<RtChannel>() {
                      @Override
                      protected void initChannel(RtChannel child) {
                        child.pipeline().addLast(new Echo());
                      }
                    })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
  }

  @AfterEach
  void close() {
    front.close();
    back.close();
    serverLoop.shutdownGracefully(0, 20, TimeUnit.SECONDS).syncUninterruptibly();
    clientLoop.shutdownGracefully(0, 20, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private static Channel connect(
      EventLoopGroup group, ChannelFactory<RtChannel> factory, SocketAddress to, Inbox inbox)
      throws InterruptedException {
    Bootstrap bootstrap = new Bootstrap().group(group).channelFactory(factory).handler(inbox);
    return bootstrap.connect(to).sync().channel();
  }

  @Test
  void shouldDropItAndTakeItAtTheServersPort() throws Exception {
    Channel neighbour =
        connect(
            serverLoop,
            RtChannels.clientsOfOnePort(NioDatagramChannel::new),
            server.localAddress(),
            new Inbox());
    int port = ((InetSocketAddress) neighbour.localAddress()).getPort();
    start(() -> carryUp(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
    start(this::carryDown);
    long before = dropped();

    Inbox inbox = new Inbox();
    Channel client =
        connect(
            clientLoop,
            RtChannels.client(NioDatagramChannel::new),
            front.getLocalSocketAddress(),
            inbox);
    client.writeAndFlush(Unpooled.copiedBuffer("hello", UTF_8)).sync();

    assertThat(inbox.nextBytes()).isEqualTo("hello".getBytes(UTF_8));
    assertThat(dropped() - before).isEqualTo(MISDIRECTED);
    assertThat(neighbour.isActive()).isTrue();
  }

  private long dropped() throws Exception {
    return server.loopCounters().get(20, TimeUnit.SECONDS).getOrDefault(CounterId.DROP_STATE, 0L);
  }

  private interface Carrying {
    void run() throws IOException;
  }

  private static void start(Carrying carrying) {
    Thread thread =
        new Thread(
            () -> {
              try {
                carrying.run();
              } catch (IOException e) {
                // the sockets are closed: the test is over
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  /** The first packets that do not begin the handshake go to {@code elsewhere}. */
  private void carryUp(SocketAddress elsewhere) throws IOException {
    DatagramPacket packet = new DatagramPacket(new byte[65_536], 65_536);
    for (int misdirected = 0; ; ) {
      packet.setLength(65_536);
      front.receive(packet);
      initiator = packet.getSocketAddress();
      boolean isElsewhere = packet.getData()[1] != PacketType.CONNECT && misdirected < MISDIRECTED;
      misdirected += isElsewhere ? 1 : 0;
      packet.setSocketAddress(isElsewhere ? elsewhere : server.localAddress());
      back.send(packet);
    }
  }

  private void carryDown() throws IOException {
    DatagramPacket packet = new DatagramPacket(new byte[65_536], 65_536);
    while (true) {
      packet.setLength(65_536);
      back.receive(packet);
      packet.setSocketAddress(initiator);
      front.send(packet);
    }
  }
}
