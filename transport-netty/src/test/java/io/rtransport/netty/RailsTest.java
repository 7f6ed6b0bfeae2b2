package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.rtransport.core.rail.NiReport;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.node.RtNode;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** A channel over several rails, over real sockets. A rail is a relay that can go dark. */
@Timeout(60)
class RailsTest {
  private static final int RAILS = 3;
  private static final int MESSAGES = 20_000;

  /** More than set-up and PINGs need. Thousands of small messages share a packet. */
  private static final int CARRIED_MIN = 20;

  private static List<RtRail> railsTo(List<DarkRelay> relays) throws Exception {
    List<RtRail> rails = new ArrayList<>();
    for (DarkRelay relay : relays.subList(1, relays.size())) {
      rails.add(RtRail.to(relay.address()));
    }
    return rails;
  }

  private static List<DarkRelay> relays(RtServerChannel server) throws Exception {
    List<DarkRelay> relays = new ArrayList<>();
    for (int i = 0; i < RAILS; i++) {
      relays.add(new DarkRelay(server.localAddress()));
    }
    return relays;
  }

  private static RtChannel connect(SocketPair pair, List<DarkRelay> relays) throws Exception {
    List<RtRail> rails = railsTo(relays);
    return (RtChannel)
        pair.client(SocketPair.nothing(), options -> options.option(RtChannelOption.RAILS, rails))
            .connect(relays.get(0).address())
            .sync()
            .channel();
  }

  private static long count(RtChannel channel, CounterId id) throws Exception {
    return channel
        .eventLoop()
        .submit(() -> inside(channel).link().connection().counters().value(id))
        .get(20, TimeUnit.SECONDS);
  }

  private static int openPaths(RtChannel channel) throws Exception {
    return channel
        .eventLoop()
        .submit(() -> Integer.bitCount(inside(channel).link().connection().openPaths()))
        .get(20, TimeUnit.SECONDS);
  }

  /** Pushes messages, a few at a time, until something has happened. */
  private static void pushUntil(RtChannel client, AtomicInteger sent, Callable<Boolean> isDone) {
    await()
        .pollInterval(1, TimeUnit.MILLISECONDS)
        .until(
            () -> {
              push(client, sent.getAndAdd(10), 10);
              return isDone.call();
            });
  }

  private static void push(RtChannel client, int from, int count) {
    for (int i = 0; i < count; i++) {
      client.writeAndFlush(Unpooled.buffer(4).writeInt(from + i));
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldUseAllRailsAndLoseNothingWhenOneAfterAnotherGoesDark(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      InOrder received = new InOrder();
      RtServerChannel server = pair.listen(SocketPair.handlers(received));
      List<DarkRelay> relays = relays(server);
      RtChannel client = connect(pair, relays);
      RtChannel child = pair.child();
      await().until(() -> openPaths(client) == RAILS && openPaths(child) == RAILS);

      AtomicInteger sent = new AtomicInteger();
      for (DarkRelay relay : relays) {
        pushUntil(client, sent, () -> relay.carriedOut() > CARRIED_MIN);
        pushUntil(client, sent, () -> relay.carriedBack() > CARRIED_MIN);
      }
      for (DarkRelay relay : relays) {
        long before = count(client, CounterId.PATHS_SUSPECTED);
        push(client, sent.getAndAdd(MESSAGES), MESSAGES);
        relay.dark(true, true);
        pushUntil(client, sent, () -> count(client, CounterId.PATHS_SUSPECTED) > before);
        await().until(() -> received.count() == sent.get());
        relay.dark(false, false);
      }

      assertThat(received.failure()).isEmpty();
      assertThat(count(client, CounterId.RETRANSMITS_MOVED)).isPositive();
      end(client, child, relays);
    }
  }

  /** The node's health outlives event loops: an interface must not count as used for good. */
  @Test
  void shouldUseNoInterfaceOnceTheEventLoopHasEndedInTheMiddleOfAConnection() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      RtServerChannel server = pair.listen(SocketPair.nothing());
      List<DarkRelay> relays = relays(server);
      List<RtRail> rails = railsTo(relays);
      EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
      RtChannel client =
          (RtChannel)
              pair.client(SocketPair.nothing(), o -> o.option(RtChannelOption.RAILS, rails))
                  .clone(group)
                  .connect(relays.get(0).address())
                  .sync()
                  .channel();
      await().until(() -> openPaths(client) == RAILS);
      List<String> names = new ArrayList<>();
      for (DarkRelay relay : relays) {
        names.add("127.0.0.1:" + relay.address().getPort());
      }
      assertThat(pathsTo(names)).isEqualTo(RAILS);
      group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
      await().until(() -> pathsTo(names) == 0);
      for (DarkRelay relay : relays) {
        relay.close();
      }
    }
  }

  private static int pathsTo(List<String> names) {
    return RtNode.railHealth().reports().stream()
        .filter(ni -> names.contains(ni.name()))
        .mapToInt(NiReport::pathCount)
        .sum();
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldConnectThoughOnlyTheLastRailWorksAndTakeTheOthersLater(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      InOrder received = new InOrder();
      RtServerChannel server = pair.listen(SocketPair.handlers(received));
      List<DarkRelay> relays = relays(server);
      relays.get(0).dark(true, true);
      relays.get(1).dark(true, true);
      RtChannel client = connect(pair, relays);
      push(client, 0, 100);
      await().until(() -> received.count() == 100);
      assertThat(openPaths(client)).isEqualTo(1);

      relays.get(0).dark(false, false);
      relays.get(1).dark(false, false);
      AtomicInteger sent = new AtomicInteger(100);
      await()
          .until(
              () -> {
                push(client, sent.getAndAdd(10), 10); // rails join while there is something to do
                return openPaths(client) == RAILS;
              });
      await().until(() -> received.count() == sent.get());
      assertThat(received.failure()).isEmpty();
      end(client, pair.child(), relays);
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldGoOnWhenTheWayBackOfARailIsDead(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      InOrder received = new InOrder();
      RtServerChannel server = pair.listen(SocketPair.handlers(received));
      List<DarkRelay> relays = relays(server);
      RtChannel client = connect(pair, relays);
      RtChannel child = pair.child();
      await().until(() -> openPaths(client) == RAILS);
      push(client, 0, MESSAGES);
      relays.get(0).dark(false, true);
      relays.get(1).dark(true, false);
      push(client, MESSAGES, MESSAGES);
      await().until(() -> received.count() == 2 * MESSAGES);
      assertThat(received.failure()).isEmpty();
      end(client, child, relays);
    }
  }

  /**
   * Each address of a wildcard server has a socket of its own, which must answer from there. The
   * system does not list 127.0.0.2, so it needs a socket that says where a datagram was sent to.
   */
  @Test
  void shouldReachAServerAtSeveralOfItsAddresses() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.EPOLL)) {
      InOrder received = new InOrder();
      RtServerChannel server =
          pair.listenAt(
              new InetSocketAddress(InetAddress.getByName("0.0.0.0"), 0),
              SocketPair.handlers(received),
              options -> {});
      int port = server.localAddress().getPort();
      RtRail rail = RtRail.to(new InetSocketAddress(InetAddress.getByName("127.0.0.2"), port));
      RtChannel client =
          (RtChannel)
              pair.client(
                      SocketPair.nothing(),
                      options -> options.option(RtChannelOption.RAILS, List.of(rail)))
                  .connect(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port))
                  .sync()
                  .channel();
      RtChannel child = pair.child();
      await().until(() -> openPaths(client) == 2 && openPaths(child) == 2);
      push(client, 0, MESSAGES);
      await().until(() -> received.count() == MESSAGES);
      assertThat(received.failure()).isEmpty();
      client.close().sync();
      child.closeFuture().sync();
      server.close().sync();
    }
  }

  private static void end(RtChannel client, RtChannel child, List<DarkRelay> relays)
      throws Exception {
    client.close().sync();
    child.closeFuture().sync();
    for (DarkRelay relay : relays) {
      relay.close();
    }
  }

  // ---- what an application may say

  @Test
  void shouldNameTheRailThatCanNotBeOpened() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      RtServerChannel server = pair.listen(SocketPair.nothing());
      InetSocketAddress notOurs =
          new InetSocketAddress(InetAddress.getByName("192.0.2.1"), 0); // of documentation
      RtRail rail = new RtRail(notOurs, server.localAddress());
      assertThatThrownBy(
              () ->
                  pair.connect(
                      SocketPair.nothing(),
                      options -> options.option(RtChannelOption.RAILS, List.of(rail))))
          .isInstanceOf(ConnectException.class)
          .hasMessageContaining("RAILS")
          .hasMessageContaining("192.0.2.1");
    }
  }

  @Test
  void shouldRefuseWhatCanBeNoRail() throws Exception {
    InetSocketAddress remote = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 7);
    InetSocketAddress other = new InetSocketAddress(InetAddress.getByName("::1"), 7);
    assertThatThrownBy(() -> new RtRail(other, remote)).hasMessageContaining("local=");
    assertThatThrownBy(() -> RtRail.to(InetSocketAddress.createUnresolved("nowhere", 7)))
        .hasMessageContaining("remote=");
    assertThatThrownBy(() -> RtRail.to(new InetSocketAddress(remote.getAddress(), 0)))
        .hasMessageContaining("remote=");
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      pair.listen(SocketPair.nothing());
      RtChannel client = pair.connect(SocketPair.nothing());
      List<RtRail> eight = Collections.nCopies(8, RtRail.to(remote));
      assertThatThrownBy(() -> client.config().setOption(RtChannelOption.RAILS, eight))
          .hasMessageContaining("valid: 0..7");
      assertThat(client.config().setOption(RtChannelOption.RAILS, eight.subList(0, 7))).isTrue();
      assertThat(client.config().getOption(RtChannelOption.RAILS)).hasSize(7);
      client.close().sync();
    }
  }
}
