package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.util.ReferenceCountUtil;
import io.rtransport.core.outcome.CloseCode;
import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A message for which its channel's allocator has no memory fails alone, and one for which the heap
 * has no place ends its connection; {@link NthFailureTest} goes on from here.
 */
@Timeout(60)
class NoMemoryTest {
  private static final byte[] HEADER = {1};

  /** Takes everything and answers pulls. */
  private static final class Server extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof RtPullRequest pull) {
        pull.respond(new byte[(int) pull.lengthBytesMax()]);
      } else {
        ReferenceCountUtil.release(message);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldFailThePushAloneThatItsReceiverHasNoMemoryFor(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      FailingCall call = new FailingCall(1);
      pair.listen(
          SocketPair.handlers(new Server()),
          bootstrap -> bootstrap.childOption(ChannelOption.ALLOCATOR, call.allocator()));
      RtChannel client = pair.connect(SocketPair.nothing());
      assertRefused(await(client.writeAndFlush(push())));
      assertThat(await(client.writeAndFlush(push())).isSuccess()).isTrue();
      client.close().sync();
      pair.child().closeFuture().sync();
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldFailThePullAloneWhoseAnswerThereIsNoMemoryFor(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      FailingCall call = new FailingCall(1);
      pair.listen(SocketPair.handlers(new Server()));
      RtChannel client =
          pair.connect(
              SocketPair.nothing(),
              bootstrap -> bootstrap.option(ChannelOption.ALLOCATOR, call.allocator()));
      Pull refused = Pull.of(HEADER, 3_000);
      assertThat(await(client.writeAndFlush(refused)).cause()).hasMessageContaining("no memory");
      assertThat(refused.answer()).isCompletedExceptionally();
      Pull taken = Pull.of(HEADER, 3_000);
      assertThat(await(client.writeAndFlush(taken)).isSuccess()).isTrue();
      taken.answer().join().release();
      assertThat(call.heldBytes()).isZero();
      client.close().sync();
      pair.child().closeFuture().sync();
    }
  }

  /** A queue of the heap's that cannot grow. */
  private static final class Full extends ArrayDeque<InboundMessage> {
    @Override
    public boolean add(InboundMessage message) {
      throw new OutOfMemoryError("the test's place in a queue");
    }

    @Override
    public InboundMessage poll() {
      throw new OutOfMemoryError("the test's slot");
    }
  }

  /** Fills one of the queue's own queues: its {@code ready}, or {@code free} of its pool. */
  private static void fill(ReadQueue queue, String field) {
    try {
      Object owner = field.equals("free") ? field(ReadQueue.class, "pool").get(queue) : queue;
      field(owner.getClass(), field).set(owner, new Full());
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private static Field field(Class<?> of, String name) throws NoSuchFieldException {
    Field field = of.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }

  @ParameterizedTest
  @CsvSource({"NIO, ready", "NIO, free", "EPOLL, ready", "EPOLL, free"})
  void shouldReleaseAMessageThatTheQueueHasNoPlaceFor(TransportKind kind, String field)
      throws Exception {
    FailingCall none = new FailingCall(0);
    try (LogWatch log = new LogWatch();
        SocketPair pair = new SocketPair(kind)) {
      pair.listen(
          SocketPair.handlers(new Server()),
          bootstrap -> bootstrap.childOption(ChannelOption.ALLOCATOR, none.allocator()));
      RtChannel client = pair.connect(SocketPair.nothing());
      assertThat(await(client.writeAndFlush(push())).isSuccess()).isTrue();
      RtChannel child = pair.child();
      child.eventLoop().submit(() -> fill(inside(child).reading().queue(), field)).sync();
      assertThat(await(client.writeAndFlush(push())).cause()).isInstanceOf(RtException.class);
      child.closeFuture().sync();
      assertThat(log.defects()).as(log.first()).isEqualTo(1);
    }
    assertThat(none.heldBytes()).isZero();
  }

  private static Push push() {
    ByteBuf payload = Unpooled.wrappedBuffer(new byte[200]);
    return Push.of(payload, HEADER);
  }

  private static ChannelFuture await(ChannelFuture end) throws InterruptedException {
    assertThat(end.await(30, TimeUnit.SECONDS)).isTrue();
    return end;
  }

  private static void assertRefused(ChannelFuture end) {
    assertThat(end.cause()).isInstanceOf(RtException.class);
    RtException cause = (RtException) end.cause();
    assertThat(cause.code()).isEqualTo(CloseCode.REFUSED_BY_SINK.code());
    assertThat(cause.isFromTransport()).isTrue();
  }
}
