package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.PacketBurst;
import io.rtransport.core.wire.PacketType;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** A server channel that is told when to accept. */
@Timeout(60)
class ServerReadTest {
  private static final Consumer<Bootstrap> PATIENT =
      b -> b.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 40_000);

  private static long dropped(SocketPair pair) throws Exception {
    EventLoop loop = pair.servers().next();
    return loop.submit(() -> LoopDriver.of(loop).endpoint().counters().value(CounterId.DROP_STATE))
        .get(10, TimeUnit.SECONDS);
  }

  /** Until {@code more} further attempts have been turned away. */
  private static void awaitDropped(SocketPair pair, int more) throws Exception {
    long before = dropped(pair);
    await().atMost(20, TimeUnit.SECONDS).until(() -> dropped(pair) >= before + more);
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldAcceptOneConnectionARead(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      RtServerChannel server =
          pair.listen(SocketPair.nothing(), b -> b.option(ChannelOption.AUTO_READ, false));
      Bootstrap client = pair.client(SocketPair.nothing(), PATIENT);
      for (int i = 0; i < 2; i++) {
        ChannelFuture connect = client.connect(server.localAddress());
        awaitDropped(pair, 2);
        assertThat(connect.isDone()).isFalse();
        assertThat(pair.acceptedCount()).isZero();
        server.read();
        RtChannel child = pair.child();
        assertThat(connect.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(connect.channel().writeAndFlush(EchoTest.text("hello")).await(20_000)).isTrue();
        connect.channel().close().sync();
        assertThat(child.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  /** Lets nothing out but CONNECTs, until it is opened. */
  private static final class Gate extends ChannelOutboundHandlerAdapter {
    private volatile boolean isOpen;

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      if (isOpen || !(message instanceof PacketBurst burst) || isConnect(burst)) {
        ctx.write(message, promise);
      }
    }

    private static boolean isConnect(PacketBurst burst) {
      return burst.buffer(0).get(burst.offset(0) + 1) == PacketType.CONNECT;
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldNotConfirmWhatWasBegunBeforeThePause(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      RtServerChannel server = pair.listen(SocketPair.nothing());
      Gate gate = new Gate();
      RtChannel client = pair.connect(c -> c.pipeline().addFirst(gate), PATIENT);
      ChannelFuture write = client.writeAndFlush(EchoTest.text("hello"));
      server.eventLoop().submit(() -> server.config().setAutoRead(false)).sync();
      gate.isOpen = true;
      awaitDropped(pair, 1); // what would confirm it
      assertThat(pair.acceptedCount()).isZero();
      server.config().setAutoRead(true);
      pair.child();
      assertThat(write.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(write.isSuccess()).isTrue();
      client.close().sync();
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
      ChannelFuture meanwhile =
          pair.client(SocketPair.nothing(), PATIENT).connect(server.localAddress());
      awaitDropped(pair, 2);
      assertThat(meanwhile.isDone()).isFalse();
      assertThat(before.writeAndFlush(EchoTest.text("still here")).await(20_000)).isTrue();
      child.writeAndFlush(EchoTest.text("as am I"));
      assertThat(inbox.nextBytes()).asString().isEqualTo("as am I");
      server.config().setAutoRead(true);
      assertThat(meanwhile.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(meanwhile.isSuccess()).isTrue();
      pair.child();
      RtChannel another = pair.connect(SocketPair.nothing());
      pair.child();
      another.close().sync();
      meanwhile.channel().close().sync();
      before.close().sync();
    }
  }
}
