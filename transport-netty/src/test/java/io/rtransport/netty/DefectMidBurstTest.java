package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.rtransport.core.outcome.Outcome;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Something throws that nobody has foreseen, over one of several messages of a packet: what comes
 * behind it is not given out, and no promise succeeds for what the handlers have not had whole.
 */
@Timeout(60)
class DefectMidBurstTest {
  private static final int MESSAGES = 40;

  /** Reads the number that each message begins with, and releases what it reads. */
  private static final class Numbers extends ChannelInboundHandlerAdapter {
    final List<Integer> read = new CopyOnWriteArrayList<>();
    final List<Object> pushes = new CopyOnWriteArrayList<>();

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof ByteBuf bytes) {
        read.add(bytes.getInt(0));
        bytes.release();
      } else {
        pushes.add(message);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      // told, and expected
    }
  }

  /** Throws at the {@code nth} buffer. */
  static final class Throwing extends AbstractByteBufAllocator {
    private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);
    private final int nth;
    private int calls;

    Throwing(int nth) {
      super(true);
      this.nth = nth;
    }

    private void count() {
      if (++calls == nth) {
        throw new IllegalStateException("buffer " + nth);
      }
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      count();
      return memory.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      count();
      return memory.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }

  /** All in one flush, so that one packet holds them. */
  private static List<ChannelFuture> sendNumbers(RtChannel client) throws Exception {
    return client
        .eventLoop()
        .submit(
            () -> {
              List<ChannelFuture> ends = new ArrayList<>();
              for (int i = 0; i < MESSAGES; i++) {
                ends.add(client.write(client.alloc().buffer(16).writeInt(i).writeZero(12)));
              }
              client.flush();
              return ends;
            })
        .get(20, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldGiveOutNothingBehindAMessageThatWasLost(TransportKind kind) throws Exception {
    try (LogWatch log = new LogWatch();
        SocketPair pair = new SocketPair(kind)) {
      Numbers numbers = new Numbers();
      pair.listen(
          SocketPair.handlers(numbers),
          bootstrap -> bootstrap.childOption(ChannelOption.ALLOCATOR, new Throwing(3)));
      RtChannel client = pair.connect(SocketPair.nothing());
      List<ChannelFuture> ends = sendNumbers(client);
      client.closeFuture().sync();
      pair.child().closeFuture().sync();
      assertThat(numbers.read).containsExactly(0, 1);
      // That the first two completed comes too late where it is read together with the end.
      for (int i = 2; i < MESSAGES; i++) {
        assertThat(ends.get(i).await().isSuccess()).as("message %d", i).isFalse();
      }
    }
  }

  /** As the mapped file of a full disk does. */
  private static final class Breaking extends RtSink {
    private int writes;

    @Override
    protected void write(long offset, ByteBuffer from, int index, int length) {
      if (++writes == 2) {
        throw new InternalError("a fault in a recent unsafe memory access operation");
      }
    }
  }

  /** As a mapped file that cannot be forced. */
  private static final class BreakingAtItsEnd extends RtSink {
    private final AtomicInteger ends;

    BreakingAtItsEnd(AtomicInteger ends) {
      this.ends = ends;
    }

    @Override
    protected void write(long offset, ByteBuffer from, int index, int length) {
      // takes all
    }

    @Override
    protected void end(boolean whole) {
      if (whole && ends.incrementAndGet() == 2) {
        throw new InternalError("a fault in a recent unsafe memory access operation");
      }
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldGiveOutNothingBehindAMessageWhoseSinkBrokeAtItsEnd(TransportKind kind)
      throws Exception {
    try (LogWatch log = new LogWatch();
        SocketPair pair = new SocketPair(kind)) {
      Numbers numbers = new Numbers();
      AtomicInteger sinkEnds = new AtomicInteger();
      PayloadSinks sinks = (channel, length, header) -> new BreakingAtItsEnd(sinkEnds);
      pair.listen(
          SocketPair.handlers(numbers),
          bootstrap -> bootstrap.childOption(RtChannelOption.PAYLOAD_SINKS, sinks));
      RtChannel client = pair.connect(SocketPair.nothing());
      List<ChannelFuture> ends = sendNumbers(client);
      client.closeFuture().sync();
      pair.child().closeFuture().sync();
      assertThat(numbers.pushes).hasSize(1);
      for (int i = 1; i < MESSAGES; i++) {
        assertThat(ends.get(i).await().isSuccess()).as("message %d", i).isFalse();
      }
      assertThat(log.defects()).as(log.first()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldCompleteNothingOfWhichASinkMissedPart(TransportKind kind) throws Exception {
    try (LogWatch log = new LogWatch();
        SocketPair pair = new SocketPair(kind)) {
      Numbers numbers = new Numbers();
      PayloadSinks sinks = (channel, length, header) -> new Breaking();
      pair.listen(
          SocketPair.handlers(numbers),
          bootstrap -> bootstrap.childOption(RtChannelOption.PAYLOAD_SINKS, sinks));
      RtChannel client = pair.connect(SocketPair.nothing());
      ChannelFuture push =
          client.writeAndFlush(Push.of(client.alloc().buffer(8_000).writeZero(8_000)));
      assertThat(push.await().cause())
          .isInstanceOfSatisfying(
              RtException.class, e -> assertThat(e.outcome()).isEqualTo(Outcome.UNKNOWN));
      pair.child().closeFuture().sync();
      assertThat(numbers.pushes).isEmpty();
    }
  }
}
