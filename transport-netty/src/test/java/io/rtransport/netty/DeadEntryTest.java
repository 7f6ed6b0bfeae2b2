package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.NetUtil;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.port.DatagramPort;
import io.rtransport.netty.port.PortFactory;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client whose source port has a dead entry at a translator on the way, over real sockets. */
@Timeout(120)
class DeadEntryTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String LOCAL = "127.0.0.1";
  private static final int MESSAGES = 600;
  private static final int AHEAD = 16;

  /** Compares what comes with the same random bytes: all of it, in order, once. */
  private static final class Checker extends ChannelInboundHandlerAdapter {
    private final CompletableFuture<Integer> done = new CompletableFuture<>();
    private final Random random = new Random(7);
    private int received;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf content = (ByteBuf) message;
      boolean isEqual = content.equals(Unpooled.wrappedBuffer(next(random)));
      content.release();
      received++;
      if (!isEqual) {
        done.completeExceptionally(new AssertionError("other bytes in message " + received));
      } else if (received == MESSAGES) {
        done.complete(received);
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      done.completeExceptionally(new AssertionError("closed after " + received));
    }
  }

  private static byte[] next(Random random) {
    byte[] message = new byte[random.nextInt(20_000)];
    random.nextBytes(message);
    return message;
  }

  /** Writes the messages, and calls {@code inTheMiddle} after a third of them. */
  private static void write(RtChannel from, Runnable inTheMiddle) throws Exception {
    Random random = new Random(7);
    ArrayDeque<ChannelFuture> writes = new ArrayDeque<>();
    for (int i = 0; i < MESSAGES; i++) {
      if (i == MESSAGES / 3) {
        inTheMiddle.run();
      }
      writes.add(from.writeAndFlush(Unpooled.wrappedBuffer(next(random))));
      if (writes.size() > AHEAD) {
        assertThat(writes.poll().sync().isSuccess()).isTrue();
      }
    }
    for (ChannelFuture write : writes) {
      assertThat(write.sync().isSuccess()).isTrue();
    }
  }

  private static RtChannel connect(
      SocketPair pair, PortEater eater, Consumer<Bootstrap> options, Checker checker)
      throws Exception {
    Bootstrap client = pair.client(SocketPair.handlers(checker), options);
    return (RtChannel) client.connect(eater.address()).sync().channel();
  }

  private static long counted(RtChannel channel, CounterId id) throws Exception {
    return channel
        .eventLoop()
        .submit(() -> inside(channel).link().connection().counters().value(id))
        .get(20, TimeUnit.SECONDS);
  }

  private static int furtherPorts(RtChannel channel) throws Exception {
    return channel
        .eventLoop()
        .submit(() -> inside(channel).link().ports().count())
        .get(20, TimeUnit.SECONDS);
  }

  private static int port(RtChannel channel) {
    return channel.localAddress().getPort();
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldGoOnByANewPortWhenAnEntryDiesWhileTheClientSends(TransportKind kind) throws Exception {
    goesOn(kind, true, true, true, client -> {});
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldGoOnByANewPortWhenOnlyWhatTheClientSendsIsEatenAndOnlyTheServerSends(
      TransportKind kind) throws Exception {
    goesOn(kind, false, true, false, client -> {});
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldGoOnByANewPortWhenOnlyAnswersAreEaten(TransportKind kind) throws Exception {
    goesOn(kind, true, false, true, client -> {});
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldKeepTheLocalAddressThatTheUserNamedWithoutAPort(TransportKind kind) throws Exception {
    goesOn(kind, true, true, true, client -> client.localAddress("127.0.0.3", 0));
  }

  private static void goesOn(
      TransportKind kind,
      boolean isToServer,
      boolean isEatenThere,
      boolean isEatenBack,
      Consumer<Bootstrap> options)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Checker atServer = new Checker();
      Checker atClient = new Checker();
      RtServerChannel server = pair.listen(SocketPair.handlers(atServer));
      PortEater eater = new PortEater(server.localAddress());
      RtChannel client = connect(pair, eater, options, atClient);
      RtChannel child = pair.child();
      final InetSocketAddress local = client.localAddress();
      final InetSocketAddress remote = child.remoteAddress();

      RtChannel from = isToServer ? client : child;
      write(from, () -> eater.dies(local.getPort(), isEatenThere, isEatenBack));

      Checker checker = isToServer ? atServer : atClient;
      assertThat(checker.done.get(60, TimeUnit.SECONDS)).isEqualTo(MESSAGES);
      await().atMost(LIMIT).until(() -> counted(client, CounterId.PORTS_CHANGED) > 0);
      await().atMost(LIMIT).until(() -> !child.remoteAddress().equals(remote));
      await().atMost(LIMIT).until(() -> furtherPorts(client) == 0); // the first one is closed
      assertThat(port(client)).isNotEqualTo(local.getPort()).isIn(eater.ports());
      assertThat(client.localAddress().getAddress()).isEqualTo(local.getAddress());
      assertThat(client.isActive()).isTrue();
      client.close().sync();
      child.closeFuture().sync();
      eater.close();
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldConnectByAnotherPortIfTheEntryOfTheFirstIsDead(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Checker atServer = new Checker();
      RtServerChannel server = pair.listen(SocketPair.handlers(atServer));
      PortEater eater = new PortEater(server.localAddress());
      eater.firstIsDead();
      RtChannel client = connect(pair, eater, options -> {}, new Checker());
      RtChannel child = pair.child();

      assertThat(eater.ports()).hasSize(2);
      assertThat(port(client)).isEqualTo(eater.ports().get(1));
      write(client, () -> {});
      assertThat(atServer.done.get(60, TimeUnit.SECONDS)).isEqualTo(MESSAGES);
      await().atMost(LIMIT).until(() -> furtherPorts(client) == 0);
      assertThat(port(client)).isEqualTo(eater.ports().get(1));
      assertThat(pair.acceptedCount()).as("further connections").isZero();
      client.close().sync();
      child.closeFuture().sync();
      eater.close();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldStayAtAPortThatTheUserNamed(TransportKind kind) throws Exception {
    int named;
    try (DatagramSocket free = new DatagramSocket(0, NetUtil.LOCALHOST4)) {
      named = free.getLocalPort();
    }
    stays(kind, pair -> client(pair, RtChannels.client(kind.sockets())).localAddress(LOCAL, named));
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldStayAtAPortThatClientsShare(TransportKind kind) throws Exception {
    stays(kind, pair -> client(pair, RtChannels.clientsOfOnePort(kind.sockets())));
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldGoOnByItsPortIfNoOtherCanBeOpened(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Checker atServer = new Checker();
      RtServerChannel server = pair.listen(SocketPair.handlers(atServer));
      PortEater eater = new PortEater(server.localAddress());
      PortFactory sockets = DatagramPort.factory(kind.sockets());
      AtomicInteger opened = new AtomicInteger();
      PortFactory once =
          (context, config, local, remote) -> {
            if (opened.getAndIncrement() > 0) {
              throw new IOException("no file descriptor is left");
            }
            return sockets.open(context, config, local, remote);
          };
      RtChannel client =
          (RtChannel)
              client(pair, RtChannels.client(once)).connect(eater.address()).sync().channel();
      RtChannel child = pair.child();
      final int before = port(client);
      eater.dies(before, true, true);
      ChannelFuture write = client.writeAndFlush(Unpooled.wrappedBuffer(next(new Random(7))));
      await().atMost(LIMIT).until(() -> counted(client, CounterId.PORTS_CHANGED) > 0);
      eater.revive();

      assertThat(write.sync().isSuccess()).isTrue();
      assertThat(opened.get()).isGreaterThan(1);
      assertThat(eater.ports()).containsExactly(before);
      assertThat(port(client)).isEqualTo(before);
      client.close().sync();
      child.closeFuture().sync();
      eater.close();
    }
  }

  private static Bootstrap client(SocketPair pair, ChannelFactory<RtChannel> channels) {
    return new Bootstrap()
        .group(pair.clients())
        .channelFactory(channels)
        .handler(SocketPair.initializer(SocketPair.nothing()));
  }

  private static void stays(TransportKind kind, Function<SocketPair, Bootstrap> clients)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Checker atServer = new Checker();
      RtServerChannel server = pair.listen(SocketPair.handlers(atServer));
      PortEater eater = new PortEater(server.localAddress());
      RtChannel client = (RtChannel) clients.apply(pair).connect(eater.address()).sync().channel();
      RtChannel child = pair.child();
      final int before = port(client);
      eater.dies(before, true, true);
      List<ChannelFuture> writes = new ArrayList<>();
      Random random = new Random(7);
      for (int i = 0; i < 3; i++) {
        writes.add(client.writeAndFlush(Unpooled.wrappedBuffer(next(random))));
      }
      await().atMost(LIMIT).until(() -> counted(client, CounterId.TIMEOUTS) > 3);

      assertThat(counted(client, CounterId.PORTS_CHANGED)).isZero();
      eater.revive();
      for (ChannelFuture write : writes) {
        assertThat(write.sync().isSuccess()).isTrue();
      }
      assertThat(eater.ports()).containsExactly(before);
      assertThat(port(client)).isEqualTo(before);
      client.close().sync();
      child.closeFuture().sync();
      eater.close();
    }
  }
}
