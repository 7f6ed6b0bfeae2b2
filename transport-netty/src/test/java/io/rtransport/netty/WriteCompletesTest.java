package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.netty.RtChannelOption.Acknowledge;
import io.rtransport.netty.RtChannelOption.WriteCompletes;
import io.rtransport.netty.handler.FaultInjectionHandler;
import io.rtransport.netty.handler.Faults;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** When a write's promise is done, and what becomes of one that fails afterwards. */
@Timeout(60)
class WriteCompletesTest {
  private static final Faults BAD = new Faults(0.1, 0.1, 0.2, 0.02, 100_000, 400_000);
  private static final Faults BLACK_HOLE = Faults.loss(1);

  private static boolean isDone(ChannelFuture future) throws InterruptedException {
    return future.await(20, TimeUnit.SECONDS) && future.isSuccess();
  }

  private static RtChannel connect(SocketPair pair, WriteCompletes when, Inbox inbox)
      throws Exception {
    return pair.connect(
        SocketPair.handlers(inbox), b -> b.option(RtChannelOption.WRITE_COMPLETES, when));
  }

  /** Empty, small, unsolicited in several packets, solicited. */
  @ParameterizedTest
  @CsvSource({
    "NIO,RECEIVED,0", "NIO,RECEIVED,100", "NIO,RECEIVED,8000", "NIO,RECEIVED,300000",
    "NIO,SENT,0", "NIO,SENT,100", "NIO,SENT,8000", "NIO,SENT,300000",
    "EPOLL,RECEIVED,300000", "EPOLL,SENT,0"
  })
  void shouldBeDoneThoughNobodyReads(TransportKind kind, WriteCompletes when, int length)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox atServer = new Inbox();
      pair.listen(
          SocketPair.handlers(atServer), b -> b.childOption(ChannelOption.AUTO_READ, false));
      RtChannel client = connect(pair, when, new Inbox());
      RtChannel child = pair.child();
      assertThat(isDone(client.writeAndFlush(Unpooled.wrappedBuffer(new byte[length])))).isTrue();
      assertThat(isDone(client.writeAndFlush(Push.of(EchoTest.text("b"), new byte[5])))).isTrue();
      client.config().setOption(RtChannelOption.WRITE_COMPLETES, WriteCompletes.COMPLETED);
      ChannelFuture unread = client.writeAndFlush(EchoTest.text("third"));
      assertThat(atServer.waiting()).isZero();
      assertThat(unread.isDone()).isFalse();
      child.config().setAutoRead(true);
      assertThat(isDone(unread)).isTrue();
      assertThat(atServer.nextBytes()).hasSize(length);
      assertThat(((RtPush) atServer.next()).release()).isTrue();
    }
  }

  /** The peer's transport has them long before its application: nobody is to be told of that. */
  @ParameterizedTest
  @EnumSource(WriteCompletes.class)
  void shouldTakeVoidPromisesWhateverCompletesThem(WriteCompletes when) throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      Inbox atServer = new Inbox();
      pair.listen(
          SocketPair.handlers(atServer), b -> b.childOption(ChannelOption.AUTO_READ, false));
      RtChannel client = connect(pair, when, new Inbox());
      RtChannel child = pair.child();
      client // so that each is written as the option says
          .eventLoop()
          .submit(
              () -> {
                client.write(EchoTest.text("plain"), client.voidPromise());
                client.write(Push.of(EchoTest.text("push"), new byte[5]), client.voidPromise());
                client.write(Unpooled.wrappedBuffer(new byte[300_000]), client.voidPromise());
              })
          .sync();
      client.config().setOption(RtChannelOption.WRITE_COMPLETES, WriteCompletes.RECEIVED);
      assertThat(isDone(client.writeAndFlush(EchoTest.text("last")))).as("all received").isTrue();
      assertThat(client.isActive()).isTrue();
      child.config().setAutoRead(true);
      assertThat(atServer.nextBytes()).asString(UTF_8).isEqualTo("plain");
      assertThat(((RtPush) atServer.next()).release()).isTrue();
      assertThat(atServer.nextBytes()).hasSize(300_000);
      assertThat(atServer.nextBytes()).asString(UTF_8).isEqualTo("last");
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldSayReceivedOnlyOfWhatThePeerHas(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.nothing());
      RtChannel client = connect(pair, WriteCompletes.RECEIVED, new Inbox());
      assertThat(isDone(client.writeAndFlush(EchoTest.text("before")))).isTrue();
      client
          .eventLoop()
          .submit(() -> new FaultInjectionHandler(Faults.NONE, BLACK_HOLE, 1).addTo(client))
          .sync();
      ChannelFuture received = client.writeAndFlush(EchoTest.text("lost"));
      client // behind that write, whose option it was when it was written
          .eventLoop()
          .submit(
              () -> client.config().setOption(RtChannelOption.WRITE_COMPLETES, WriteCompletes.SENT))
          .sync();
      assertThat(isDone(client.writeAndFlush(EchoTest.text("lost too")))).isTrue();
      assertThat(received.isDone()).isFalse();
      client.eventLoop().submit(() -> client.pipeline().remove(FaultInjectionHandler.NAME)).sync();
      assertThat(isDone(received)).as("once it is resent").isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(value = WriteCompletes.class)
  void shouldEndEachPromiseOnceOverABadNetwork(WriteCompletes when) throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      Inbox atServer = new Inbox();
      pair.listen(
          child -> {
            new FaultInjectionHandler(BAD, BAD, 31).addTo(child);
            child.pipeline().addLast(atServer);
          });
      RtChannel client = connect(pair, when, new Inbox());
      List<ChannelFuture> writes = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        int length = i % 50 == 0 ? 40_000 : i;
        writes.add(client.write(Unpooled.wrappedBuffer(new byte[length])));
        if (i % 7 == 0) {
          client.flush();
        }
      }
      client.flush();
      for (ChannelFuture write : writes) {
        assertThat(isDone(write)).isTrue();
      }
      for (int i = 0; i < 500; i++) {
        assertThat(atServer.nextBytes()).hasSize(i % 50 == 0 ? 40_000 : i);
      }
      await()
          .atMost(20, TimeUnit.SECONDS)
          .until(
              () ->
                  client.eventLoop().submit(() -> inside(client).writes().liveCount()).get() == 0);
    }
  }

  /** Reads, and never answers. */
  private static final class Silent extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ((RtPush) message).release();
    }
  }

  /** Refuses what it reads, once told to. */
  private static final class Refusing extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      RtPush push = (RtPush) message;
      push.fail(7, "no");
      push.release();
    }
  }

  @ParameterizedTest
  @EnumSource(value = WriteCompletes.class, names = "COMPLETED", mode = EnumSource.Mode.EXCLUDE)
  void shouldTellOfAFailureAfterwards(WriteCompletes when) throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      pair.listen(
          SocketPair.handlers(new Refusing()),
          b ->
              b.childOption(RtChannelOption.ACKNOWLEDGE, Acknowledge.EXPLICIT)
                  .childOption(ChannelOption.AUTO_READ, false));
      Inbox inbox = new Inbox();
      RtChannel client = connect(pair, when, inbox);
      RtChannel child = pair.child();
      assertThat(isDone(client.writeAndFlush(Push.of(EchoTest.text("a"), new byte[1])))).isTrue();
      child.read();
      await()
          .atMost(20, TimeUnit.SECONDS)
          .untilAsserted(() -> assertThat(inbox.failures()).hasSize(1));
      RtException failure = (RtException) inbox.failures().poll();
      assertThat(failure.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(failure.code()).isEqualTo(7);
      assertThat(client.isActive()).as("a push with a header may fail alone").isTrue();
      assertThat(isDone(client.writeAndFlush(EchoTest.text("bare")))).isTrue();
      child.read();
      assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(inbox.failures()).hasSize(1);
      assertThat(((RtException) inbox.failures().poll()).code()).isEqualTo(7);
    }
  }

  @ParameterizedTest
  @EnumSource(value = WriteCompletes.class, names = "COMPLETED", mode = EnumSource.Mode.EXCLUDE)
  void shouldTellOnceThatTheConnectionTookWhatWasDone(WriteCompletes when) throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      pair.listen(
          SocketPair.handlers(new Silent()),
          b ->
              b.childOption(RtChannelOption.ACKNOWLEDGE, Acknowledge.EXPLICIT)
                  .childOption(ChannelOption.SO_LINGER, 0));
      Inbox inbox = new Inbox();
      RtChannel client = connect(pair, when, inbox);
      RtChannel child = pair.child();
      for (int i = 0; i < 5; i++) {
        assertThat(isDone(client.writeAndFlush(EchoTest.text("m" + i)))).isTrue();
      }
      child.close(300, "enough");
      assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(inbox.failures()).hasSize(1);
      assertThat(((RtException) inbox.failures().poll()).outcome()).isEqualTo(Outcome.UNKNOWN);
    }
  }
}
