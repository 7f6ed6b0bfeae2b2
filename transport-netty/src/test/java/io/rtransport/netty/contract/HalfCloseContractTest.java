package io.rtransport.netty.contract;

import static io.netty.channel.ChannelOption.ALLOW_HALF_CLOSURE;
import static io.netty.channel.ChannelOption.AUTO_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.channel.socket.DuplexChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** One half of a channel ends, the other goes on: the same tests over TCP and over RT. */
@ExtendWith(ContractCount.class)
@Timeout(60)
class HalfCloseContractTest {
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
      to.write(Rig.text(i + " "));
    }
    to.flush();
    return all.toString();
  }

  @Contract
  void shouldTellTheEndOnceBehindEverythingWhileTheOtherWayGoesOn(Transport transport)
      throws Exception {
    try (DuplexPair pair = new DuplexPair(transport)) {
      pair.connect(HalfCloseContractTest::allow, b -> {});
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

  @Contract
  void shouldCloseAtTheEndOfInputUnlessHalfClosureIsAllowed(Transport transport) throws Exception {
    try (DuplexPair pair = new DuplexPair(transport)) {
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

  @Contract
  void shouldFailWhatIsWrittenAfterwardsAndWhatWasNotFlushed(Transport transport) throws Exception {
    try (DuplexPair pair = new DuplexPair(transport)) {
      pair.connect(HalfCloseContractTest::allow, b -> {});
      ChannelFuture unflushed = pair.client().write(Rig.text("never"));
      assertThat(pair.client().isWritable()).isTrue();
      ChannelFuture shutdown = pair.client().shutdownOutput();
      assertThat(causeOf(shutdown)).isNull();
      assertThat(causeOf(unflushed)).isExactlyInstanceOf(ChannelOutputShutdownException.class);
      assertThat(causeOf(pair.client().writeAndFlush(Rig.text("late"))))
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

  @Contract
  void shouldTellTheEndOnlyToOneThatReads(Transport transport) throws Exception {
    assumeTrue(transport != Transport.TCP_EPOLL, "Netty's epoll sockets hear of it without a read");
    try (DuplexPair pair = new DuplexPair(transport)) {
      pair.connect(
          b -> b.childOption(AUTO_READ, false).childOption(ALLOW_HALF_CLOSURE, true), b -> {});
      pair.client().writeAndFlush(Rig.text("first")).isDone();
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

  @Contract
  void shouldEndItsOwnInput(Transport transport) throws Exception {
    try (DuplexPair pair = new DuplexPair(transport)) {
      pair.connect(HalfCloseContractTest::allow, b -> {});
      assertThat(causeOf(pair.server().shutdownInput())).isNull();
      assertThat(pair.server().isInputShutdown()).isTrue();
      assertThat(pair.server().isOutputShutdown()).isFalse();
      has(pair.atServer, READ_COMPLETE);
      pair.server().writeAndFlush(Rig.text("still talking")).sync();
      has(pair.atClient, "still talking");
    }
  }

  @Contract
  void shouldEndBothHalvesAtOnce(Transport transport) throws Exception {
    for (boolean isAllowed : new boolean[] {false, true}) {
      shouldEndBothHalvesAtOnce(transport, isAllowed);
    }
  }

  private static void shouldEndBothHalvesAtOnce(Transport transport, boolean isAllowed)
      throws Exception {
    try (DuplexPair pair = new DuplexPair(transport)) {
      pair.connect(HalfCloseContractTest::allow, b -> b.option(ALLOW_HALF_CLOSURE, isAllowed));
      pair.client().writeAndFlush(Rig.text("bye")).isDone();
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

  @Contract
  void shouldNotShutDownBeforeItIsConnectedNorAfterItIsClosed(Transport transport)
      throws Exception {
    try (DuplexPair pair = new DuplexPair(transport)) {
      DuplexChannel early = (DuplexChannel) pair.connecting().register().sync().channel();
      assertThat(causeOf(early.shutdownOutput())).isInstanceOf(NotYetConnectedException.class);
      early.close().sync();
      pair.connect(HalfCloseContractTest::allow, b -> {});
      pair.client().close().sync();
      assertThat(causeOf(pair.client().shutdownOutput()))
          .isInstanceOf(ClosedChannelException.class);
      assertThat(causeOf(pair.client().shutdownInput())).isInstanceOf(ClosedChannelException.class);
      assertThat(causeOf(pair.client().shutdown())).isInstanceOf(ClosedChannelException.class);
      assertThat(pair.client().isShutdown()).isTrue();
    }
  }

  @Contract
  void shouldShowThePeersCloseAsTheEndOfInput(Transport transport) throws Exception {
    try (DuplexPair pair = new DuplexPair(transport)) {
      pair.connect(HalfCloseContractTest::allow, b -> {});
      pair.client().writeAndFlush(Rig.text("bye")).isDone();
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

  @Contract
  void shouldHaveTheOption(Transport transport) throws Exception {
    try (DuplexPair pair = new DuplexPair(transport)) {
      pair.connect(HalfCloseContractTest::allow, b -> {});
      assertThat(pair.client().config().getOption(ALLOW_HALF_CLOSURE)).isFalse();
      assertThat(pair.server().config().getOption(ALLOW_HALF_CLOSURE)).isTrue();
      assertThat(pair.server().config().getOptions()).containsEntry(ALLOW_HALF_CLOSURE, true);
      assertThat(List.of(pair.client().isShutdown(), pair.server().isShutdown()))
          .containsOnly(false);
    }
  }

  @Contract
  void shouldCloseByItselfOnlyWhereNothingIsLeftToDo(Transport transport) throws Exception {
    try (DuplexPair pair = new DuplexPair(transport)) {
      pair.connect(HalfCloseContractTest::allow, b -> b.option(ALLOW_HALF_CLOSURE, true));
      assertThat(causeOf(pair.client().shutdownOutput())).isNull();
      assertThat(causeOf(pair.server().shutdownOutput())).isNull();
      boolean isClosed =
          pair.client().closeFuture().await(transport.isRt() ? 20 : 1, TimeUnit.SECONDS);
      Difference.BOTH_HALVES_ENDED.check(transport, isClosed, false, true);
    }
  }

  @Contract
  void shouldThrowAwayWhatComesAfterItsInputWasShutDown(Transport transport) throws Exception {
    try (DuplexPair pair = new DuplexPair(transport)) {
      pair.connect(HalfCloseContractTest::allow, b -> {});
      assertThat(causeOf(pair.server().shutdownInput())).isNull();
      boolean isSuccess = causeOf(pair.client().writeAndFlush(Rig.text("unheard"))) == null;
      Difference.INPUT_SHUT_DOWN.check(transport, isSuccess, true, false);
      await()
          .atMost(20, TimeUnit.SECONDS)
          .untilAsserted(() -> assertThat(pair.atServer.entries()).contains(READ_COMPLETE));
      if (transport.isRt()) { // Linux may still hand TCP's to a read that was on its way
        assertThat(pair.atServer.entries()).doesNotContain("unheard");
      }
    }
  }
}
