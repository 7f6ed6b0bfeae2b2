package io.rtransport.netty;

import static io.rtransport.core.stats.CounterId.DATAGRAMS_RECEIVED;
import static io.rtransport.netty.ChannelInternals.inside;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.util.NetUtil;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.Integrity;
import io.rtransport.core.wire.PacketType;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.internal.loop.LoopDrivers;
import io.rtransport.netty.internal.loop.PacketBatch;
import io.rtransport.netty.internal.server.HostAddresses;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * IPv6, both families at one socket, and servers that have several addresses: each answer leaves
 * from where it was asked for.
 */
@Timeout(60)
class AddressesTest {
  private static final int TIMEOUT_MILLIS = 20_000;

  private static InetAddress address(String literal) throws Exception {
    return InetAddress.getByName(literal);
  }

  private static void assumeIpv6() throws Exception {
    boolean hasIpv6 = NetworkInterface.getByInetAddress(NetUtil.LOCALHOST6) != null;
    if (!hasIpv6) {
      System.out.println("skipped: this machine has no IPv6 loopback address");
    }
    assumeTrue(hasIpv6, "this machine has no IPv6 loopback address");
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldEchoOverIpv6(TransportKind kind) throws Exception {
    assumeIpv6();
    try (SocketPair pair = new SocketPair(kind)) {
      RtServerChannel server = bind(pair, NetUtil.LOCALHOST6, 1);
      assertEchoes(pair, server.localAddress(), null);
      server.close().sync();
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldAnswerFromEachAddressThatItIsBoundTo(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      RtServerChannel first = bind(pair, address("127.0.0.1"), 1);
      RtServerChannel second = bind(pair, address("127.0.0.2"), 1);
      assertEchoes(pair, first.localAddress(), null);
      assertEchoes(pair, second.localAddress(), null);
      first.close().sync();
      second.close().sync();
    }
  }

  /** Asked from a loopback address, the system would answer from a loopback address too. */
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldAnswerFromTheAddressThatWasAskedThoughBoundToAll(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      RtServerChannel server = bind(pair, address("0.0.0.0"), 1);
      int port = server.localAddress().getPort();
      for (InetAddress asked : HostAddresses.behind(address("0.0.0.0"))) {
        assertEchoes(pair, new InetSocketAddress(asked, port), NetUtil.LOCALHOST4);
      }
      server.close().sync();
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldAnswerFromTheIpv6AddressThatWasAskedThoughBoundToAll(TransportKind kind)
      throws Exception {
    assumeIpv6();
    try (SocketPair pair = new SocketPair(kind)) {
      RtServerChannel server = bind(pair, address("::"), 1);
      int port = server.localAddress().getPort();
      for (InetAddress asked : HostAddresses.behind(address("::"))) {
        if (asked instanceof Inet6Address && !asked.isLinkLocalAddress()) {
          assertEchoes(pair, new InetSocketAddress(asked, port), NetUtil.LOCALHOST6);
        }
      }
      server.close().sync();
    }
  }

  /**
   * Linux lists one address of the loopback network and takes all: epoll's sockets tell which was
   * asked.
   */
  @ParameterizedTest
  @EnumSource(value = TransportKind.class, names = "EPOLL")
  void shouldAnswerFromAnAddressThatIsNotListedWhereTheSocketTellsIt(TransportKind kind)
      throws Exception {
    for (String wildcard : List.of("0.0.0.0", "::")) {
      try (SocketPair pair = new SocketPair(kind)) {
        RtServerChannel server = bind(pair, address(wildcard), 1);
        int port = server.localAddress().getPort();
        assertEchoes(pair, new InetSocketAddress("127.0.0.2", port), NetUtil.LOCALHOST4);
        assertEchoes(pair, new InetSocketAddress("127.0.0.3", port), null);
        assertEchoes(pair, new InetSocketAddress("127.0.0.2", port), null);
        server.close().sync();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(value = TransportKind.class, names = "EPOLL")
  void shouldTellStrangersFromTheAddressThatTheyAskedToo(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind);
        DatagramSocket stranger = new DatagramSocket(0, NetUtil.LOCALHOST4)) {
      stranger.setSoTimeout(TIMEOUT_MILLIS);
      final ChannelFuture connecting =
          pair.client(SocketPair.nothing(), options -> {})
              .connect(stranger.getLocalSocketAddress());
      DatagramPacket knock = new DatagramPacket(new byte[2_048], 2_048);
      stranger.receive(knock);
      connecting.channel().close().sync();
      byte[] connect = Arrays.copyOf(knock.getData(), knock.getLength());
      byte[] ofOtherVersion = connect.clone();
      ofOtherVersion[0] = 99;
      byte[] lost = new byte[40];
      new ClearHeaderFlyweight()
          .wrap(ByteBuffer.wrap(lost), 0)
          .version(ClearHeaderFlyweight.VERSION)
          .type(PacketType.DATA)
          .length(lost.length)
          .destinationCid(0x00FF_FF01)
          .cookie(5);
      RtServerChannel server = bind(pair, address("0.0.0.0"), 1);
      int port = server.localAddress().getPort();
      assertThat(answer(stranger, connect, new InetSocketAddress("127.0.0.2", port)))
          .isEqualTo(PacketType.ACCEPT);
      assertThat(answer(stranger, ofOtherVersion, new InetSocketAddress("127.0.0.3", port)))
          .isEqualTo(PacketType.VERSION_NEGOTIATION);
      assertThat(answer(stranger, lost, new InetSocketAddress("127.0.0.4", port)))
          .isEqualTo(PacketType.RESET);
      server.close().sync();
    }
  }

  /** The type of the answer, which must come from where the packet went. */
  private static int answer(DatagramSocket stranger, byte[] packet, InetSocketAddress to)
      throws Exception {
    new Integrity().seal(ByteBuffer.wrap(packet), 0, packet.length);
    stranger.send(new DatagramPacket(packet, packet.length, to));
    DatagramPacket answer = new DatagramPacket(new byte[2_048], 2_048);
    stranger.receive(answer);
    assertThat(answer.getSocketAddress()).isEqualTo(to);
    return new ClearHeaderFlyweight().wrap(ByteBuffer.wrap(answer.getData()), 0).type();
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldServeAllItsAddressesOnAllItsLoops(TransportKind kind) throws Exception {
    int clients = 24;
    try (SocketPair pair = new SocketPair(kind, 3)) {
      RtServerChannel server = bind(pair, address("0.0.0.0"), 3);
      int port = server.localAddress().getPort();
      Set<EventLoop> loops = new HashSet<>();
      List<RtChannel> channels = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        RtChannel client =
            connect(pair, new Inbox(), new InetSocketAddress(NetUtil.LOCALHOST4, port), null);
        channels.add(client);
        RtChannel child = pair.child();
        assertThat(child.localAddress()).isEqualTo(client.remoteAddress());
        loops.add(child.eventLoop());
      }
      assertThat(loops).as("loops that have children").hasSizeGreaterThan(1);
      for (RtChannel channel : channels) {
        channel.close().sync();
      }
      server.close().sync();
    }
  }

  /**
   * A moved client's packets that come in on another loop are given to the same address's port
   * there.
   */
  @ParameterizedTest
  @EnumSource(value = TransportKind.class, names = "EPOLL")
  void shouldHandOverToThePortOfTheSameAddress(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind, 3)) {
      RtServerChannel server = bind(pair, address("0.0.0.0"), 3);
      InetSocketAddress asked = new InetSocketAddress("127.0.0.2", server.localAddress().getPort());
      RebindingRelay relay = new RebindingRelay(asked, 64 << 10, Integer.MAX_VALUE);
      Inbox inbox = new Inbox();
      RtChannel client = connect(pair, inbox, relay.address(), null);
      RtChannel child = pair.child();
      assertThat(child.localAddress()).isEqualTo(asked);
      for (int i = 0; i < 2_000 && handedOver(server) < 3; i++) {
        client.writeAndFlush(Unpooled.wrappedBuffer(new byte[8_000 + i])).sync();
        assertThat(inbox.nextBytes()).hasSize(8_000 + i);
      }
      assertThat(handedOver(server)).isGreaterThanOrEqualTo(3);
      client.close().sync();
      relay.close();
      server.close().sync();
    }
  }

  /**
   * A connection of before its address had a port of its own; the server channel, and with it that
   * port, has closed since.
   */
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldTakeWhatIsHandedOverToAClosedPortForAConnectionAtAnother(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      RtServerChannel server = bind(pair, NetUtil.LOCALHOST4, 1);
      RtChannel client = connect(pair, new Inbox(), server.localAddress(), null);
      final RtChannel child = pair.child();
      server.close().sync();
      SilentPort closed = new SilentPort();
      closed.release();
      final PacketBatch batch = new PacketBatch(closed);
      ByteBuffer packet = ByteBuffer.allocate(64);
      ClearHeaderFlyweight header = new ClearHeaderFlyweight().wrap(packet, 0);
      header.destinationCid(inside(child).link().connection().cid());
      batch.add(packet, 0, packet.capacity(), client.localAddress());
      header.destinationCid(header.destinationCid() ^ 0x00FF_FF00);
      batch.add(packet, 0, packet.capacity(), client.localAddress());
      child
          .eventLoop()
          .submit(
              () -> {
                LoopDriver driver = LoopDrivers.of(child.eventLoop());
                long before =
                    inside(child).link().connection().counters().value(DATAGRAMS_RECEIVED);
                driver.take(batch);
                assertThat(inside(child).link().connection().counters().value(DATAGRAMS_RECEIVED))
                    .isEqualTo(before + 1);
                assertThat(driver.counters().value(CounterId.HAND_OVERS_DROPPED)).isEqualTo(1);
              })
          .sync();
      assertThat(batch.bytes().refCnt()).isZero();
      client.close().sync();
    }
  }

  private static long handedOver(RtServerChannel server) throws Exception {
    return server.loopCounters().get().getOrDefault(CounterId.HANDED_OVER, 0L);
  }

  /**
   * An IPv4 address is one address, whichever socket saw it and however it was written: addresses
   * are keys.
   */
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldTakeAMappedIpv4AddressForTheIpv4Address(TransportKind kind) throws Exception {
    assumeIpv6();
    try (SocketPair pair = new SocketPair(kind)) {
      RtServerChannel server = bind(pair, address("::"), 1);
      int port = server.localAddress().getPort();
      byte[] mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 127, 0, 0, 1};
      InetAddress asIpv6 = Inet6Address.getByAddress(null, mapped, 0);
      assertThat(asIpv6).isInstanceOf(Inet6Address.class);
      for (InetAddress loopback : List.of(NetUtil.LOCALHOST4, asIpv6)) {
        Inbox inbox = new Inbox();
        RtChannel client = connect(pair, inbox, new InetSocketAddress(loopback, port), null);
        RtChannel child = pair.child();
        assertThat(client.remoteAddress().getAddress()).isInstanceOf(Inet4Address.class);
        assertThat(child.remoteAddress().getAddress()).isInstanceOf(Inet4Address.class);
        assertThat(child.remoteAddress()).isEqualTo(client.localAddress());
        assertThat(child.localAddress()).isEqualTo(client.remoteAddress());
        client.writeAndFlush(EchoTest.text("mapped")).sync();
        assertThat(new String(inbox.nextBytes(), UTF_8)).isEqualTo("mapped");
        assertThat(child.stats().get().counters())
            .as("the peer has not moved")
            .doesNotContainKey(CounterId.PATH_CHALLENGES_SENT);
        client.close().sync();
      }
      server.close().sync();
    }
  }

  private static RtServerChannel bind(SocketPair pair, InetAddress address, int loops)
      throws Exception {
    return pair.listenAt(
        new InetSocketAddress(address, 0),
        channel -> channel.pipeline().addLast(new EchoTest.Echo()),
        server -> server.option(RtChannelOption.RECEIVE_LOOPS, loops));
  }

  private static RtChannel connect(
      SocketPair pair, Inbox inbox, InetSocketAddress to, InetAddress from) throws Exception {
    return (RtChannel)
        pair.client(SocketPair.handlers(inbox), options -> {})
            .connect(to, from == null ? null : new InetSocketAddress(from, 0))
            .sync()
            .channel();
  }

  private static void assertEchoes(SocketPair pair, InetSocketAddress to, InetAddress from)
      throws Exception {
    Inbox inbox = new Inbox();
    RtChannel client = connect(pair, inbox, to, from);
    assertThat(client.remoteAddress()).isEqualTo(to);
    RtChannel child = pair.child();
    assertThat(child.localAddress()).isEqualTo(to);
    assertThat(child.remoteAddress()).isEqualTo(client.localAddress());
    client.writeAndFlush(EchoTest.text("over " + to)).sync();
    assertThat(new String(inbox.nextBytes(), UTF_8)).isEqualTo("over " + to);
    client.close().sync();
  }
}
