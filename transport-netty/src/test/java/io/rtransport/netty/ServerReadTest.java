package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.internal.loop.LoopDrivers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** A server channel that is told when to accept. */
@Timeout(60)
class ServerReadTest {
  private static final Consumer<Bootstrap> PATIENT =
      b -> b.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 40_000);

  private static long count(SocketPair pair, CounterId id) throws Exception {
    EventLoop loop = pair.servers().next();
    return loop.submit(() -> LoopDrivers.of(loop).counters().value(id)).get(20, TimeUnit.SECONDS);
  }

  /** Until {@code more} further attempts have been turned away. */
  private static void awaitDropped(SocketPair pair, int more) throws Exception {
    long before = count(pair, CounterId.DROP_STATE);
    await()
        .atMost(20, TimeUnit.SECONDS)
        .until(() -> count(pair, CounterId.DROP_STATE) >= before + more);
  }

  private static void assertConnected(ChannelFuture connect) throws Exception {
    assertThat(connect.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(connect.isSuccess()).as("%s", connect.cause()).isTrue();
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldAcceptOneConnectionARead(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      RtServerChannel server =
          pair.listen(SocketPair.nothing(), b -> b.option(ChannelOption.AUTO_READ, false));
      List<RtChannel> clients = new ArrayList<>();
      List<ChannelFuture> writes = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        RtChannel client = pair.connect(SocketPair.nothing());
        clients.add(client);
        writes.add(client.writeAndFlush(EchoTest.text("hello")));
      }
      assertThat(pair.acceptedCount()).isZero();
      for (int i = 0; i < 2; i++) {
        server.read();
        RtChannel child = pair.child();
        assertThat(child.remoteAddress()).isEqualTo(clients.get(i).localAddress());
        assertThat(writes.get(i).await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(writes.get(i).isSuccess()).isTrue();
        assertThat(pair.acceptedCount()).isZero();
        if (i == 0) {
          assertThat(writes.get(1).isDone()).as("not read yet").isFalse();
        }
        clients.get(i).close().sync();
        assertThat(child.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldLetNobodyInWhileTheBacklogIsFull(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      RtServerChannel server =
          pair.listen(
              SocketPair.nothing(),
              b -> b.option(ChannelOption.AUTO_READ, false).option(ChannelOption.SO_BACKLOG, 1));
      final RtChannel first = pair.connect(SocketPair.nothing());
      await().until(() -> count(pair, CounterId.CONNECTIONS_ESTABLISHED) == 1);
      ChannelFuture second =
          pair.client(SocketPair.nothing(), PATIENT).connect(server.localAddress());
      awaitDropped(pair, 2);
      assertThat(second.isDone()).isFalse();
      server.read();
      assertThat(pair.child().remoteAddress()).isEqualTo(first.localAddress());
      assertConnected(second);
      server.read();
      pair.child();
      first.close().sync();
      second.channel().close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldPauseAndResumeByAutoReadAndKeepWhatItHas(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      RtServerChannel server = pair.listen(SocketPair.nothing());
      RtChannel before = pair.connect(SocketPair.handlers(inbox));
      RtChannel child = pair.child();
      server.eventLoop().submit(() -> server.config().setAutoRead(false)).sync();
      RtChannel meanwhile = pair.connect(SocketPair.nothing());
      ChannelFuture write = meanwhile.writeAndFlush(EchoTest.text("nobody reads me yet"));
      assertThat(before.writeAndFlush(EchoTest.text("still here")).await(20_000)).isTrue();
      child.writeAndFlush(EchoTest.text("as am I"));
      assertThat(inbox.nextBytes()).asString().isEqualTo("as am I");
      assertThat(write.isDone()).isFalse();
      assertThat(pair.acceptedCount()).isZero();
      server.config().setAutoRead(true);
      pair.child();
      assertThat(write.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(write.isSuccess()).isTrue();
      RtChannel another = pair.connect(SocketPair.nothing());
      pair.child();
      another.close().sync();
      meanwhile.close().sync();
      before.close().sync();
    }
  }
}
