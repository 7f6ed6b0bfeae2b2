package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.rtransport.netty.RtChannelOption.Acknowledge;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a handler does to its channel over a message that it is given within the core's call, while
 * more of the same packet is to come.
 */
@Timeout(60)
class ReadAtOnceTest {
  private static final int MESSAGES = 40;
  private static final int TURNING_POINT = 3;

  /** Does something at its third message, and counts. */
  private static final class Turning extends ChannelInboundHandlerAdapter {
    final List<Integer> read = new CopyOnWriteArrayList<>();
    final AtomicInteger batches = new AtomicInteger();
    final BiConsumer<ChannelHandlerContext, ByteBuf> action;
    volatile boolean isInactive;
    volatile boolean isAtOnce;
    volatile boolean isInSublayer;

    Turning(BiConsumer<ChannelHandlerContext, ByteBuf> action) {
      this.action = action;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf buffer = (ByteBuf) message;
      try {
        read.add(buffer.getInt(0));
        if (read.size() == TURNING_POINT) {
          isAtOnce =
              isCaller(ReadQueue.class.getName() + ".pass")
                  || isCaller(ReadQueue.class.getName() + ".onDelivered");
          isInSublayer = isCaller("io.rtransport.core.solicitation.");
          action.accept(ctx, buffer);
        }
      } finally {
        buffer.release();
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      batches.incrementAndGet();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      isInactive = true;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.fireExceptionCaught(cause);
    }
  }

  static boolean isCaller(String start) {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames.anyMatch(
                    frame ->
                        (frame.getClassName() + "." + frame.getMethodName()).startsWith(start)));
  }

  /**
   * @param isAsked whether the application is asked where each message goes, and knows no place
   */
  private static void listen(SocketPair pair, Turning turning, boolean isAsked) throws Exception {
    PayloadSinks sinks = (channel, lengthBytes, header) -> null;
    pair.listen(
        SocketPair.handlers(turning),
        b -> b.childOption(RtChannelOption.PAYLOAD_SINKS, isAsked ? sinks : null));
  }

  private static RtChannel send(SocketPair pair, Turning turning, boolean isAsked)
      throws Exception {
    listen(pair, turning, isAsked);
    RtChannel client = pair.connect(SocketPair.nothing());
    client
        .eventLoop()
        .submit(
            () -> {
              for (int i = 0; i < MESSAGES; i++) {
                client.write(client.alloc().buffer(4).writeInt(i), client.voidPromise());
              }
              client.flush();
            })
        .get(20, TimeUnit.SECONDS);
    return client;
  }

  /**
   * Asks for the next message over each, and acknowledges none: the peer has nothing to say by
   * which it would be noticed that more is there.
   */
  private static final class OneByOne extends ChannelInboundHandlerAdapter {
    final List<Integer> read = new CopyOnWriteArrayList<>();

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      ctx.read();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      RtPush push = (RtPush) message;
      read.add(push.content().getInt(0));
      push.release();
      ctx.read();
    }
  }

  @ParameterizedTest
  @CsvSource({"NIO, 16", "NIO, 3000", "EPOLL, 16", "EPOLL, 3000"})
  void shouldGiveTheNextWhichIsAskedForOverAMessage(TransportKind kind, int length)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      OneByOne oneByOne = new OneByOne();
      pair.listen(
          SocketPair.handlers(oneByOne),
          b ->
              b.childOption(ChannelOption.AUTO_READ, false)
                  .childOption(RtChannelOption.ACKNOWLEDGE, Acknowledge.EXPLICIT));
      RtChannel client = pair.connect(SocketPair.nothing());
      client
          .eventLoop()
          .execute(
              () -> {
                for (int i = 0; i < 10; i++) {
                  client.write(client.alloc().buffer(length).writeInt(i).writeZero(length - 4));
                }
                client.flush();
              });
      // Well before a keepalive would wake the channel up.
      await()
          .atMost(2, TimeUnit.SECONDS)
          .untilAsserted(
              () -> assertThat(oneByOne.read).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
    }
  }

  @ParameterizedTest
  @CsvSource({"NIO, false", "NIO, true", "EPOLL, false", "EPOLL, true"})
  void shouldGiveNoMoreAfterACloseOverTheMessage(TransportKind kind, boolean isAsked)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Turning turning = new Turning((ctx, message) -> ctx.close());
      RtChannel client = send(pair, turning, isAsked);
      client.closeFuture().sync();
      await().until(() -> turning.isInactive);
      assertThat(turning.read).containsExactly(0, 1, 2);
      assertThat(turning.isAtOnce).as("read before the next record is").isTrue();
      assertThat(turning.isInSublayer).as("by a call from inside a sublayer").isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource({"NIO, false", "NIO, true", "EPOLL, false", "EPOLL, true"})
  void shouldNotAdvanceTheBatchByAnEventOfTheHandlersOwn(TransportKind kind, boolean isAsked)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Turning turning =
          new Turning(
              (ctx, message) -> {
                ctx.pipeline().fireChannelReadComplete();
                ctx.channel().close();
                ctx.pipeline().fireChannelReadComplete();
              });
      RtChannel client = send(pair, turning, isAsked);
      client.closeFuture().sync();
      await().until(() -> turning.isInactive);
      assertThat(turning.read).containsExactly(0, 1, 2);
    }
  }

  @ParameterizedTest
  @CsvSource({"NIO, false", "NIO, true", "EPOLL, false", "EPOLL, true"})
  void shouldGiveOneForEachReadOnceAutoReadIsOff(TransportKind kind, boolean isAsked)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Turning turning = new Turning((ctx, message) -> ctx.channel().config().setAutoRead(false));
      send(pair, turning, isAsked);
      RtChannel child = pair.child();
      await().until(() -> turning.batches.get() == 1);
      for (int read = TURNING_POINT; read < MESSAGES; read++) {
        assertThat(turning.read).hasSize(read);
        int batches = turning.batches.get();
        child.read();
        await().until(() -> turning.batches.get() == batches + 1);
      }
      assertThat(turning.read).hasSize(MESSAGES).isSorted();
    }
  }

  @ParameterizedTest
  @CsvSource({"NIO, false", "NIO, true", "EPOLL, false", "EPOLL, true"})
  void shouldEndTheChannelOverWhichTheHandlerThrows(TransportKind kind, boolean isAsked)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Turning turning =
          new Turning(
              (ctx, message) -> {
                throw new IllegalStateException("over the third");
              });
      RtChannel client = send(pair, turning, isAsked);
      client.closeFuture().sync(); // a bare buffer that fails leaves a hole in its stream
      assertThat(turning.read.subList(0, TURNING_POINT)).containsExactly(0, 1, 2);
      assertThat(turning.read).isSorted().doesNotHaveDuplicates();
    }
  }

  @ParameterizedTest
  @CsvSource({"NIO, false", "NIO, true", "EPOLL, false", "EPOLL, true"})
  void shouldSendWhatIsWrittenAndFlushedOverTheMessage(TransportKind kind, boolean isAsked)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Turning turning =
          new Turning(
              (ctx, message) -> {
                for (int i = 0; i < 2; i++) {
                  ctx.writeAndFlush(message.retainedDuplicate(), ctx.voidPromise());
                }
              });
      Inbox inbox = new Inbox();
      listen(pair, turning, isAsked);
      RtChannel client = pair.connect(SocketPair.handlers(inbox));
      for (int i = 0; i < MESSAGES; i++) {
        client.write(client.alloc().buffer(4).writeInt(i));
      }
      client.flush();
      assertThat(inbox.nextBytes()).containsExactly(0, 0, 0, 2);
      assertThat(inbox.nextBytes()).containsExactly(0, 0, 0, 2);
      await().until(() -> turning.read.size() == MESSAGES);
    }
  }
}
