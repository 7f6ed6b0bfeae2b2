package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.rtransport.netty.internal.loop.LoopDrivers;
import io.rtransport.netty.port.RtPort;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients of one event loop that share a socket. */
@Timeout(120)
class SharedPortTest {
  private static final int MANY = 100;
  private static final int LONG = 300_000;

  private static final Consumer<Channel> ECHOES =
      channel ->
          channel
              .pipeline()
              .addLast(
                  new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext ctx, Object message) {
                      ctx.writeAndFlush(message);
                    }
                  });

  private SocketPair pair;
  private ChannelFactory<RtChannel> factory;
  private InetSocketAddress server;
  private final List<RtChannel> clients = new ArrayList<>();
  private final Map<RtChannel, Inbox> inboxes = new HashMap<>();

  private void listen(TransportKind kind) throws Exception {
    pair = new SocketPair(kind);
    factory = RtChannels.clientsOfOnePort(kind.sockets());
    server = pair.listen(ECHOES).localAddress();
  }

  @AfterEach
  void close() throws Exception {
    if (pair != null) { // else the machine has not got that kind
      pair.close();
    }
  }

  private RtChannel connect(InetSocketAddress to, InetSocketAddress local) throws Exception {
    return connect(factory, to, local);
  }

  /** From {@code local}, or, with null, from anywhere. */
  private RtChannel connect(
      ChannelFactory<RtChannel> factory, InetSocketAddress to, InetSocketAddress local)
      throws Exception {
    Inbox inbox = new Inbox();
    Bootstrap bootstrap =
        pair.client(SocketPair.handlers(inbox), b -> b.localAddress(local)).clone();
    RtChannel client = (RtChannel) sharing(bootstrap, factory).connect(to).sync().channel();
    clients.add(client);
    inboxes.put(client, inbox);
    return client;
  }

  private static Bootstrap sharing(Bootstrap like, ChannelFactory<RtChannel> factory) {
    Bootstrap bootstrap = new Bootstrap().group(like.config().group()).channelFactory(factory);
    if (like.config().localAddress() != null) {
      bootstrap.localAddress(like.config().localAddress());
    }
    return bootstrap.handler(like.config().handler());
  }

  private void assertEchoes(RtChannel client, int lengthBytes) throws Exception {
    byte[] bytes = new byte[lengthBytes];
    new Random(client.localAddress().getPort() + clients.indexOf(client)).nextBytes(bytes);
    client.writeAndFlush(Unpooled.wrappedBuffer(bytes)).sync();
    assertThat(inboxes.get(client).nextBytes()).isEqualTo(bytes);
  }

  private static int sharedPorts(RtChannel client) throws Exception {
    return (int) knownPorts(client).stream().filter(port -> !port.isClosed()).count();
  }

  /** Those that are closed too, as long as the loop has not forgotten them. */
  private static List<RtPort> knownPorts(RtChannel client) throws Exception {
    EventLoop loop = client.eventLoop();
    return loop.submit(() -> List.copyOf(LoopDrivers.of(loop).sharedPorts().values()))
        .get(20, TimeUnit.SECONDS);
  }

  private void assertLivesAndIsTheLast(RtChannel client) throws Exception {
    assertEchoes(client, LONG);
    client.close().sync();
    awaitNoSharedPort(client);
  }

  private static void awaitNoSharedPort(RtChannel client) {
    Awaitility.await()
        .atMost(30, TimeUnit.SECONDS)
        .untilAsserted(() -> assertThat(knownPorts(client)).isEmpty());
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldLiveOnWhereOthersEndAndOpenAnotherPortBehindTheLast(TransportKind kind)
      throws Exception {
    listen(kind);
    RtChannel first = connect(server, null);
    RtChannel second = connect(server, null);
    RtPort port = inside(first).port();
    assertThat(inside(second).port()).isSameAs(port);
    assertThat(second.localAddress()).isEqualTo(first.localAddress());
    assertEchoes(first, 10);
    assertEchoes(second, LONG);
    first.close().sync();
    assertEchoes(second, 10);
    RtChannel third = connect(server, null);
    assertThat(inside(third).port()).isSameAs(port);
    second.close().sync();
    assertEchoes(third, LONG);
    third.close().sync();
    awaitNoSharedPort(third);
    RtChannel fourth = connect(server, null);
    assertThat(inside(fourth).port()).isNotSameAs(port);
    assertEchoes(fourth, 10);
    fourth.close().sync();
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldCarryManyToSeveralPeersEachItsOwn(TransportKind kind) throws Exception {
    listen(kind);
    RtServerChannel other =
        pair.listenAt(new InetSocketAddress("127.0.0.1", 0), ECHOES, options -> {});
    for (int i = 0; i < MANY; i++) {
      connect(i % 2 == 0 ? server : other.localAddress(), null);
    }
    Set<RtPort> ports = new HashSet<>();
    List<byte[]> sent = new ArrayList<>();
    Random random = new Random(5);
    for (RtChannel client : clients) {
      ports.add(inside(client).port());
      byte[] bytes = new byte[20_000];
      random.nextBytes(bytes);
      sent.add(bytes);
      client.writeAndFlush(Unpooled.wrappedBuffer(bytes));
    }
    for (int i = 0; i < MANY; i++) {
      assertThat(inboxes.get(clients.get(i)).nextBytes()).isEqualTo(sent.get(i));
    }
    assertThat(ports).hasSize(1);
    for (RtChannel client : clients) {
      client.close().sync();
    }
    awaitNoSharedPort(clients.get(0));
    other.close().sync();
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldFailByTheTimeoutWhereNobodyListensAndHarmNoOther(TransportKind kind) throws Exception {
    listen(kind);
    RtChannel living = connect(server, null);
    Bootstrap bootstrap = sharing(pair.client(SocketPair.nothing(), b -> {}), factory);
    try (NobodysPort nobody = new NobodysPort()) {
      ChannelFuture failed =
          bootstrap.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 500).connect(nobody.address());
      assertThat(failed.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(failed.cause()).isInstanceOf(ConnectTimeoutException.class);
    }
    assertLivesAndIsTheLast(living);
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldRefuseStrangersAndLiveOn(TransportKind kind) throws Exception {
    listen(kind);
    RtChannel living = connect(server, null);
    InetSocketAddress shared = new InetSocketAddress("127.0.0.1", living.localAddress().getPort());
    Bootstrap bootstrap =
        sharing(pair.client(SocketPair.nothing(), b -> {}), RtChannels.client(kind.sockets()));
    ChannelFuture refused = bootstrap.connect(shared);
    assertThat(refused.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(refused.cause())
        .isInstanceOf(ConnectException.class)
        .isNotInstanceOf(ConnectTimeoutException.class);
    try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      byte[] noise = new byte[64];
      for (int i = 0; i < MANY; i++) {
        new Random(i).nextBytes(noise);
        socket.send(new DatagramPacket(noise, i % 2 == 0 ? noise.length : i / 2, shared));
      }
    }
    assertLivesAndIsTheLast(living);
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldShareByLocalAddress(TransportKind kind) throws Exception {
    listen(kind);
    InetSocketAddress one = new InetSocketAddress("127.0.0.1", 0);
    InetSocketAddress two = new InetSocketAddress("127.0.0.2", 0);
    RtChannel first = connect(server, one);
    RtChannel like = connect(server, one);
    RtChannel elsewhere = connect(server, two);
    RtChannel stranger = connect(RtChannels.clientsOfOnePort(kind.sockets()), server, one);
    assertThat(inside(like).port()).isSameAs(inside(first).port());
    assertThat(inside(elsewhere).port()).isNotSameAs(inside(first).port());
    assertThat(inside(stranger).port()).isNotSameAs(inside(first).port());
    assertThat(first.localAddress().getAddress()).isEqualTo(one.getAddress());
    assertThat(elsewhere.localAddress().getAddress()).isEqualTo(two.getAddress());
    for (RtChannel client : clients) {
      assertEchoes(client, 10);
      client.close().sync();
    }
    awaitNoSharedPort(first);
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldTellAllPeersWhereTheLoopEnds(TransportKind kind) throws Exception {
    listen(kind);
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, kind.handlers());
    Bootstrap bootstrap =
        new Bootstrap()
            .group(group)
            .channelFactory(RtChannels.clientsOfOnePort(kind.sockets()))
            .handler(SocketPair.initializer(SocketPair.nothing()));
    for (int i = 0; i < 3; i++) {
      clients.add((RtChannel) bootstrap.connect(server).sync().channel());
    }
    group.shutdownGracefully(50, 20_000, TimeUnit.MILLISECONDS);
    assertThat(group.terminationFuture().await(20, TimeUnit.SECONDS)).isTrue();
    for (RtChannel client : clients) {
      assertThat(client.isOpen()).isFalse();
      assertThat(pair.child().closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
    }
  }
}
