package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.EventExecutor;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.RtChannelOption.Acknowledge;
import io.rtransport.netty.internal.loop.LoopDrivers;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server that receives on several event loops, over real sockets. */
@Timeout(120)
class ReceiveLoopsTest {
  private static final int LOOPS = 3;

  /**
   * In which an io_uring loop hears that its waiting reads are cancelled, or their buffers are lost
   * with it.
   */
  private static final int QUIET_MILLIS = 100;

  private static final Consumer<ServerBootstrap> ON_ALL =
      server -> server.option(RtChannelOption.RECEIVE_LOOPS, LOOPS);

  private static Map<CounterId, Long> counters(RtServerChannel server) throws Exception {
    return server.loopCounters().get(20, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldSpreadItsChildrenOverItsLoopsAndServeAllOfThem(TransportKind kind) throws Exception {
    int clients = 48;
    try (SocketPair pair = new SocketPair(kind, LOOPS)) {
      final RtServerChannel server =
          pair.listen(channel -> channel.pipeline().addLast(new EchoTest.Echo()), ON_ALL);
      List<RtChannel> channels = new ArrayList<>();
      Set<EventLoop> loops = new HashSet<>();
      Inbox inbox = new Inbox();
      for (int i = 0; i < clients; i++) {
        RtChannel client =
            pair.connect(channel -> channel.pipeline().addLast(new Forwarder(inbox)));
        channels.add(client);
        client.writeAndFlush(EchoTest.text("number " + i));
        RtChannel child = pair.child();
        loops.add(child.eventLoop());
        int cid = inside(child).link().connection().cid();
        assertThat(cid >>> 24).isEqualTo(LoopDrivers.of(child.eventLoop()).loopIndex());
      }
      Set<String> answers = new HashSet<>();
      for (int i = 0; i < clients; i++) {
        answers.add(new String(inbox.nextBytes(), java.nio.charset.StandardCharsets.UTF_8));
      }
      assertThat(answers).hasSize(clients);
      assertThat(loops).as("loops that have children, of " + LOOPS).hasSizeGreaterThan(1);
      assertThat(counters(server)).containsEntry(CounterId.CONNECTIONS_ESTABLISHED, (long) clients);
      for (RtChannel channel : channels) {
        channel.close().sync();
      }
    }
  }

  /** Gives what many channels read to one inbox. */
  private static final class Forwarder extends ChannelInboundHandlerAdapter {
    private final Inbox inbox;

    Forwarder(Inbox inbox) {
      this.inbox = inbox;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      inbox.channelRead(ctx, message);
    }
  }

  /**
   * What comes with the confirmation must meet the child's handlers and options, though these come
   * from another loop.
   */
  @ParameterizedTest
  @NioAndEpoll
  void shouldGiveAChildItsHandlersAndOptionsBeforeItsFirstMessage(TransportKind kind)
      throws Exception {
    int clients = 40;
    try (SocketPair pair = new SocketPair(kind, LOOPS)) {
      AtomicInteger explicit = new AtomicInteger();
      Queue<Object> others = new ConcurrentLinkedQueue<>();
      final RtServerChannel server =
          pair.listen(
              SocketPair.handlers(
                  new Acknowledger() {
                    @Override
                    public void channelRead(ChannelHandlerContext ctx, Object message) {
                      if (message instanceof RtPush push) {
                        explicit.incrementAndGet();
                        push.acknowledge();
                        push.release();
                      } else {
                        others.add(message);
                      }
                    }
                  }),
              bootstrap -> {
                ON_ALL.accept(bootstrap);
                bootstrap.childOption(RtChannelOption.ACKNOWLEDGE, Acknowledge.EXPLICIT);
              });
      List<ChannelFuture> connects = new ArrayList<>();
      Queue<ChannelFuture> writes = new ConcurrentLinkedQueue<>();
      for (int i = 0; i < clients; i++) {
        ChannelFuture connect =
            pair.client(
                    SocketPair.handlers(
                        new ChannelInboundHandlerAdapter() {
                          @Override
                          public void channelActive(ChannelHandlerContext ctx) {
                            writes.add(ctx.writeAndFlush(EchoTest.text("at once")));
                          }
                        }),
                    options -> {})
                .connect(server.localAddress());
        connects.add(connect);
      }
      for (ChannelFuture connect : connects) {
        connect.sync();
      }
      await().atMost(20, TimeUnit.SECONDS).until(() -> writes.size() == clients);
      for (ChannelFuture write : writes) {
        write.sync();
      }
      assertThat(others).isEmpty();
      assertThat(explicit).hasValue(clients);
      for (ChannelFuture connect : connects) {
        connect.channel().close().sync();
      }
    }
  }

  /** For every child the same. */
  @io.netty.channel.ChannelHandler.Sharable
  private static class Acknowledger extends ChannelInboundHandlerAdapter {}

  @ParameterizedTest
  @NioAndEpoll
  void shouldHandOverWhatComesInOnAnotherLoopAndLoseNothing(TransportKind kind) throws Exception {
    int messages = 256;
    int bytes = 32 << 10;
    try (SocketPair pair = new SocketPair(kind, LOOPS)) {
      final RtServerChannel server =
          pair.listen(channel -> channel.pipeline().addLast(new EchoTest.Echo()), ON_ALL);
      RebindingRelay relay = new RebindingRelay(server.localAddress(), 1 << 20, Integer.MAX_VALUE);
      Inbox inbox = new Inbox();
      RtChannel client =
          (RtChannel)
              pair.client(SocketPair.handlers(inbox), options -> {})
                  .connect(relay.address())
                  .sync()
                  .channel();
      RtChannel child = pair.child();
      final EventLoop home = child.eventLoop();
      ArrayDeque<ChannelFuture> writes = new ArrayDeque<>();
      int round = 0;
      do { // with three loops a new port is another loop's two times out of three
        for (int i = 0; i < messages; i++) {
          byte[] message = new byte[bytes];
          message[0] = (byte) i;
          message[bytes - 1] = (byte) round;
          writes.add(client.writeAndFlush(Unpooled.wrappedBuffer(message)));
          if (writes.size() > 16) {
            assertThat(writes.poll().sync().isSuccess()).isTrue();
          }
        }
        for (int i = 0; i < messages; i++) {
          byte[] echo = inbox.nextBytes();
          assertThat(echo).hasSize(bytes);
          assertThat(echo[0]).isEqualTo((byte) i);
          assertThat(echo[bytes - 1]).isEqualTo((byte) round);
        }
        round++;
      } while (counters(server).getOrDefault(CounterId.HANDED_OVER, 0L) < 100 && round < 20);

      for (ChannelFuture write : writes) {
        assertThat(write.sync().isSuccess()).isTrue();
      }
      assertThat(counters(server).get(CounterId.HANDED_OVER)).isGreaterThanOrEqualTo(100L);
      assertThat(counters(server).get(CounterId.PATHS_MOVED)).isPositive();
      assertThat(child.eventLoop()).isSameAs(home);
      assertThat(child.isActive()).isTrue();
      assertThat(relay.violation()).isEmpty();
      client.close().sync();
      assertThat(child.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      relay.close();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldCloseEverySocketWithTheServerAndThoseWithChildrenWithTheLast(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind, LOOPS)) {
      RtServerChannel server =
          pair.listen(channel -> channel.pipeline().addLast(new EchoTest.Echo()), ON_ALL);
      final InetSocketAddress address = server.localAddress();
      Inbox inbox = new Inbox();
      RtChannel client = pair.connect(SocketPair.handlers(inbox));
      RtChannel child = pair.child();
      server.close().sync();
      client.writeAndFlush(EchoTest.text("still here")).sync();
      assertThat(inbox.nextBytes()).asString().isEqualTo("still here");
      assertThatThrownBy(() -> new DatagramSocket(address).close())
          .isInstanceOf(BindException.class);
      client.close().sync();
      assertThat(child.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      awaitFree(address);

      RtServerChannel childless = pair.listen(SocketPair.nothing(), ON_ALL);
      childless.close().sync();
      awaitFree(childless.localAddress());
    }
  }

  /**
   * Other sockets of its address are still open when the first of its loops ends. The quiet period
   * is not 0, for Netty's loop may then end without having closed its sockets, of whatever
   * transport.
   */
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldTellThePeersOfEachLoopWhenItsGroupEnds(TransportKind kind) throws Exception {
    EventLoopGroup servers = new MultiThreadIoEventLoopGroup(LOOPS, kind.handlers());
    try (SocketPair pair = new SocketPair(kind)) {
      ServerBootstrap bootstrap =
          new ServerBootstrap()
              .group(servers)
              .channelFactory(RtChannels.server(kind.sockets()))
              .childHandler(new Acknowledger());
      ON_ALL.accept(bootstrap);
      Channel server =
          bootstrap.bind(new InetSocketAddress(NetUtil.LOCALHOST4, 0)).sync().channel();
      List<Channel> clients = new ArrayList<>();
      for (int i = 0; i < 24; i++) {
        clients.add(
            pair.client(SocketPair.nothing(), options -> {})
                .connect(server.localAddress())
                .sync()
                .channel());
        clients.get(i).writeAndFlush(EchoTest.text("number " + i)).sync();
      }
      for (EventExecutor loop : servers) { // one by one: the others' sockets are open
        loop.shutdownGracefully(QUIET_MILLIS, 10_000, TimeUnit.MILLISECONDS);
        assertThat(loop.terminationFuture().await(20, TimeUnit.SECONDS)).isTrue();
      }
      for (Channel client : clients) {
        assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      }
      assertThat(counters((RtServerChannel) server))
          .as("what its loops counted before they ended")
          .containsEntry(CounterId.CONNECTIONS_ESTABLISHED, (long) clients.size());
    } finally {
      servers.shutdownGracefully(0, 10, TimeUnit.SECONDS);
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldNotBeCancelledBetweenItsFirstSocketAndItsLast(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind, LOOPS)) {
      RtServerChannel server = RtChannels.server(kind.sockets()).newChannel();
      server.config().setOption(RtChannelOption.RECEIVE_LOOPS, LOOPS);
      EventLoop loop = pair.servers().next();
      loop.register(server).sync();
      ChannelPromise bound = server.newPromise();
      InetSocketAddress any = new InetSocketAddress(NetUtil.LOCALHOST4, 0);
      loop.submit(
              () -> {
                server.bind(any, bound);
                assertThat(bound.isDone()).as("other loops are to open theirs").isFalse();
                assertThat(bound.cancel(false)).isFalse();
              })
          .sync();
      assertThat(bound.sync().isSuccess()).isTrue();
      assertThat(server.isActive()).isTrue();
      server.close().sync();
      awaitFree(server.localAddress());
    }
  }

  /** The JDK's sockets leave their port when their selector has looked again. */
  private static void awaitFree(InetSocketAddress address) {
    await()
        .atMost(20, TimeUnit.SECONDS)
        .ignoreExceptions()
        .until(
            () -> {
              new DatagramSocket(address).close();
              return true;
            });
  }

  private static Consumer<ServerBootstrap> unread(int backlog) {
    return server -> {
      ON_ALL.accept(server);
      server.option(ChannelOption.AUTO_READ, false).option(ChannelOption.SO_BACKLOG, backlog);
    };
  }

  private static Map<CounterId, Long> quickCounters(RtServerChannel server) {
    return server.loopCounters().awaitUninterruptibly().getNow();
  }

  private static long established(RtServerChannel server) {
    return quickCounters(server).getOrDefault(CounterId.CONNECTIONS_ESTABLISHED, 0L);
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldTakeOneConnectionAReadWhicheverLoopItCameInOn(TransportKind kind) throws Exception {
    int clients = 8;
    try (SocketPair pair = new SocketPair(kind, LOOPS)) {
      RtServerChannel server =
          pair.listen(channel -> channel.pipeline().addLast(new EchoTest.Echo()), unread(clients));
      Inbox inbox = new Inbox();
      List<RtChannel> channels = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        channels.add(pair.connect(channel -> channel.pipeline().addLast(new Forwarder(inbox))));
        channels.get(i).writeAndFlush(EchoTest.text("before it is read"));
      }
      await().atMost(20, TimeUnit.SECONDS).until(() -> established(server) == clients);
      for (int i = 1; i <= clients; i++) {
        assertThat(pair.acceptedCount()).isZero();
        assertThat(inbox.waiting()).isZero();
        server.read();
        pair.child();
        assertThat(inbox.nextBytes()).asString().isEqualTo("before it is read");
      }
      for (RtChannel channel : channels) {
        channel.close().sync();
      }
    }
  }

  /** Loops that look at the same moment may each let one more in. */
  @ParameterizedTest
  @NioAndEpoll
  void shouldHoldAsManyUnreadConnectionsAsItsBacklogOnAllLoopsTogether(TransportKind kind)
      throws Exception {
    int clients = 24;
    int backlog = 6;
    try (SocketPair pair = new SocketPair(kind, LOOPS)) {
      RtServerChannel server = pair.listen(SocketPair.nothing(), unread(backlog));
      List<ChannelFuture> connects = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        connects.add(
            pair.client(
                    SocketPair.nothing(),
                    b -> b.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 60_000))
                .connect(server.localAddress()));
      }
      await()
          .atMost(20, TimeUnit.SECONDS)
          .until(
              () ->
                  established(server) >= backlog
                      && quickCounters(server).getOrDefault(CounterId.DROP_STATE, 0L)
                          >= clients - backlog);
      assertThat(established(server)).isBetween((long) backlog, backlog + LOOPS - 1L);
      assertThat(pair.acceptedCount()).isZero();
      server.config().setAutoRead(true);
      for (ChannelFuture connect : connects) {
        assertThat(connect.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(connect.isSuccess()).isTrue();
      }
      // On a busy machine a client may have waited for more than five seconds: it is forgotten.
      await()
          .atMost(20, TimeUnit.SECONDS)
          .until(() -> pair.acceptedCount() + closed(connects) >= clients);
      assertThat(pair.acceptedCount()).isGreaterThanOrEqualTo(backlog);
      for (ChannelFuture connect : connects) {
        connect.channel().close().sync();
      }
    }
  }

  private static long closed(List<ChannelFuture> connects) {
    return connects.stream().filter(connect -> !connect.channel().isOpen()).count();
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldRefuseUnreadConnectionsOfAllLoopsWhenItIsClosed(TransportKind kind) throws Exception {
    int clients = 8;
    try (SocketPair pair = new SocketPair(kind, LOOPS)) {
      RtServerChannel server = pair.listen(SocketPair.nothing(), unread(clients));
      final InetSocketAddress address = server.localAddress();
      List<RtChannel> channels = new ArrayList<>();
      List<ChannelFuture> writes = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        channels.add(pair.connect(SocketPair.nothing()));
        writes.add(channels.get(i).writeAndFlush(EchoTest.text("never read")));
      }
      await().atMost(20, TimeUnit.SECONDS).until(() -> established(server) == clients);
      server.close().sync();
      for (int i = 0; i < clients; i++) {
        assertThat(channels.get(i).closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(writes.get(i).await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(writes.get(i).isSuccess()).isFalse();
        RtChannel channel = channels.get(i);
        await().atMost(20, TimeUnit.SECONDS).until(() -> channel.closeReason() != null);
        assertThat(channel.closeReason().code()).isEqualTo(CloseCode.REJECTED.code());
      }
      assertThat(pair.acceptedCount()).isZero();
      awaitFree(address);
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldSayWhyItCannotBeBound(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind, 2)) {
      assertThatThrownBy(() -> pair.listen(SocketPair.nothing(), ON_ALL))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("RECEIVE_LOOPS=3, valid: 1..2");
      Consumer<ServerBootstrap> onTwo = b -> b.option(RtChannelOption.RECEIVE_LOOPS, 2);
      RtServerChannel first = pair.listen(SocketPair.nothing(), onTwo);
      // Another server of the same kind must not get half of its datagrams.
      assertThatThrownBy(
              () ->
                  new ServerBootstrap()
                      .group(pair.servers())
                      .channelFactory(RtChannels.server(kind.sockets()))
                      .option(RtChannelOption.RECEIVE_LOOPS, 2)
                      .childHandler(new ChannelInboundHandlerAdapter())
                      .bind(first.localAddress())
                      .sync())
          .hasMessageContaining("in use");
      first.close().sync();
    }
  }
}
