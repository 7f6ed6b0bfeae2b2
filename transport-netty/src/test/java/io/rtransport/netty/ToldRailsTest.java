package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.epoll.Epoll;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.ToldChange;
import io.rtransport.core.rail.Nid;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import java.net.BindException;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** A server that listens at several addresses and tells them, over real sockets. */
@Timeout(60)
class ToldRailsTest {
  private static final int MESSAGES = 20_000;

  private static InetSocketAddress at(String host, int port) throws Exception {
    return new InetSocketAddress(InetAddress.getByName(host), port);
  }

  private static Consumer<ServerBootstrap> listening(InetSocketAddress... further) {
    return options -> options.option(RtChannelOption.LISTEN, List.of(further));
  }

  private static <T> T onLoop(RtChannel channel, Callable<T> action) throws Exception {
    return channel.eventLoop().submit(action).get(20, TimeUnit.SECONDS);
  }

  private static List<InetSocketAddress> remotes(RtChannel channel) throws Exception {
    return onLoop(
        channel,
        () -> {
          List<InetSocketAddress> remotes = new ArrayList<>();
          Connection connection = inside(channel).link().connection();
          for (int rest = connection.openPaths(); rest != 0; rest &= rest - 1) {
            remotes.add(connection.remote(Integer.numberOfTrailingZeros(rest)));
          }
          return remotes;
        });
  }

  private static int usablePaths(RtChannel channel) throws Exception {
    return onLoop(
        channel, () -> Integer.bitCount(inside(channel).link().connection().usablePaths()));
  }

  private static int furtherPorts(RtChannel channel) throws Exception {
    return onLoop(channel, () -> inside(channel).link().ports().count());
  }

  private static long count(RtChannel channel, CounterId id) throws Exception {
    return onLoop(channel, () -> inside(channel).link().connection().counters().value(id));
  }

  private static void push(RtChannel client, int from, int count) {
    for (int i = 0; i < count; i++) {
      client.writeAndFlush(Unpooled.buffer(4).writeInt(from + i));
    }
  }

  private static RtChannel connect(SocketPair pair, InetSocketAddress remote) throws Exception {
    return (RtChannel)
        pair.client(SocketPair.nothing(), options -> {}).connect(remote).sync().channel();
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldGiveAllAddressesToAClientThatKnowsOne(TransportKind kind) throws Exception {
    for (int loops = 1; loops <= (kind == TransportKind.EPOLL ? 3 : 1); loops++) {
      int count = loops;
      try (SocketPair pair = new SocketPair(kind, loops)) {
        InOrder received = new InOrder();
        RtServerChannel server =
            pair.listen(
                SocketPair.handlers(received),
                listening(at("127.0.0.2", 0))
                    .andThen(options -> options.option(RtChannelOption.RECEIVE_LOOPS, count)));
        List<InetSocketAddress> addresses = server.localAddresses();
        assertThat(addresses).hasSize(2).startsWith(server.localAddress());
        for (InetSocketAddress known : addresses) { // whichever it knows
          received.restart();
          RtChannel client = connect(pair, known);
          RtChannel child = pair.child();
          await().until(() -> usablePaths(client) == 2 && usablePaths(child) == 2);
          assertThat(remotes(client)).containsExactlyInAnyOrderElementsOf(addresses);
          push(client, 0, MESSAGES);
          await().until(() -> received.count() == MESSAGES);
          assertThat(received.failure()).isEmpty();
          assertThat(count(client, CounterId.NIDS_REFUSED)).isZero();
          client.close().sync();
          child.closeFuture().sync();
        }
      }
    }
  }

  /** The client knows the address of a relay only. The server tells its own two addresses. */
  @ParameterizedTest
  @NioAndEpoll
  void shouldLoseNothingWhenTheOnlyAddressThatTheClientKnewGoesDark(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      InOrder received = new InOrder();
      RtServerChannel server =
          pair.listen(SocketPair.handlers(received), listening(at("127.0.0.2", 0)));
      DarkRelay relay = new DarkRelay(server.localAddress());
      RtChannel client = connect(pair, relay.address());
      RtChannel child = pair.child();
      await().until(() -> usablePaths(client) == 3 && usablePaths(child) == 3);

      AtomicInteger sent = new AtomicInteger();
      push(client, sent.getAndAdd(MESSAGES), MESSAGES);
      relay.dark(true, true);
      await()
          .pollInterval(1, TimeUnit.MILLISECONDS)
          .until(
              () -> {
                push(client, sent.getAndAdd(10), 10);
                return usablePaths(client) == 2;
              });
      await().until(() -> received.count() == sent.get());

      assertThat(received.failure()).isEmpty();
      client.close().sync();
      child.closeFuture().sync();
      relay.close();
    }
  }

  @Test
  void shouldTellNothingToClientsThatShareASocket() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      RtServerChannel server = pair.listen(SocketPair.nothing(), listening(at("127.0.0.2", 0)));
      Bootstrap bootstrap =
          new Bootstrap()
              .group(pair.clients())
              .channelFactory(RtChannels.clientsOfOnePort(TransportKind.NIO.sockets()))
              .handler(SocketPair.initializer(SocketPair.nothing()));
      RtChannel client = (RtChannel) bootstrap.connect(server.localAddress()).sync().channel();
      RtChannel child = pair.child();
      assertThat(remotes(client)).hasSize(1);
      assertThat(count(client, CounterId.NIDS_REFUSED)).isEqualTo(2);
      assertThat(count(client, CounterId.PATH_CHALLENGES_SENT)).isZero();
      client.close().sync();
      child.closeFuture().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldUseTheOthersWhenTheServerGivesAnAddressUp(TransportKind kind) throws Exception {
    int loops = kind == TransportKind.EPOLL ? 3 : 1;
    try (SocketPair pair = new SocketPair(kind, loops)) {
      InOrder received = new InOrder();
      RtServerChannel server =
          pair.listen(
              SocketPair.handlers(received),
              listening(at("127.0.0.2", 0), at("127.0.0.3", 0))
                  .andThen(options -> options.option(RtChannelOption.RECEIVE_LOOPS, loops)));
      List<InetSocketAddress> all = server.localAddresses();
      InetSocketAddress left = all.get(1);
      RtChannel client = connect(pair, left); // its first path is by the address that goes
      RtChannel child = pair.child();
      await().until(() -> usablePaths(client) == 3 && usablePaths(child) == 3);

      AtomicInteger sent = new AtomicInteger();
      push(client, sent.getAndAdd(MESSAGES), MESSAGES);
      server.leave(left).sync();
      await()
          .pollInterval(1, TimeUnit.MILLISECONDS)
          .until(
              () -> {
                push(client, sent.getAndAdd(10), 10);
                return remotes(client).size() == 2;
              });
      await().until(() -> received.count() == sent.get());
      assertThat(received.failure()).isEmpty();
      assertThat(remotes(client)).containsExactlyInAnyOrder(all.get(0), all.get(2));
      assertThat(remotes(child)).hasSize(2);
      assertThat(server.localAddresses()).containsExactly(all.get(0), all.get(2));
      client.close().sync();
      child.closeFuture().sync();

      received.restart();
      RtChannel next = connect(pair, all.get(0));
      RtChannel itsChild = pair.child();
      await().until(() -> usablePaths(next) == 2 && usablePaths(itsChild) == 2);
      assertThatThrownBy(() -> connect(pair, left)).isInstanceOf(ConnectException.class);
      for (InetSocketAddress wrong : List.of(all.get(0), left)) {
        assertThatThrownBy(() -> server.leave(wrong).sync())
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("address=" + wrong)
            .hasMessageContaining("valid: one of [" + all.get(2) + "]");
      }
      next.close().sync();
      itsChild.closeFuture().sync();
      server.close().sync();
      assertThatThrownBy(() -> server.leave(all.get(2)).sync())
          .isInstanceOf(ClosedChannelException.class);
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldUseAnAddressThatJoinsWhileTheServerRuns(TransportKind kind) throws Exception {
    int loops = kind == TransportKind.EPOLL ? 3 : 1;
    try (SocketPair pair = new SocketPair(kind, loops)) {
      InOrder received = new InOrder();
      RtServerChannel server =
          pair.listen(
              SocketPair.handlers(received),
              options -> options.option(RtChannelOption.RECEIVE_LOOPS, loops));
      InetSocketAddress first = server.localAddress();
      RtChannel client = connect(pair, first);
      RtChannel child = pair.child();
      assertThat(usablePaths(client)).isEqualTo(1);

      InetSocketAddress joined = server.join(at("127.0.0.2", 0)).sync().getNow();
      assertThat(joined.getPort()).isPositive();
      assertThat(server.localAddresses()).containsExactly(first, joined);
      await().until(() -> usablePaths(client) == 2 && usablePaths(child) == 2);
      assertThat(remotes(client)).containsExactlyInAnyOrder(first, joined);

      for (int turn = 0; turn < 2; turn++) { // the client keeps its connection meanwhile
        server.leave(joined).sync();
        await().until(() -> remotes(client).size() == 1 && remotes(child).size() == 1);
        assertThat(server.join(joined).sync().getNow()).isEqualTo(joined);
        await().until(() -> usablePaths(client) == 2 && usablePaths(child) == 2);
      }
      push(client, 0, MESSAGES);
      await().until(() -> received.count() == MESSAGES);
      assertThat(received.failure()).isEmpty();

      received.restart();
      RtChannel next = connect(pair, joined);
      RtChannel itsChild = pair.child();
      await().until(() -> usablePaths(next) == 2 && usablePaths(itsChild) == 2);
      for (RtChannel each : List.of(client, next)) {
        each.close().sync();
      }
      child.closeFuture().sync();
      itsChild.closeFuture().sync();
      server.leave(joined).sync();
      assertThat(server.join(joined).sync().getNow()).as("its socket was closed").isEqualTo(joined);
    }
  }

  /** A connection keeps the sockets of addresses that were left, but not without end. */
  @Test
  void shouldFollowAsManyAddressesAsAServerMayHave() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      RtServerChannel server = pair.listen(SocketPair.nothing());
      RtChannel client = connect(pair, server.localAddress());
      RtChannel child = pair.child();
      ConditionFactory soon = await().pollInterval(2, TimeUnit.MILLISECONDS);
      for (int i = 1; i < Long.SIZE; i++) {
        InetSocketAddress joined = server.join(at("127.0.0.2", 0)).sync().getNow();
        soon.until(() -> usablePaths(client) == 2 && usablePaths(child) == 2);
        server.leave(joined).sync();
        soon.until(() -> remotes(client).size() == 1 && remotes(child).size() == 1);
      }
      assertThatThrownBy(() -> server.join(at("127.0.0.2", 0)).sync())
          .isInstanceOf(BindException.class)
          .hasMessageContaining("has had 64 addresses");
    }
  }

  @Test
  void shouldNotShareWithAnotherServerAnAddressThatItHadBefore() throws Exception {
    assumeThat(Epoll.isAvailable()).isTrue();
    Consumer<ServerBootstrap> twoLoops =
        options -> options.option(RtChannelOption.RECEIVE_LOOPS, 2);
    try (SocketPair one = new SocketPair(TransportKind.EPOLL, 2);
        SocketPair two = new SocketPair(TransportKind.EPOLL, 2)) {
      RtServerChannel first = one.listen(SocketPair.nothing(), twoLoops);
      RtServerChannel second = two.listen(SocketPair.nothing(), twoLoops);
      InetSocketAddress address = first.join(at("127.0.0.2", 0)).sync().getNow();
      first.leave(address).sync();
      await().until(() -> second.join(address).await().isSuccess()); // once all sockets are closed
      assertThatThrownBy(() -> first.join(address).sync()).isInstanceOf(BindException.class);
      assertThat(first.localAddresses()).hasSize(1);
    }
  }

  /** A set-up was told two addresses, and one is left before the server knows the connection. */
  @Test
  void shouldTellAConnectionWhatWasLeftDuringItsSetUpAndNeverTheFirst() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      RtServerChannel server = pair.listen(SocketPair.nothing(), listening(at("127.0.0.2", 0)));
      List<InetSocketAddress> both = server.localAddresses();
      RtChannel client = connect(pair, both.get(0));
      RtChannel child = pair.child();
      await().until(() -> usablePaths(client) == 2 && usablePaths(child) == 2);
      server.leave(both.get(1)).sync();
      await().until(() -> remotes(client).size() == 1 && remotes(child).size() == 1);
      List<Nid> told = List.of(new Nid(both.get(0), ""), new Nid(both.get(1), ""));
      PipelineLink link = inside(child).link();
      child
          .eventLoop()
          .submit(() -> ((DefaultRtServerChannel) server).tellChanges(link, told))
          .sync();
      await().until(() -> count(client, CounterId.NIDS_REFUSED) == 1); // it knew that already
      assertThat(remotes(client)).containsExactly(both.get(0));
      assertThat(server.join(both.get(1)).sync().getNow()).isEqualTo(both.get(1));
      await().until(() -> usablePaths(client) == 2 && usablePaths(child) == 2);
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldSayWhyAnAddressCannotJoin(TransportKind kind) throws Exception {
    int loops = kind == TransportKind.EPOLL ? 3 : 1;
    try (SocketPair pair = new SocketPair(kind, loops);
        DatagramSocket other = new DatagramSocket(at("127.0.0.3", 0))) {
      RtServerChannel server =
          pair.listen(
              SocketPair.nothing(),
              listening(at("127.0.0.2", 0))
                  .andThen(options -> options.option(RtChannelOption.RECEIVE_LOOPS, loops)));
      List<InetSocketAddress> before = server.localAddresses();
      assertRefused(server, before.get(0), "one that is not yet among " + before);
      assertRefused(server, before.get(1), "one that is not yet among " + before);
      assertRefused(server, at("0.0.0.0", 0), "a concrete address of this host");
      assertRefused(
          server, InetSocketAddress.createUnresolved("h", 1), "a concrete address of this host");
      assertRefused(server, at("::1", 0), "addresses of the family of " + before.get(0));
      for (InetSocketAddress absent :
          List.of(at("192.0.2.1", 0), (InetSocketAddress) other.getLocalSocketAddress())) {
        assertThatThrownBy(() -> server.join(absent).sync())
            .isInstanceOf(BindException.class)
            .hasMessageContaining(absent.toString());
      }
      assertThat(server.localAddresses()).isEqualTo(before);
      for (int i = before.size(); i < Limits.PATHS_MAX; i++) {
        server.join(at("127.0.0.4", 0)).sync();
      }
      assertThat(server.localAddresses()).hasSize(Limits.PATHS_MAX);
      assertRefused(server, at("127.0.0.5", 0), "at most 8 addresses");
      server.close().sync();
      assertThatThrownBy(() -> server.join(at("127.0.0.5", 0)).sync())
          .isInstanceOf(ClosedChannelException.class);
    }
    try (SocketPair pair = new SocketPair(kind)) {
      RtServerChannel server =
          (RtServerChannel)
              new ServerBootstrap()
                  .group(pair.servers())
                  .channelFactory(RtChannels.server(kind.sockets()))
                  .childHandler(SocketPair.initializer(SocketPair.nothing()))
                  .bind(at("0.0.0.0", 0))
                  .sync()
                  .channel();
      assertRefused(server, at("127.0.0.2", 0), "a concrete address beside ");
      server.close().sync();
    }
  }

  private static void assertRefused(
      RtServerChannel server, InetSocketAddress address, String valid) {
    assertThatThrownBy(() -> server.join(address).sync())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(address.toString())
        .hasMessageContaining("valid: " + valid);
  }

  // ---- a server that lies

  /** Two thousand addresses, among them one of somebody who does not speak RT. */
  @ParameterizedTest
  @NioAndEpoll
  void shouldNotBeDrivenAgainstOthersByAServerThatLies(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind);
        DatagramSocket victim = new DatagramSocket(at("127.0.0.3", 0))) {
      InOrder received = new InOrder();
      RtServerChannel server = pair.listen(SocketPair.handlers(received));
      RtChannel client = connect(pair, server.localAddress());
      RtChannel child = pair.child();
      Connection liar = onLoop(child, () -> inside(child).link().connection());
      AtomicInteger told = new AtomicInteger();
      AtomicInteger portsMax = new AtomicInteger();
      await()
          .pollInterval(1, TimeUnit.MILLISECONDS)
          .until(
              () -> {
                onLoop(
                    child,
                    () ->
                        lie(child, liar, told, (InetSocketAddress) victim.getLocalSocketAddress()));
                portsMax.accumulateAndGet(furtherPorts(client), Math::max);
                return told.get() >= 2_000;
              });
      await()
          .until(
              () -> count(client, CounterId.PATH_CANDIDATES_EXPIRED) == Limits.TOLD_ADDRESSES_MAX);
      await().until(() -> furtherPorts(client) == 0);

      assertThat(portsMax).hasValueLessThanOrEqualTo(Limits.TOLD_ADDRESSES_MAX);
      assertThat(count(client, CounterId.PATH_CHALLENGES_SENT))
          .isLessThanOrEqualTo(Limits.TOLD_ADDRESSES_MAX * Limits.TOLD_CHALLENGES_MAX);
      assertThat(datagramsAt(victim))
          .hasSizeBetween(1, Limits.TOLD_CHALLENGES_MAX)
          .containsOnly(64);
      push(client, 0, MESSAGES);
      await().until(() -> received.count() == MESSAGES);
      client.close().sync();
      child.closeFuture().sync();
    }
  }

  private static Void lie(
      RtChannel child, Connection liar, AtomicInteger told, InetSocketAddress victim)
      throws Exception {
    long nowNs = child.eventLoop().ticker().nanoTime();
    for (int i = told.get(); ; i++) {
      InetSocketAddress address = i == 0 ? victim : at("127.1." + i / 200 + "." + (1 + i % 200), 9);
      if (!liar.tellNi(true, new Nid(address, ""), nowNs)) {
        inside(child).link().pumpDue();
        return null;
      }
      told.set(i + 1);
    }
  }

  /** The number of the interface is used again at once; its socket must not be. */
  @Test
  void shouldChallengeAnAddressNoMoreThatWasReplaced() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO);
        DatagramSocket first = new DatagramSocket(at("127.0.0.3", 0));
        DatagramSocket second = new DatagramSocket(at("127.0.0.4", 0))) {
      RtServerChannel server = pair.listen(SocketPair.handlers(new InOrder()));
      RtChannel client = connect(pair, server.localAddress());
      RtChannel child = pair.child();
      change(client, true, 1, first);
      List<Integer> atFirst = new ArrayList<>();
      await().until(() -> atFirst.addAll(datagramsAt(first)));
      change(client, false, 2, first);
      change(client, true, 3, second);
      List<Integer> atSecond = new ArrayList<>();
      await()
          .until(
              () -> {
                atSecond.addAll(datagramsAt(second));
                return atSecond.size() == Limits.TOLD_CHALLENGES_MAX;
              });
      atFirst.addAll(datagramsAt(first));
      assertThat(atFirst).hasSizeLessThanOrEqualTo(2); // one more may have been on its way
      client.close().sync();
      child.closeFuture().sync();
    }
  }

  private static void change(RtChannel client, boolean isAdded, int version, DatagramSocket of)
      throws Exception {
    InetSocketAddress address = (InetSocketAddress) of.getLocalSocketAddress();
    onLoop(
        client,
        () -> {
          long nowNs = client.eventLoop().ticker().nanoTime();
          ToldChange.take(inside(client).link().connection(), isAdded, version, address, nowNs);
          inside(client).link().pumpDue();
          return null;
        });
  }

  @Test
  void shouldUseToldAddressesFromTheLocalAddressThatTheApplicationHasChosen() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      RtServerChannel server =
          pair.listen(SocketPair.handlers(new InOrder()), listening(at("127.0.0.2", 0)));
      RtChannel client =
          (RtChannel)
              pair.client(SocketPair.nothing(), options -> {})
                  .connect(server.localAddress(), at("127.0.0.5", 0))
                  .sync()
                  .channel();
      RtChannel child = pair.child();
      await().until(() -> usablePaths(client) == 2 && usablePaths(child) == 2);
      assertThat(remotes(child))
          .hasSize(2)
          .allMatch(remote -> remote.getAddress().getHostAddress().equals("127.0.0.5"));
      client.close().sync();
      child.closeFuture().sync();
    }
  }

  private static List<Integer> datagramsAt(DatagramSocket socket) throws Exception {
    List<Integer> lengths = new ArrayList<>();
    socket.setSoTimeout(1);
    DatagramPacket datagram = new DatagramPacket(new byte[2_000], 2_000);
    try {
      while (true) {
        socket.receive(datagram);
        lengths.add(datagram.getLength());
      }
    } catch (SocketTimeoutException e) {
      return lengths;
    }
  }

  // ---- what an application may say

  private static boolean isFree(InetSocketAddress address) {
    try {
      new DatagramSocket(address).close();
      return true;
    } catch (SocketException e) {
      return false;
    }
  }

  @Test
  void shouldRefuseWhatCanBeNoListenAddressAndLeaveNoneOpen() throws Exception {
    InetSocketAddress any = at("127.0.0.1", 0);
    try (SocketPair pair = new SocketPair(TransportKind.NIO);
        DatagramSocket taken = new DatagramSocket(at("127.0.0.2", 0));
        DatagramSocket free = new DatagramSocket(any)) {
      InetSocketAddress first = (InetSocketAddress) free.getLocalSocketAddress();
      free.close();
      for (InetSocketAddress wrong :
          List.of(
              first, // given twice
              at("::1", 0), // of another family
              at("192.0.2.1", 0), // of documentation: not ours
              (InetSocketAddress) taken.getLocalSocketAddress())) {
        assertThatThrownBy(
                () ->
                    pair.listenAt(
                        first, SocketPair.nothing(), listening(at("127.0.0.4", 0), wrong)))
            .isInstanceOfAny(BindException.class, IllegalArgumentException.class)
            .hasMessageContaining(wrong.toString());
        await().until(() -> isFree(first)); // NIO gives a socket back in its next select
      }
      assertThatThrownBy(
              () -> pair.listenAt(at("0.0.0.0", 0), SocketPair.nothing(), listening(any)))
          .hasMessageContaining("bind=")
          .hasMessageContaining("valid: a concrete address");
      assertThatThrownBy(
              () -> pair.listenAt(first, SocketPair.nothing(), listening(at("0.0.0.0", 0))))
          .hasMessageContaining("LISTEN=")
          .hasMessageContaining("valid: a concrete address of this host");
      List<InetSocketAddress> eight = Collections.nCopies(8, any);
      assertThatThrownBy(
              () ->
                  pair.listenAt(
                      first,
                      SocketPair.nothing(),
                      options -> options.option(RtChannelOption.LISTEN, eight)))
          .hasMessageContaining("valid: 0..7");
      RtServerChannel server =
          pair.listenAt(
              first,
              SocketPair.nothing(),
              options -> options.option(RtChannelOption.LISTEN, eight.subList(0, 7)));
      assertThat(server.localAddresses()).hasSize(8).doesNotHaveDuplicates();
      assertThat(server.config().getOption(RtChannelOption.LISTEN)).hasSize(7);
      server.close().sync();
      RtServerChannel one = pair.listen(SocketPair.nothing());
      assertThat(one.localAddresses()).containsExactly(one.localAddress());
    }
  }
}
