package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.rtransport.core.json.Json;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.control.ControlClient;
import io.rtransport.netty.control.ControlSocket;
import io.rtransport.netty.node.NodeConfig;
import io.rtransport.netty.node.NodePut;
import io.rtransport.netty.node.NodeTarget;
import io.rtransport.netty.node.RtNode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The state of a node as its control socket tells it, beside what the channels did. */
@Timeout(60)
class NodeStateTest {
  private static final int IDLE = 300;

  @TempDir private Path directory;

  @Sharable
  private static final class Reader extends SimpleChannelInboundHandler<ByteBuf> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {}
  }

  private Map<?, ?> state() throws IOException {
    return (Map<?, ?>) Json.parse(ControlClient.stat(directory.resolve("s")));
  }

  private ControlSocket open(SocketPair pair) throws IOException {
    return ControlSocket.open(directory.resolve("s"), pair.clients());
  }

  private static List<Map<?, ?>> list(Map<?, ?> state, String key) {
    List<Map<?, ?>> all = new ArrayList<>();
    ((List<?>) state.get(key)).forEach(each -> all.add((Map<?, ?>) each));
    return all;
  }

  private static Map<?, ?> with(Map<?, ?> state, String key, String field, String value) {
    return list(state, key).stream()
        .filter(each -> each.get(field).equals(value))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + field + "=" + value + " of " + key));
  }

  private static long number(Map<?, ?> of, String key) {
    return (Long) of.get(key);
  }

  private static String text(DarkRelay relay) throws IOException {
    return "127.0.0.1:" + relay.address().getPort();
  }

  /**
   * Pushes a few messages at a time until the state is as asked. The next ones follow once these
   * have gone: what is on its way fits into the relays' sockets, however late their threads are.
   */
  private void pushUntil(RtChannel client, ThrowingConsumer<Map<?, ?>> isAsAsked) {
    AtomicReference<ChannelFuture> last = new AtomicReference<>(client.newSucceededFuture());
    await()
        .atMost(30, TimeUnit.SECONDS)
        .pollInterval(5, TimeUnit.MILLISECONDS)
        .untilAsserted(
            () -> {
              for (int i = 0; i < 10 && (i > 0 || last.get().isDone()); i++) {
                last.set(client.writeAndFlush(Unpooled.buffer(5_000).writeZero(5_000)));
              }
              isAsAsked.accept(state());
            });
  }

  /**
   * Holds what is told of a healthy interface of the peer. It may have no place among the 64 that
   * are listed: others that earlier tests of this process have used became known before it.
   */
  private static void holdWell(Map<?, ?> state, String nid) {
    List<Map<?, ?>> peers =
        list(state, "interfaces").stream().filter(ni -> ni.get("side").equals("peer")).toList();
    if (peers.stream().noneMatch(ni -> ni.get("nid").equals(nid))) {
      assertThat(peers).hasSize(64);
      return;
    }
    Map<?, ?> ni = with(state, "interfaces", "nid", nid);
    assertThat(ni.get("side")).isEqualTo("peer");
    assertThat(ni.get("band")).isEqualTo("FULL");
    assertThat(ni.get("state")).isEqualTo("up");
    assertThat(ni.get("nextPingMillis")).isNull();
  }

  @Test
  void shouldShowRailsSharesAndHealthAsTheyAre() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO);
        ControlSocket socket = open(pair)) {
      RtServerChannel server = pair.listen(SocketPair.handlers(new Reader()));
      DarkRelay works = new DarkRelay(server.localAddress());
      DarkRelay dies = new DarkRelay(server.localAddress());
      String deadName = text(dies);
      String otherName = text(works);
      List<RtRail> rails = List.of(RtRail.to(dies.address()));
      RtChannel client =
          (RtChannel)
              pair.client(
                      SocketPair.nothing(), options -> options.option(RtChannelOption.RAILS, rails))
                  .connect(works.address())
                  .sync()
                  .channel();
      pair.child();
      pushUntil(
          client,
          both -> {
            for (DarkRelay relay : List.of(works, dies)) {
              Map<?, ?> rail = with(both, "rails", "peer", text(relay));
              assertThat(number(rail, "datagramsSent")).isGreaterThan(100);
              assertThat(rail.get("local")).isEqualTo("127.0.0.1");
              assertThat(number(rail, "paths")).isEqualTo(1);
              assertThat(number(rail, "health")).isEqualTo(1_000);
              assertThat((double) rail.get("share")).isBetween(0.01, 0.49);
              // The relay has carried what the rail says, and perhaps some more since.
              assertThat(number(rail, "datagramsSent"))
                  .isLessThanOrEqualTo(relay.carriedOut() + 64);
            }
            assertThat(
                    list(both, "rails").stream()
                        .mapToDouble(rail -> (double) rail.get("share"))
                        .sum())
                .isCloseTo(1, within(1e-9));
            holdWell(both, deadName);
            assertThat(number(both, "connectionCount")).isGreaterThanOrEqualTo(2);
          });

      dies.dark(true, true);
      pushUntil(
          client,
          dark -> {
            Map<?, ?> rail = with(dark, "rails", "peer", deadName);
            assertThat(number(rail, "movedFrom")).isPositive();
            assertThat(number(rail, "pathsSuspect")).isEqualTo(1);
            assertThat(number(rail, "health")).isLessThan(1_000);
            assertThat(number(with(dark, "rails", "peer", otherName), "resentOn"))
                .isGreaterThanOrEqualTo(number(rail, "movedFrom"));
            Map<?, ?> charged = with(dark, "interfaces", "nid", deadName);
            assertThat(number(charged, "health")).isLessThan(1_000);
            assertThat(((Map<?, ?>) charged.get("charges")).get("REMOTE_TIMEOUT")).isNotNull();
            assertThat(number((Map<?, ?>) charged.get("timeouts"), "REMOTE_TIMEOUT"))
                .isGreaterThanOrEqualTo(
                    number((Map<?, ?>) charged.get("charges"), "REMOTE_TIMEOUT"));
            assertThat(charged.get("state")).isEqualTo("recovering");
            assertThat(charged.get("nextPingMillis")).isNotNull();
            assertThat(list(charged, "history")).isNotEmpty();
            // A connection with a suspect path is the first that a person looks for.
            assertThat(number(list(dark, "connections").get(0), "pathsSuspect")).isEqualTo(1);
            assertThat(((Map<?, ?>) dark.get("counters")).get("RETRANSMITS_MOVED")).isNotNull();
          });
      client.close().sync();
      works.close();
      dies.close();
    }
  }

  @Test
  void shouldBeBoundedAndCompleteWithMoreConnectionsThanOneStepReads() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO);
        ControlSocket socket = open(pair)) {
      RtServerChannel server = pair.listen(SocketPair.handlers(new Reader()));
      Bootstrap bootstrap =
          new Bootstrap()
              .group(pair.clients())
              .channelFactory(RtChannels.clientsOfOnePort(NioDatagramChannel::new))
              .handler(SocketPair.initializer(SocketPair.nothing()));
      List<ChannelFuture> opened = new ArrayList<>();
      for (int i = 0; i < IDLE; i++) {
        opened.add(bootstrap.connect(server.localAddress()).sync());
      }
      await().until(() -> pair.acceptedCount() == IDLE);
      String mine = "127.0.0.1:" + server.localAddress().getPort();
      Map<?, ?> state =
          await()
              .until(
                  this::state,
                  each ->
                      number(each, "loopsAnswered") == number(each, "loops")
                          && number((Map<?, ?>) each.get("total"), "established") >= 2 * IDLE
                          && number(with(each, "rails", "peer", mine), "paths") == IDLE);

      assertThat(list(state, "connections")).hasSize(64);
      assertThat(list(state, "rails")).hasSizeLessThanOrEqualTo(64);
      assertThat(number(state, "connectionCount")).isGreaterThanOrEqualTo(2 * IDLE);
      Map<CounterId, Long> loop = server.loopCounters().sync().getNow();
      assertThat(number((Map<?, ?>) state.get("counters"), "CONNECTIONS_ESTABLISHED"))
          .isGreaterThanOrEqualTo(2 * loop.get(CounterId.CONNECTIONS_ESTABLISHED));
      for (ChannelFuture each : opened) {
        each.channel().close().sync();
      }
    }
  }

  @Test
  void shouldAnswerThoughALoopIsBusyAndSayThatItIsMissing() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO);
        ControlSocket socket = open(pair)) {
      pair.listen(SocketPair.handlers(new Reader()));
      RtChannel client = pair.connect(SocketPair.nothing());
      CountDownLatch held = new CountDownLatch(1);
      AtomicInteger entered = new AtomicInteger();
      client
          .eventLoop()
          .execute(
              () -> {
                entered.incrementAndGet();
                try {
                  held.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      await().until(() -> entered.get() == 1);
      await()
          .untilAsserted(
              () -> {
                Map<?, ?> state = state();
                assertThat(number(state, "loopsAnswered")).isLessThan(number(state, "loops"));
                assertThat(number(state, "connectionCount")).isPositive(); // the server's
              });
      held.countDown();
      client.close().sync();
    }
  }

  @Test
  void shouldShowWhichAddressesANodeHasLearnt() throws Exception {
    NodeTarget taker =
        new NodeTarget() {
          @Override
          public void onPut(NodePut put) {
            put.acknowledge();
          }
        };
    InetSocketAddress first = new InetSocketAddress("127.0.0.1", 0);
    InetSocketAddress second = new InetSocketAddress("127.0.0.2", 0);
    NodeConfig ofBeta = NodeConfig.named("beta").listen(first).listen(second).target(taker);
    try (SocketPair pair = new SocketPair(TransportKind.NIO);
        ControlSocket socket = open(pair);
        RtNode beta = RtNode.open(ofBeta);
        RtNode alpha =
            RtNode.open(NodeConfig.named("alpha").peer("beta", beta.addresses().get(0)))) {
      Map<?, ?> before = with(with(state(), "nodes", "name", "alpha"), "peers", "name", "beta");
      assertThat((List<?>) before.get("learnt")).isEmpty();
      alpha.putAcknowledged("beta", new byte[0], new byte[0]).get(20, TimeUnit.SECONDS);
      String learnt = "127.0.0.2:" + beta.addresses().get(1).getPort();
      await()
          .untilAsserted(
              () -> {
                Map<?, ?> node = with(state(), "nodes", "name", "alpha");
                Map<?, ?> peer = with(node, "peers", "name", "beta");
                assertThat(peer.get("learnt")).isEqualTo(List.of(learnt));
              });
    }
  }
}
