package io.rtransport.netty;

import static io.rtransport.netty.UnreadRig.message;
import static io.rtransport.netty.UnreadRig.sum;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelPromise;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.stats.CounterId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that the server's application has not read yet, on virtual time. */
class UnreadConnectionsTest {
  /** A connection's first credit, in buffers that are at most twice as large as what is in them. */
  private static final long HELD_BYTES_MAX = 2 * (16 << 10);

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void shouldSetUpAsManyAsTheBacklogHoldsAndTheNextWhenOneIsRead(int backlog) {
    int room = Math.max(1, backlog);
    try (UnreadRig rig = UnreadRig.withBacklog(backlog)) {
      for (int i = 0; i < room; i++) {
        assertThat(rig.connect(i).isActive()).as("client %s", i).isTrue();
      }
      assertThat(rig.counted(CounterId.DROP_STATE)).isZero();
      rig.connect(room);
      rig.pass(1_000);
      assertThat(rig.connects[room].isDone()).as("one more than fit").isFalse();
      assertThat(rig.counted(CounterId.DROP_STATE)).isPositive();
      assertThat(rig.accepted()).isEmpty();

      rig.read();
      assertThat(rig.accepted()).containsExactly(0);
      rig.pass(5_000);
      assertThat(rig.connects[room].isSuccess()).as("it knocked again").isTrue();
      rig.connect(room + 1);
      assertThat(rig.connects[room + 1].isDone()).as("it is full again").isFalse();
      for (int i = 1; i <= room; i++) {
        rig.read();
      }
      rig.pass(5_000);
      rig.read();
      rig.read();
      assertThat(rig.accepted()).hasSize(room + 2).isSorted();
    }
  }

  @Test
  void shouldReadOneConnectionForManyCallsOfReadThatComeTogether() {
    try (UnreadRig rig = UnreadRig.withBacklog(9)) {
      for (int i = 0; i < 3; i++) {
        rig.connect(i);
      }
      rig.listening.read();
      rig.listening.read();
      rig.exchange();
      assertThat(rig.accepted()).containsExactly(0);
      rig.read();
      assertThat(rig.accepted()).containsExactly(0, 1);
    }
  }

  @Test
  void shouldHandOverAllThatWaitInTheirOrderWhenAutoReadIsSwitchedOn() {
    try (UnreadRig rig = UnreadRig.withBacklog(9)) {
      for (int i = 0; i < 3; i++) {
        rig.connect(i);
      }
      assertThat(rig.accepted()).isEmpty();
      rig.listening.config().setAutoRead(true);
      rig.exchange();
      assertThat(rig.accepted()).containsExactly(0, 1, 2);
      rig.connect(3);
      assertThat(rig.accepted()).containsExactly(0, 1, 2, 3);
      rig.listening.config().setAutoRead(false);
      rig.connect(4);
      assertThat(rig.channels[4].isActive()).isTrue();
      assertThat(rig.accepted()).hasSize(4);
    }
  }

  @Test
  void shouldNotConfirmWhatHasNoRoomAnyMore() {
    try (UnreadRig rig = UnreadRig.withBacklog(1)) {
      rig.begin(0);
      assertThat(rig.channels[0].isActive()).isTrue();
      rig.clients[0].sent.clear(); // what would confirm it is lost
      assertThat(rig.connect(1).isActive()).isTrue();
      final ChannelFuture write = rig.channels[0].writeAndFlush(message(10, 1));
      rig.pass(500);
      assertThat(rig.counted(CounterId.DROP_STATE)).as("what confirms it").isPositive();
      assertThat(rig.counted(CounterId.CONNECTIONS_ESTABLISHED)).isOne();
      rig.read();
      rig.read();
      rig.pass(5_000);
      assertThat(rig.accepted()).containsExactly(1, 0);
      assertThat(write.isSuccess()).isTrue();
    }
  }

  @Test
  void shouldNotLetOneThatComesBesideTheReadOvertakeOneThatWaits() {
    try (UnreadRig rig = UnreadRig.withBacklog(9)) {
      rig.connect(0);
      rig.begin(1);
      rig.listening.read(); // takes effect in a task
      rig.server.take(rig.clients[1].sent, packet -> rig.addressOf(rig.clients[1]), () -> {});
      rig.exchange();
      assertThat(rig.accepted()).containsExactly(0);
      rig.read();
      assertThat(rig.accepted()).containsExactly(0, 1);
    }
  }

  @Test
  void shouldGiveThePlaceOfOneThatIsClosedToTheNext() {
    try (UnreadRig rig = UnreadRig.withBacklog(1)) {
      rig.connect(0);
      rig.channels[0].close();
      rig.exchange();
      assertThat(rig.connect(1).isActive()).isTrue();
      rig.read();
      assertThat(rig.accepted()).containsExactly(1);
    }
  }

  @Test
  void shouldGiveThePlaceOfOneThatTimesOutToTheNext() {
    try (UnreadRig rig =
        new UnreadRig(
            b ->
                b.option(ChannelOption.SO_BACKLOG, 1)
                    .option(RtChannelOption.IDLE_TIMEOUT_MILLIS, 2_000L))) {
      rig.connect(0);
      rig.clients[0].sent.clear();
      for (int i = 0; i < 200; i++) { // its client is heard no more
        rig.move(100);
        rig.server.run();
        rig.loseFromServer();
      }
      assertThat(rig.connect(1).isActive()).isTrue();
      rig.read();
      assertThat(rig.accepted()).containsExactly(1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldHandOverWhatWasSentBeforeItWasReadInOrderAndWhole(boolean isOrdered) {
    Consumer<Bootstrap> options =
        b -> b.option(RtChannelOption.ORDERED, isOrdered).option(ChannelOption.SO_KEEPALIVE, true);
    try (UnreadRig rig = new UnreadRig(b -> b.option(RtChannelOption.ORDERED, isOrdered))) {
      rig.connect(0, options);
      Channel client = rig.channels[0];
      List<ChannelFuture> writes = new ArrayList<>();
      List<String> expected = new ArrayList<>();
      List<Pull> pulls = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        for (int length : new int[] {10, 3_000, 100_000, 0}) {
          expected.add(sum(message(length, i)));
          writes.add(client.write(message(length, i)));
        }
        expected.add("push 2+" + sum(message(300_000, i)));
        writes.add(client.write(Push.of(message(300_000, i), new byte[2])));
        expected.add("pull");
        pulls.add(Pull.of(new byte[1], 100));
        writes.add(client.write(pulls.get(i)));
      }
      client.flush();
      rig.pass(1_000);
      final long resentBefore = rig.counted(rig.clients[0], CounterId.RETRANSMITS_TIMEOUT);
      rig.pass(600_000); // twice the time after which a silent connection ends
      assertThat(client.isActive()).as("%s", ((RtChannel) client).closeReason()).isTrue();
      assertThat(rig.counted(rig.clients[0], CounterId.RETRANSMITS_TIMEOUT))
          .isEqualTo(resentBefore);
      assertThat(writes).noneMatch(ChannelFuture::isDone);
      assertThat(rig.server.node.heldBytes()).isBetween(1L, HELD_BYTES_MAX);

      rig.read();
      rig.pass(100);
      if (isOrdered) {
        assertThat(rig.words.get(0).said).isEqualTo(expected);
      } else {
        assertThat(rig.words.get(0).said).containsExactlyInAnyOrderElementsOf(expected);
      }
      assertThat(writes).allMatch(ChannelFuture::isSuccess);
      for (Pull pull : pulls) {
        ByteBuf answer = pull.answer().join();
        assertThat(answer.toString(StandardCharsets.UTF_8)).isEqualTo("answer");
        answer.release();
      }
    }
  }

  @Test
  void shouldHoldNoMoreThanCreditOfWhatIsSentBeforeItIsRead() {
    try (UnreadRig rig = UnreadRig.withBacklog(1)) {
      rig.connect(0);
      List<ChannelFuture> writes = new ArrayList<>();
      for (int i = 0; i < 4_000; i++) {
        writes.add(rig.channels[0].write(message(1_000, i)));
      }
      rig.channels[0].flush();
      rig.pass(1_000);
      long held = rig.server.node.heldBytes();
      rig.pass(1_000);
      assertThat(rig.server.node.heldBytes()).isEqualTo(held).isBetween(1L, HELD_BYTES_MAX);
      rig.read();
      rig.pass(1_000);
      assertThat(writes).allMatch(ChannelFuture::isSuccess);
      assertThat(rig.words.get(0).said).hasSize(4_000);
    }
  }

  @Test
  void shouldTellOfTheEndOfInputBehindWhatCameBeforeItWasRead() {
    try (UnreadRig rig =
        new UnreadRig(b -> b.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true))) {
      RtChannel client = (RtChannel) rig.connect(0);
      client.write(message(10, 1));
      client.writeAndFlush(message(50_000, 2));
      client.shutdownOutput();
      rig.pass(1_000);
      rig.read();
      rig.pass(100);
      assertThat(rig.words.get(0).said)
          .containsExactly(sum(message(10, 1)), sum(message(50_000, 2)), "end");
    }
  }

  @Test
  void shouldAskTheChildsOwnSinksOfWhatCameBeforeItWasRead() {
    List<Long> asked = new ArrayList<>();
    PayloadSinks sinks =
        (channel, length, header) -> {
          asked.add(length);
          return RtSink.refuse(77);
        };
    try (UnreadRig rig = new UnreadRig(b -> b.childOption(RtChannelOption.PAYLOAD_SINKS, sinks))) {
      rig.connect(0);
      ChannelFuture small = rig.channels[0].write(Push.of(message(10, 1), new byte[1]));
      ChannelFuture large = rig.channels[0].writeAndFlush(Push.of(message(90_000, 1)));
      rig.pass(1_000);
      assertThat(asked).isEmpty();
      rig.read();
      rig.pass(1_000);
      assertThat(asked).containsExactly(10L, 90_000L);
      assertThat(rig.failureOf(small).code()).isEqualTo(77);
      assertThat(rig.failureOf(large).code()).isEqualTo(77);
    }
  }

  @Test
  void shouldRefuseThoseThatWaitWhenTheServerCloses() {
    try (UnreadRig rig = UnreadRig.withBacklog(3)) {
      List<ChannelFuture> writes = new ArrayList<>();
      int[] ends = new int[1];
      for (int i = 0; i < 2; i++) {
        Channel client = rig.connect(i);
        writes.add(client.write(Push.of(message(10, 1), new byte[1])));
        writes.add(client.write(Push.of(message(90_000, 1), new byte[1])));
        writes.add(client.writeAndFlush(Pull.of(new byte[1], 100)));
      }
      rig.connect(2);
      writes.forEach(write -> write.addListener(ended -> ends[0]++));
      rig.pass(100);
      rig.listening.close();
      rig.exchange();
      assertThat(rig.listening.closeFuture().isDone()).isTrue();
      assertThat(ends[0]).isEqualTo(writes.size());
      for (ChannelFuture write : writes) {
        assertThat(rig.failureOf(write).outcome()).isNotEqualTo(Outcome.COMPLETED);
      }
      for (int i = 0; i < 3; i++) {
        RtChannel client = (RtChannel) rig.channels[i];
        assertThat(client.isOpen()).isFalse();
        assertThat(client.closeReason().code()).isEqualTo(CloseCode.REJECTED.code());
        assertThat(client.closeReason().text()).isEqualTo("the server closed");
      }
      assertThat(rig.counted(CounterId.CHILDREN_REFUSED)).isEqualTo(3);
      assertThat(rig.accepted()).isEmpty();
    }
  }

  @Test
  void shouldSayAtOnceThatWhatWasNeverReadWasNotExecuted() {
    try (UnreadRig rig =
        new UnreadRig(
            b ->
                b.handler(
                    new ChannelInboundHandlerAdapter() {
                      @Override
                      public void channelRead(ChannelHandlerContext ctx, Object child) {
                        ((RtChannel) child).close();
                      }
                    }))) {
      rig.connect(0);
      ChannelFuture small = rig.channels[0].write(message(10, 1));
      ChannelFuture large = rig.channels[0].write(Push.of(message(90_000, 1)));
      ChannelFuture pull = rig.channels[0].writeAndFlush(Pull.of(new byte[1], 100));
      rig.pass(100);
      rig.read();
      for (ChannelFuture write : new ChannelFuture[] {small, large, pull}) {
        assertThat(rig.failureOf(write).outcome()).isEqualTo(Outcome.NOT_EXECUTED);
        assertThat(rig.failureOf(write).code()).isEqualTo(CloseCode.CLOSING.code());
      }
    }
  }

  /**
   * The promise of a registration may belong to another loop, that of a child group. Until the
   * connection's own loop has heard of it nothing is read, though the channel is registered.
   */
  @ParameterizedTest
  @CsvSource({"true, false", "true, true", "false, true"})
  void shouldReadNothingBeforeTheLoopHasHeardOfTheRegistration(
      boolean hasPullBefore, boolean hasPushInBetween) throws Exception {
    DefaultEventExecutor others = new DefaultEventExecutor();
    CountDownLatch told = new CountDownLatch(1);
    others.execute(() -> awaitUninterruptibly(told));
    List<RtChannel> registered = new ArrayList<>();
    UnreadRig.Words words = new UnreadRig.Words();
    ChannelInboundHandlerAdapter registering =
        new ChannelInboundHandlerAdapter() {
          @Override
          public void channelRead(ChannelHandlerContext ctx, Object message) {
            RtChannel child = (RtChannel) message;
            registered.add(child);
            child.pipeline().addLast(words);
            child
                .unsafe()
                .register(ctx.channel().eventLoop(), new DefaultChannelPromise(child, others));
          }
        };
    try (UnreadRig rig = new UnreadRig(b -> b.handler(registering))) {
      rig.connect(0);
      Pull pull = Pull.of(new byte[1], 100);
      if (hasPullBefore) {
        rig.channels[0].writeAndFlush(pull);
      }
      rig.pass(100);
      rig.read();
      assertThat(registered.get(0).isRegistered()).isTrue();
      if (hasPushInBetween) {
        rig.channels[0].writeAndFlush(message(10, 1));
      }
      rig.exchange();
      assertThat(words.said).isEmpty();

      told.countDown();
      others.submit(() -> {}).sync();
      rig.exchange();
      List<String> expected = new ArrayList<>();
      if (hasPullBefore) {
        expected.add("pull");
      }
      if (hasPushInBetween) {
        expected.add(sum(message(10, 1)));
      }
      assertThat(words.said).isEqualTo(expected);
      assertThat(words.batches).as("ends of a batch").isPositive();
      if (hasPullBefore) {
        pull.answer().join().release();
      }
    } finally {
      told.countDown();
      others.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
