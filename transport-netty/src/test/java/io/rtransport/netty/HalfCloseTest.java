package io.rtransport.netty;

import static io.netty.channel.ChannelOption.ALLOW_HALF_CLOSURE;
import static io.netty.channel.ChannelOption.AUTO_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.channel.socket.DuplexChannel;
import io.rtransport.netty.DuplexPair.Kind;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One half of a channel ends, the other goes on: the same tests over TCP and over RT. */
@Timeout(60)
class HalfCloseTest {
  private static final String INPUT_SHUTDOWN = "ChannelInputShutdownEvent";
  private static final String READ_COMPLETE = "ChannelInputShutdownReadComplete";
  private static final String OUTPUT_SHUTDOWN = "ChannelOutputShutdownEvent";
  private static final int MESSAGES = 2_000;

  private static void allow(ServerBootstrap bootstrap) {
    bootstrap.childOption(ALLOW_HALF_CLOSURE, true);
  }

  private static void has(EndOfInputLog log, String... entries) {
    await()
        .atMost(20, TimeUnit.SECONDS)
        .untilAsserted(() -> assertThat(log.entries()).containsExactly(entries));
  }

  private static void isClosed(Channel channel) throws InterruptedException {
    assertThat(channel.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
  }

  private static Throwable causeOf(ChannelFuture future) throws InterruptedException {
    assertThat(future.await(20, TimeUnit.SECONDS)).isTrue();
    return future.cause();
  }

  /** Numbers, many enough for several packets. */
  private static String writeMany(DuplexChannel to) {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < MESSAGES; i++) {
      all.append(i).append(' ');
      to.write(EchoTest.text(i + " "));
    }
    to.flush();
    return all.toString();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void shouldTellTheEndOnceBehindEverythingWhileTheOtherWayGoesOn(Kind kind) throws Exception {
    try (DuplexPair pair = new DuplexPair(kind)) {
      pair.connect(HalfCloseTest::allow, b -> {});
      String question = writeMany(pair.client());
      pair.client().shutdownOutput().sync();
      has(pair.atServer, question, INPUT_SHUTDOWN, READ_COMPLETE);
      assertThat(pair.server().isInputShutdown()).isTrue();
      assertThat(pair.server().isOutputShutdown()).isFalse();
      assertThat(pair.server().isShutdown()).isFalse();
      assertThat(pair.client().isOutputShutdown()).isTrue();
      assertThat(pair.client().isInputShutdown()).isFalse();
      assertThat(pair.client().isActive() && pair.server().isActive()).isTrue();
      String answer = writeMany(pair.server());
      pair.server().close();
      has(pair.atClient, OUTPUT_SHUTDOWN, answer, "inactive");
      isClosed(pair.client());
      isClosed(pair.server());
      has(pair.atServer, question, INPUT_SHUTDOWN, READ_COMPLETE, "inactive");
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void shouldCloseAtTheEndOfInputUnlessHalfClosureIsAllowed(Kind kind) throws Exception {
    try (DuplexPair pair = new DuplexPair(kind)) {
      pair.connect(b -> {}, b -> {});
      String question = writeMany(pair.client());
      pair.client().shutdownOutput().sync();
      isClosed(pair.server());
      isClosed(pair.client());
      has(pair.atServer, question, "inactive");
      has(pair.atClient, OUTPUT_SHUTDOWN, "inactive");
      assertThat(pair.server().isInputShutdown() && pair.server().isShutdown()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void shouldFailWhatIsWrittenAfterwardsAndWhatWasNotFlushed(Kind kind) throws Exception {
    try (DuplexPair pair = new DuplexPair(kind)) {
      pair.connect(HalfCloseTest::allow, b -> {});
      ChannelFuture unflushed = pair.client().write(EchoTest.text("never"));
      assertThat(pair.client().isWritable()).isTrue();
      ChannelFuture shutdown = pair.client().shutdownOutput();
      assertThat(causeOf(shutdown)).isNull();
      assertThat(causeOf(unflushed)).isExactlyInstanceOf(ChannelOutputShutdownException.class);
      assertThat(causeOf(pair.client().writeAndFlush(EchoTest.text("late"))))
          .isInstanceOf(ClosedChannelException.class);
      assertThat(causeOf(pair.client().shutdownOutput()))
          .isInstanceOf(ClosedChannelException.class);
      assertThat(pair.client().isWritable()).isFalse();
      assertThat(pair.client().bytesBeforeUnwritable()).isZero();
      assertThat(pair.client().isActive()).isTrue();
      has(pair.atServer, INPUT_SHUTDOWN, READ_COMPLETE);
      has(pair.atClient, OUTPUT_SHUTDOWN);
    }
  }

  /** Netty's epoll sockets hear of it without a read (EPOLLRDHUP). */
  @ParameterizedTest
  @EnumSource(value = Kind.class, names = "TCP_EPOLL", mode = EnumSource.Mode.EXCLUDE)
  void shouldTellTheEndOnlyToOneThatReads(Kind kind) throws Exception {
    try (DuplexPair pair = new DuplexPair(kind)) {
      pair.connect(
          b -> b.childOption(AUTO_READ, false).childOption(ALLOW_HALF_CLOSURE, true), b -> {});
      pair.client().writeAndFlush(EchoTest.text("first")).isDone();
      pair.client().shutdownOutput().sync();
      pair.server().read();
      has(pair.atServer, "first");
      assertThat(pair.server().isActive()).isTrue();
      await()
          .atMost(20, TimeUnit.SECONDS)
          .untilAsserted(
              () -> {
                pair.server().read();
                assertThat(pair.atServer.entries())
                    .containsExactly("first", INPUT_SHUTDOWN, READ_COMPLETE);
              });
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void shouldEndItsOwnInput(Kind kind) throws Exception {
    try (DuplexPair pair = new DuplexPair(kind)) {
      pair.connect(HalfCloseTest::allow, b -> {});
      assertThat(causeOf(pair.server().shutdownInput())).isNull();
      assertThat(pair.server().isInputShutdown()).isTrue();
      assertThat(pair.server().isOutputShutdown()).isFalse();
      has(pair.atServer, READ_COMPLETE);
      pair.server().writeAndFlush(EchoTest.text("still talking")).sync();
      has(pair.atClient, "still talking");
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void shouldEndBothHalvesAtOnce(Kind kind) throws Exception {
    for (boolean isAllowed : new boolean[] {false, true}) {
      shouldEndBothHalvesAtOnce(kind, isAllowed);
    }
  }

  private static void shouldEndBothHalvesAtOnce(Kind kind, boolean isAllowed) throws Exception {
    try (DuplexPair pair = new DuplexPair(kind)) {
      pair.connect(HalfCloseTest::allow, b -> b.option(ALLOW_HALF_CLOSURE, isAllowed));
      pair.client().writeAndFlush(EchoTest.text("bye")).isDone();
      assertThat(causeOf(pair.client().shutdown())).isNull();
      assertThat(pair.client().isShutdown()).isTrue();
      assertThat(pair.client().isOpen()).isTrue();
      has(pair.atServer, "bye", INPUT_SHUTDOWN, READ_COMPLETE);
      if (isAllowed) {
        has(pair.atClient, OUTPUT_SHUTDOWN, READ_COMPLETE);
      } else {
        has(pair.atClient, OUTPUT_SHUTDOWN);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void shouldNotShutDownBeforeItIsConnectedNorAfterItIsClosed(Kind kind) throws Exception {
    try (DuplexPair pair = new DuplexPair(kind)) {
      DuplexChannel early = (DuplexChannel) pair.connecting().register().sync().channel();
      assertThat(causeOf(early.shutdownOutput())).isInstanceOf(NotYetConnectedException.class);
      early.close().sync();
      pair.connect(HalfCloseTest::allow, b -> {});
      pair.client().close().sync();
      assertThat(causeOf(pair.client().shutdownOutput()))
          .isInstanceOf(ClosedChannelException.class);
      assertThat(causeOf(pair.client().shutdownInput())).isInstanceOf(ClosedChannelException.class);
      assertThat(causeOf(pair.client().shutdown())).isInstanceOf(ClosedChannelException.class);
      assertThat(pair.client().isShutdown()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void shouldShowThePeersCloseAsTheEndOfInput(Kind kind) throws Exception {
    try (DuplexPair pair = new DuplexPair(kind)) {
      pair.connect(HalfCloseTest::allow, b -> {});
      pair.client().writeAndFlush(EchoTest.text("bye")).isDone();
      pair.client().close();
      await()
          .atMost(20, TimeUnit.SECONDS)
          .untilAsserted(
              () ->
                  assertThat(pair.atServer.entries())
                      .startsWith("bye", INPUT_SHUTDOWN)
                      .doesNotHaveDuplicates());
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void shouldHaveTheOption(Kind kind) throws Exception {
    try (DuplexPair pair = new DuplexPair(kind)) {
      pair.connect(HalfCloseTest::allow, b -> {});
      assertThat(pair.client().config().getOption(ALLOW_HALF_CLOSURE)).isFalse();
      assertThat(pair.server().config().getOption(ALLOW_HALF_CLOSURE)).isTrue();
      assertThat(pair.server().config().getOptions()).containsEntry(ALLOW_HALF_CLOSURE, true);
      assertThat(List.of(pair.client().isShutdown(), pair.server().isShutdown()))
          .containsOnly(false);
    }
  }
}
