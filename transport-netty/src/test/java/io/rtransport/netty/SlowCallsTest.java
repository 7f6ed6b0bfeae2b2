package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.internal.loop.LoopDrivers;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.NotYetConnectedException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An application's payload or sink that blocks the event loop is found: each call is counted, the
 * first of its class is logged. On a clock that the test moves, and once with threads that really
 * block.
 */
@Timeout(60)
class SlowCallsTest {
  private static final byte[] HEADER = {1};

  /** Of one byte; each copy of it takes a while. */
  private static class Payload extends RtPayload {
    private final Runnable work;

    Payload(Runnable work) {
      this.work = work;
    }

    @Override
    public long lengthBytes() {
      return 1;
    }

    @Override
    protected int copy(long offset, ByteBuffer to, int index, int length) {
      work.run();
      to.put(index, (byte) 7);
      return length;
    }

    @Override
    protected void deallocate() {}
  }

  private static final class SlowPayload extends Payload {
    SlowPayload(Runnable work) {
      super(work);
    }
  }

  private static final class PromptPayload extends Payload {
    PromptPayload(Runnable work) {
      super(work);
    }
  }

  private static final class BlockedPayload extends Payload {
    BlockedPayload(Runnable work) {
      super(work);
    }
  }

  private static class Sink extends RtSink {
    private final Runnable atWrite;
    private final Runnable atEnd;

    Sink(Runnable atWrite, Runnable atEnd) {
      this.atWrite = atWrite;
      this.atEnd = atEnd;
    }

    @Override
    protected void write(long offset, ByteBuffer from, int index, int length) {
      atWrite.run();
    }

    @Override
    protected void end(boolean whole) {
      atEnd.run();
    }
  }

  private static final class SlowSink extends Sink {
    SlowSink(Runnable atWrite, Runnable atEnd) {
      super(atWrite, atEnd);
    }
  }

  private static final class SinkWithSlowEnd extends Sink {
    SinkWithSlowEnd(Runnable atWrite, Runnable atEnd) {
      super(atWrite, atEnd);
    }
  }

  private static final class PromptSink extends Sink {
    PromptSink(Runnable atWrite, Runnable atEnd) {
      super(atWrite, atEnd);
    }
  }

  private static final class BlockedSink extends Sink {
    BlockedSink(Runnable atWrite, Runnable atEnd) {
      super(atWrite, atEnd);
    }
  }

  private static final class SlowStreamSink extends RtStreamSink {
    private final Runnable work;

    SlowStreamSink(Runnable work) {
      this.work = work;
    }

    @Override
    protected int fragment(ByteBuf fragment) {
      work.run();
      int count = fragment.readableBytes();
      fragment.release();
      return count;
    }
  }

  private static void nothing() {}

  /** A client and a server on a clock that stands still but for what calls take. */
  private static final class World implements AutoCloseable {
    final LogWatch log = new LogWatch();
    final InetSocketAddress clientAt = new InetSocketAddress("127.0.0.1", 7_401);
    final InetSocketAddress serverAt = new InetSocketAddress("127.0.0.1", 7_402);
    final ManualSide client = new ManualSide(1, clientAt, serverAt);
    final ManualSide server = new ManualSide(2, serverAt, clientAt);
    private final Channel channel;
    Supplier<RtSink> sinks = () -> null;

    World() {
      channel =
          ManualSide.connect(
              client,
              server,
              SocketPair.initializer(
                  child -> {
                    PayloadSinks chooser = (on, length, header) -> sinks.get();
                    child.config().setOption(RtChannelOption.PAYLOAD_SINKS, chooser);
                  }),
              SocketPair.initializer(c -> {}));
    }

    void push(RtPayload payload) {
      ChannelFuture write = channel.writeAndFlush(new Push(payload, HEADER));
      ManualSide.exchange(client, server);
      assertThat(write.isSuccess()).as("pushed: %s", write.cause()).isTrue();
    }

    void push() {
      push(RtPayload.of(EchoTest.text("x")));
    }

    long blocked(ManualSide side) {
      return LoopDrivers.of(side.node.loop()).counters().value(CounterId.CALLS_BLOCKED);
    }

    @Override
    public void close() {
      client.node.close();
      server.node.close();
      log.close();
    }
  }

  @Test
  void shouldCountEachCopyThatIsSlowAndLogTheFirstOfAClass() {
    try (World world = new World()) {
      Runnable work = () -> world.client.spend(SlowCalls.BOUND_NS + 1_000_000);
      world.push(new SlowPayload(work));
      assertThat(world.blocked(world.client)).isEqualTo(1);
      assertThat(world.log.count()).isEqualTo(1);
      assertThat(world.log.first())
          .contains("copy of " + SlowPayload.class.getName() + " blocked the event loop for 21 ms");
      world.push(new SlowPayload(work));
      assertThat(world.blocked(world.client)).isEqualTo(2);
      assertThat(world.log.count()).as("once a class").isEqualTo(1);
      assertThat(world.blocked(world.server)).isZero();
    }
  }

  @Test
  void shouldSayNothingOfWhatTakesNoLongerThanTheBound() {
    try (World world = new World()) {
      world.sinks =
          () ->
              new PromptSink(
                  () -> world.server.spend(SlowCalls.BOUND_NS),
                  () -> world.server.spend(SlowCalls.BOUND_NS));
      world.push(new PromptPayload(() -> world.client.spend(SlowCalls.BOUND_NS)));
      assertThat(world.blocked(world.client) + world.blocked(world.server)).isZero();
      assertThat(world.log.count()).as(world.log.first()).isZero();
    }
  }

  @Test
  void shouldNameTheCallOfASinkThatIsSlow() {
    try (World world = new World()) {
      Runnable work = () -> world.server.spend(2 * SlowCalls.BOUND_NS);
      world.sinks = () -> new SlowSink(work, SlowCallsTest::nothing);
      world.push();
      world.sinks = () -> new SinkWithSlowEnd(SlowCallsTest::nothing, work);
      world.push();
      world.sinks = () -> new SlowStreamSink(work);
      world.push();
      world.push();
      assertThat(world.blocked(world.server)).isEqualTo(4);
      assertThat(world.log.count()).as(world.log.first()).isEqualTo(3);
      assertThat(world.log.first())
          .contains("write of " + SlowSink.class.getName() + " blocked the event loop for 40 ms")
          .contains("end of " + SinkWithSlowEnd.class.getName())
          .contains("fragment of " + SlowStreamSink.class.getName());
    }
  }

  /** A pull with {@code atEnd} in its sink's end, and a push, written before there is a peer. */
  private static void assertBothFail(Consumer<ManualSide> atEnd) {
    try (World world = new World()) {
      Channel unconnected =
          new Bootstrap()
              .group(world.client.node.loop())
              .channelFactory(RtChannels.client(world.client.ports))
              .handler(SocketPair.initializer(SocketPair.nothing()))
              .register()
              .channel();
      world.client.run();
      Runnable end = () -> atEnd.accept(world.client);
      Pull pull = Pull.into(new SinkWithSlowEnd(SlowCallsTest::nothing, end), HEADER, 1);
      ChannelFuture pulled = unconnected.write(pull);
      ChannelFuture pushed = unconnected.writeAndFlush(EchoTest.text("x"));
      world.client.run();
      assertThat(pulled.cause()).isInstanceOf(NotYetConnectedException.class);
      assertThat(pull.answer()).isCompletedExceptionally();
      assertThat(pushed.cause()).isInstanceOf(NotYetConnectedException.class);
      assertThat(world.log.count()).as(world.log.first()).isLessThanOrEqualTo(1);
      assertThat(world.log.defects()).isZero();
    }
  }

  @Test
  void shouldFailEachWriteBehindASlowEndOfASinkThatNoConnectionHad() {
    assertBothFail(side -> side.spend(2 * SlowCalls.BOUND_NS));
  }

  @Test
  void shouldFailEachWriteBehindAnEndOfASinkThatThrows() {
    assertBothFail(
        side -> {
          throw new AssertionError("a sink broke");
        });
  }

  /** Waits for what does not come. */
  private static void block() {
    try {
      long millis = TimeUnit.NANOSECONDS.toMillis(SlowCalls.BOUND_NS) + 10;
      assertThat(new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS)).isFalse();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldFindWhatReallyBlocks() throws Exception {
    try (LogWatch log = new LogWatch();
        SocketPair pair = new SocketPair(TransportKind.NIO)) {
      PayloadSinks chooser =
          (on, length, header) -> new BlockedSink(SlowCallsTest::block, SlowCallsTest::nothing);
      pair.listen(SocketPair.nothing(), b -> b.childOption(RtChannelOption.PAYLOAD_SINKS, chooser));
      RtChannel client = pair.connect(SocketPair.nothing());
      for (int i = 0; i < 2; i++) {
        client.writeAndFlush(new Push(new BlockedPayload(SlowCallsTest::block), HEADER)).sync();
      }
      assertThat(client.stats().get(20, TimeUnit.SECONDS).counters().get(CounterId.CALLS_BLOCKED))
          .isEqualTo(2);
      RtChannel child = pair.child();
      assertThat(child.stats().get(20, TimeUnit.SECONDS).counters().get(CounterId.CALLS_BLOCKED))
          .isEqualTo(2);
      assertThat(log.count()).as(log.first()).isEqualTo(2);
      assertThat(log.first())
          .contains("copy of " + BlockedPayload.class.getName())
          .contains("write of " + BlockedSink.class.getName());
      client.close().sync();
    }
  }
}
