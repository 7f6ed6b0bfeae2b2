package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.handler.FaultInjectionHandler;
import io.rtransport.netty.handler.Faults;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * A message as a stream of fragments: in order, at the sink's pace, and one last call whatever
 * happens.
 */
@Timeout(240)
class StreamSinkTest {
  private static final Faults BAD = new Faults(0.05, 0.05, 0.1, 0.03, 100_000, 400_000);
  private static final int LONG = 3 << 20;

  /** Keeps what it is given, and takes it at once or when it is told to. */
  private static final class Recording extends RtStreamSink {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final boolean takesAtOnce;
    private final int failsAt;
    private volatile int size;
    private volatile int takenSize;

    Recording(boolean takesAtOnce, int failsAt) {
      this.takesAtOnce = takesAtOnce;
      this.failsAt = failsAt;
    }

    @Override
    protected void begin(long lengthBytes) {
      calls.add("begin " + lengthBytes);
    }

    @Override
    protected int fragment(ByteBuf fragment) throws IOException {
      int count = fragment.readableBytes();
      try {
        if (size + count > failsAt) {
          throw new IOException("no more than " + failsAt);
        }
        fragment.readBytes(bytes, count);
        size += count;
        return takesAtOnce ? count : 0;
      } finally {
        fragment.release();
      }
    }

    void takeAll() {
      int more = size - takenSize;
      takenSize += more;
      taken(more);
    }

    @Override
    protected void end() {
      calls.add("end");
    }

    @Override
    protected void abort() {
      calls.add("abort");
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldGiveTheBytesInOrderOverABadNetwork(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      Recording sink = new Recording(true, LONG);
      PayloadSinks sinks = (channel, length, header) -> sink;
      pair.listen(
          child -> {
            new FaultInjectionHandler(BAD, BAD, 11).addTo(child);
            child.pipeline().addLast(inbox);
          },
          b -> b.childOption(RtChannelOption.PAYLOAD_SINKS, sinks));
      RtChannel client = pair.connect(SocketPair.nothing());
      byte[] message = TransactionTest.random(LONG, 1);
      ChannelFuture push = client.writeAndFlush(Unpooled.wrappedBuffer(message));
      Progress.awaitDone(push::isDone, () -> sink.size);
      assertThat(push.cause()).isNull();
      assertThat(((RtPush) inbox.next()).sink()).isSameAs(sink);
      assertThat(sink.bytes.toByteArray()).isEqualTo(message);
      assertThat(sink.calls).containsExactly("begin " + LONG, "end");
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldHoldTheSenderBackUntilTheSinkHasTaken(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      int length = 48 << 20; // the budget is 64 MiB, and an eighth of it may be untaken
      Recording sink = new Recording(false, length);
      PayloadSinks sinks = (channel, bytes, header) -> sink;
      pair.listen(SocketPair.nothing(), b -> b.childOption(RtChannelOption.PAYLOAD_SINKS, sinks));
      RtChannel client = pair.connect(SocketPair.nothing());
      ChannelFuture push = client.writeAndFlush(Unpooled.wrappedBuffer(new byte[length]));
      await().atMost(30, TimeUnit.SECONDS).until(() -> sink.size > 8 << 20);
      RtChannel child = pair.child();
      for (int last = -1; last != sink.size; ) {
        last = sink.size;
        for (int i = 0; i < 200; i++) { // so many round trips later
          child.writeAndFlush(EchoTest.text("proof that packets flow")).sync();
        }
      }
      assertThat(sink.size).isLessThan(length);
      assertThat(push.isDone()).isFalse();
      while (!push.await(1)) {
        sink.takeAll(); // on a thread of its own
      }
      assertThat(push.cause()).isNull();
      assertThat(sink.size).isEqualTo(length);
      assertThat(sink.calls).containsExactly("begin " + length, "end");
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldStopTheSenderWhenASinkFailsInTheMiddle(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Recording sink = new Recording(true, 100_000);
      PayloadSinks sinks = (channel, length, header) -> sink;
      pair.listen(SocketPair.nothing(), b -> b.childOption(RtChannelOption.PAYLOAD_SINKS, sinks));
      RtChannel client = pair.connect(SocketPair.nothing());
      int length = 64 << 20;
      ChannelFuture push = client.writeAndFlush(Push.of(Unpooled.wrappedBuffer(new byte[length])));
      assertThat(push.await(20, TimeUnit.SECONDS)).isTrue();
      RtException failure = (RtException) push.cause();
      assertThat(failure.outcome()).isEqualTo(Outcome.NOT_EXECUTED);
      assertThat(failure.code()).isEqualTo(CloseCode.REFUSED_BY_SINK.code());
      assertThat(client.stats().get().counters().get(CounterId.MESSAGE_BYTES_SENT))
          .isLessThan(length / 2);
      assertThat(sink.calls).containsExactly("begin " + length, "abort");
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldStopTheAnswerWhenThePullsOwnSinkFailsInTheMiddle(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      pair.listen(SocketPair.handlers(inbox));
      RtChannel client = pair.connect(SocketPair.nothing());
      Recording sink = new Recording(true, 100_000);
      int length = 64 << 20;
      ChannelFuture pull = client.writeAndFlush(Pull.into(sink, new byte[] {1}, length));
      ((RtPullRequest) inbox.next()).respond(new byte[length]);
      assertThat(pull.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(pull.cause()).isInstanceOf(IOException.class).hasMessage("no more than 100000");
      assertThat(pair.child().stats().get().counters().get(CounterId.MESSAGE_BYTES_SENT))
          .isLessThan(length / 2);
      assertThat(sink.calls).containsExactly("begin " + length, "abort");
      assertThat(client.writeAndFlush(EchoTest.text("it goes on")).await(20, TimeUnit.SECONDS))
          .isTrue();
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldTakeAnAnswerAsAStreamAtItsOwnPace(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      pair.listen(SocketPair.handlers(inbox));
      RtChannel client = pair.connect(SocketPair.nothing());
      Recording sink = new Recording(false, LONG);
      byte[] answer = TransactionTest.random(LONG, 2);
      ChannelFuture pull = client.writeAndFlush(Pull.into(sink, new byte[] {1}, LONG));
      ((RtPullRequest) inbox.next()).respond(answer);
      while (!pull.await(1)) {
        sink.takeAll();
      }
      assertThat(pull.cause()).isNull();
      assertThat(sink.bytes.toByteArray()).isEqualTo(answer);
      assertThat(sink.calls).containsExactly("begin " + LONG, "end");
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldAbortOnceWhenTheConnectionEndsInTheMiddle(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Recording sink = new Recording(false, Integer.MAX_VALUE);
      PayloadSinks sinks = (channel, bytes, header) -> sink;
      pair.listen(SocketPair.nothing(), b -> b.childOption(RtChannelOption.PAYLOAD_SINKS, sinks));
      RtChannel client = pair.connect(SocketPair.nothing());
      client.config().setOption(io.netty.channel.ChannelOption.SO_LINGER, 0);
      int length = 48 << 20;
      client.writeAndFlush(Unpooled.wrappedBuffer(new byte[length]));
      await().until(() -> sink.size > 0);
      client.close().sync();
      assertThat(pair.child().closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      await().until(() -> sink.calls.size() > 1);
      sink.takeAll(); // too late, and nobody minds
      pair.servers().next().submit(() -> {}).sync();
      assertThat(sink.calls).containsExactly("begin " + length, "abort");
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldAskAgainForWhatWasPutOff(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      List<RtSink.Later> put = new CopyOnWriteArrayList<>();
      Inbox inbox = new Inbox();
      PayloadSinks sinks =
          (channel, length, header) -> {
            if (put.size() == 2) {
              return null;
            }
            RtSink.Later later = RtSink.later();
            if (put.size() == 1) {
              later.askAgain(); // before it is given back
            }
            put.add(later);
            return later;
          };
      pair.listen(
          SocketPair.handlers(inbox), b -> b.childOption(RtChannelOption.PAYLOAD_SINKS, sinks));
      RtChannel client = pair.connect(SocketPair.nothing());
      byte[] message = TransactionTest.random(LONG, 3);
      ChannelFuture push = client.writeAndFlush(Unpooled.wrappedBuffer(message));
      await().until(() -> put.size() == 1);
      RtChannel child = pair.child();
      child.writeAndFlush(EchoTest.text("proof that packets flow")).sync();
      assertThat(client.stats().get().counters().get(CounterId.MESSAGE_BYTES_SENT))
          .as("none of its bytes have travelled")
          .isIn(0L, null);
      put.get(0).askAgain(); // on a thread of its own
      assertThat(inbox.nextBytes()).isEqualTo(message);
      assertThat(push.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(push.cause()).isNull();
      assertThat(put).hasSize(2);
      put.get(0).askAgain(); // its message has ended
      client.close().sync();
    }
  }
}
