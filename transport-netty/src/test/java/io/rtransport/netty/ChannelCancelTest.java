package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** Pushes and pulls that their application gives up, over real sockets. */
@Timeout(60)
class ChannelCancelTest {
  private static final byte[] HEADER = {1};
  private static final int LENGTH = 200_000;
  private static final Duration LONGEST = Duration.ofDays(365);

  /** A payload whose second half never comes. */
  private static final class HalfPayload extends RtPayload {
    private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();

    @Override
    public long lengthBytes() {
      return LENGTH;
    }

    @Override
    protected int copy(long offset, ByteBuffer to, int index, int length) {
      return (int) Math.max(0, Math.min(length, LENGTH / 2 - offset));
    }

    @Override
    protected void deallocate() {
      calls.add("released");
    }
  }

  /** Tells when bytes come, and how it ends. */
  private static final class ToldSink extends RtSink {
    private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();

    @Override
    protected void write(long offset, ByteBuffer from, int index, int length) {
      if (offset == 0) {
        calls.add("begun");
      }
    }

    @Override
    protected void end(boolean whole) {
      calls.add("end " + whole);
    }
  }

  private static void assertCall(BlockingQueue<String> calls, String expected) throws Exception {
    assertThat(calls.poll(20, TimeUnit.SECONDS)).isEqualTo(expected);
  }

  private static void assertEnd(ChannelFuture end, Outcome outcome) throws Exception {
    assertThat(end.await(20, TimeUnit.SECONDS)).isTrue();
    assertEnd(end.cause(), outcome, CloseCode.CANCELLED);
  }

  private static void assertEnd(Throwable cause, Outcome outcome, CloseCode code) {
    assertThat(cause)
        .isInstanceOfSatisfying(
            RtException.class,
            e -> {
              assertThat(e.outcome()).isEqualTo(outcome);
              assertThat(e.code()).isEqualTo(code.code());
              assertThat(e.isFromTransport()).isTrue();
            });
  }

  /** A write without a flush does not wake a loop that sleeps: Netty's way. */
  private static void wake(RtChannel client) throws Exception {
    client.eventLoop().submit(() -> {}).sync();
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldEndAtOnceWhatWasNotFlushedOrNotEvenWritten(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      pair.listen(SocketPair.handlers(inbox));
      RtChannel client = pair.connect(SocketPair.nothing());
      ByteBuf payload = Unpooled.buffer().writeLong(7);
      Push written = Push.of(payload, HEADER);
      ChannelFuture end = client.write(written);
      written.cancel();
      written.cancel();
      wake(client);
      assertEnd(end, Outcome.NOT_EXECUTED);
      assertThat(payload.refCnt()).isZero();
      Push unwritten = Push.of(Unpooled.buffer().writeLong(8), HEADER);
      unwritten.cancel();
      Pull pull = Pull.of(HEADER, 10);
      pull.cancel();
      ChannelFuture pulled = client.write(pull);
      ChannelFuture late = client.write(unwritten);
      wake(client);
      assertEnd(late, Outcome.NOT_EXECUTED);
      assertEnd(pulled, Outcome.NOT_EXECUTED);
      assertThat(pull.answer()).isCompletedExceptionally();
      ChannelFuture next = client.writeAndFlush(Push.of(Unpooled.buffer().writeByte(9), HEADER));
      RtPush following = (RtPush) inbox.next();
      assertThat(following.content().readByte()).isEqualTo((byte) 9);
      following.release();
      assertThat(next.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(inside(client).writes().liveCount()).isZero();
      written.cancel(); // it has ended
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldTakeBackAMessageThatHasLeftInPart(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      ToldSink sink = new ToldSink();
      pair.listen(
          SocketPair.handlers(inbox),
          bootstrap ->
              bootstrap.childOption(
                  RtChannelOption.PAYLOAD_SINKS,
                  (channel, length, header) -> length == LENGTH ? sink : null));
      RtChannel client = pair.connect(SocketPair.nothing());
      HalfPayload payload = new HalfPayload();
      Push half = new Push(payload, HEADER);
      ChannelFuture end = client.writeAndFlush(half);
      ChannelFuture next = client.writeAndFlush(Push.of(EchoTest.text("next"), HEADER));
      assertCall(sink.calls, "begun");
      assertThat(end.isDone()).isFalse();
      half.cancel();
      assertCall(payload.calls, "released");
      assertCall(sink.calls, "end false");
      assertEnd(end, Outcome.NOT_EXECUTED);
      assertThat(next.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(next.isSuccess()).isTrue();
      ((RtPush) inbox.next()).release();
      assertThat(client.isActive()).isTrue();
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldLetAPushThatIsWithTheApplicationEndAsItWould(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      pair.listen(
          SocketPair.handlers(inbox),
          bootstrap ->
              bootstrap.childOption(
                  RtChannelOption.ACKNOWLEDGE, RtChannelOption.Acknowledge.EXPLICIT));
      RtChannel client = pair.connect(SocketPair.nothing());
      Push push = Push.of(EchoTest.text("one"), HEADER);
      ChannelFuture end = client.writeAndFlush(push);
      RtPush taken = (RtPush) inbox.next();
      push.cancel();
      Push after = Push.of(EchoTest.text("two"), HEADER);
      ChannelFuture afterEnd = client.writeAndFlush(after);
      RtPush second = (RtPush) inbox.next(); // so the wish has come
      taken.acknowledge();
      second.acknowledge();
      taken.release();
      second.release();
      assertThat(end.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(end.isSuccess()).isTrue();
      assertThat(afterEnd.await(20, TimeUnit.SECONDS)).isTrue();
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldSayOfAPullThatTheApplicationHasThatNobodyKnows(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      pair.listen(SocketPair.handlers(inbox));
      RtChannel client = pair.connect(SocketPair.nothing());
      Pull pull = Pull.of(HEADER, LENGTH);
      ChannelFuture end = client.writeAndFlush(pull);
      RtPullRequest request = (RtPullRequest) inbox.next();
      pull.cancel();
      assertEnd(end, Outcome.UNKNOWN);
      assertThat(pull.answer()).isCompletedExceptionally();
      HalfPayload late = new HalfPayload();
      request.respond(late);
      assertCall(late.calls, "released");
      client.close().sync();
    }
  }

  /** A request that was given up frees its place in the core: the peer may begin another one. */
  @ParameterizedTest
  @NioAndEpoll
  void shouldBoundTheRequestsThatWereGivenUpBeforeTheyWereRead(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      pair.listen(
          SocketPair.handlers(inbox),
          bootstrap ->
              bootstrap
                  .option(RtChannelOption.OUTSTANDING_MAX, 16)
                  .childOption(ChannelOption.AUTO_READ, false));
      RtChannel client = pair.connect(SocketPair.nothing());
      int unknown = 0;
      for (int i = 0; i < 100; i++) {
        Pull pull = Pull.of(HEADER, 10);
        ChannelFuture end = client.writeAndFlush(pull);
        wake(client);
        wake(client); // it has left, or else its cancel ends it at once
        pull.cancel();
        assertThat(end.await(20, TimeUnit.SECONDS)).isTrue();
        unknown += ((RtException) end.cause()).outcome() == Outcome.UNKNOWN ? 1 : 0;
      }
      assertThat(unknown).as("requests that the server had").isGreaterThan(64);
      RtChannel child = pair.child();
      assertThat(child.eventLoop().submit(() -> inside(child).reading().queue().liveCount()).get())
          .isBetween(1, 32);
      client.writeAndFlush(Pull.of(HEADER, 10));
      child.config().setAutoRead(true);
      assertThat(inbox.next()).isInstanceOf(RtPullRequest.class);
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldDropWhatHasComeOfAnAnswer(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      pair.listen(SocketPair.handlers(inbox));
      RtChannel client = pair.connect(SocketPair.nothing());
      ToldSink sink = new ToldSink();
      Pull pull = Pull.into(sink, HEADER, LENGTH);
      ChannelFuture end = client.writeAndFlush(pull);
      HalfPayload answer = new HalfPayload();
      ((RtPullRequest) inbox.next()).respond(answer);
      assertCall(sink.calls, "begun");
      pull.cancel();
      assertCall(sink.calls, "end false");
      assertCall(answer.calls, "released");
      assertEnd(end, Outcome.UNKNOWN);
      assertThat(sink.calls).as("one last call").isEmpty();
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldGiveUpAtTheDeadlineAndGoOn(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      pair.listen(SocketPair.handlers(inbox));
      RtChannel client = pair.connect(SocketPair.nothing());
      HalfPayload payload = new HalfPayload();
      Push half = new Push(payload, HEADER).deadline(Duration.ofMillis(50));
      long startNs = System.nanoTime();
      ChannelFuture end = client.writeAndFlush(half);
      assertThat(end.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(System.nanoTime() - startNs).isGreaterThanOrEqualTo(50_000_000L);
      assertEnd(end.cause(), Outcome.NOT_EXECUTED, CloseCode.DEADLINE);
      assertCall(payload.calls, "released");
      Pull pull = Pull.of(HEADER, 10).deadline(Duration.ofSeconds(1)); // it is to be there by then
      ChannelFuture pulled = client.writeAndFlush(pull);
      RtPullRequest request = (RtPullRequest) inbox.next();
      assertThat(pulled.await(20, TimeUnit.SECONDS)).isTrue();
      assertEnd(pulled.cause(), Outcome.UNKNOWN, CloseCode.DEADLINE);
      request.fail(1, "too late");
      Push late = Push.of(EchoTest.text("late"), HEADER).deadline(Duration.ofNanos(1));
      ChannelFuture lateEnd = client.writeAndFlush(late);
      assertThat(lateEnd.await(20, TimeUnit.SECONDS)).isTrue();
      assertEnd(lateEnd.cause(), Outcome.NOT_EXECUTED, CloseCode.DEADLINE);
      ChannelFuture next =
          client.writeAndFlush(Push.of(EchoTest.text("next"), HEADER).deadline(LONGEST));
      assertThat(next.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(next.isSuccess()).isTrue();
      ((RtPush) inbox.next()).release();
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldEndTheAnswerOfAPullWhosePromiseWasCancelledBeforeTheFlush(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.nothing());
      RtChannel client = pair.connect(SocketPair.nothing());
      Pull buffered = Pull.of(HEADER, 10);
      ToldSink sink = new ToldSink();
      Pull sunk = Pull.into(sink, HEADER, 10);
      Pull early = Pull.into(new ToldSink(), HEADER, 10);
      assertThat(client.write(early).cancel(false)).isTrue(); // before the loop takes it, or after
      client
          .eventLoop()
          .submit(
              () -> {
                for (Pull pull : new Pull[] {buffered, sunk}) {
                  assertThat(client.write(pull).cancel(false)).isTrue();
                  assertThat(pull.answer()).as("not before the flush").isNotDone();
                }
              })
          .sync();
      client.writeAndFlush(EchoTest.text("on")).sync();
      for (Pull pull : new Pull[] {early, buffered, sunk}) {
        assertThat(pull.answer()).isCompletedExceptionally();
        assertThatThrownBy(() -> pull.answer().join()).isInstanceOf(CancellationException.class);
      }
      assertCall(sink.calls, "end false");
      assertThat(sink.calls).as("one last call").isEmpty();
      assertThat(inside(client).writes().liveCount()).isZero();
      client.close().sync();
      ToldSink lateSink = new ToldSink();
      Pull late = Pull.into(lateSink, HEADER, 10);
      assertThat(client.writeAndFlush(late).await().cause())
          .isInstanceOf(ClosedChannelException.class);
      assertThat(late.answer()).as("written to a closed channel").isCompletedExceptionally();
      assertCall(lateSink.calls, "end false");
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldNotLetAPromiseBeCancelledAfterItsFlushThoughNothingCanLeave(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      pair.listen(
          SocketPair.handlers(inbox),
          bootstrap ->
              bootstrap
                  .option(RtChannelOption.OUTSTANDING_MAX, 16)
                  .childOption(ChannelOption.AUTO_READ, false));
      RtChannel client = pair.connect(SocketPair.nothing());
      for (int i = 0; i < 100; i++) { // more than may be outstanding
        client.write(EchoTest.text("message " + i));
      }
      ChannelFuture last = client.writeAndFlush(EchoTest.text("last"));
      wake(client);
      assertThat(last.cancel(false)).isFalse();
      pair.child().config().setAutoRead(true);
      assertThat(last.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(last.isSuccess()).isTrue();
      client.close().sync();
    }
  }

  @Test
  void shouldRefuseDeadlinesOutsideTheirRange() {
    Pull pull = Pull.of(HEADER, 10);
    for (Duration wrong :
        new Duration[] {Duration.ZERO, Duration.ofNanos(-1), LONGEST.plusNanos(1)}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> pull.deadline(wrong))
          .withMessageContaining("deadline=" + wrong)
          .withMessageContaining("valid");
    }
    pull.deadline(Duration.ofNanos(1)).deadline(LONGEST);
  }
}
