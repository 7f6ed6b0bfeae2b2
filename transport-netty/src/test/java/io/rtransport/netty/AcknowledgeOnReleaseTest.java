package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.netty.RtChannelOption.Acknowledge;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A push counts as taken when what was read of it is released. */
@Timeout(60)
class AcknowledgeOnReleaseTest {
  @TempDir private Path directory;

  /** Keeps what it reads. */
  @Sharable
  private static final class Keeper extends ChannelInboundHandlerAdapter {
    final BlockingQueue<Object> kept = new LinkedBlockingQueue<>();

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      kept.add(message);
    }

    ByteBuf next() throws InterruptedException {
      Object message = kept.poll(20, TimeUnit.SECONDS);
      assertThat(message).isInstanceOf(ByteBuf.class);
      return (ByteBuf) message;
    }

    RtPush nextPush() throws InterruptedException {
      Object message = kept.poll(20, TimeUnit.SECONDS);
      assertThat(message).isInstanceOf(RtPush.class);
      return (RtPush) message;
    }
  }

  private static boolean isDone(ChannelFuture future) throws InterruptedException {
    return future.await(20, TimeUnit.SECONDS) && future.isSuccess();
  }

  private static void listen(SocketPair pair, ChannelInboundHandlerAdapter handler)
      throws Exception {
    pair.listen(
        SocketPair.handlers(handler),
        b -> b.childOption(RtChannelOption.ACKNOWLEDGE, Acknowledge.ON_RELEASE));
  }

  /** Whether a write is still open after a round trip the other way. */
  private static void assertStillOpen(ChannelFuture write, RtChannel peer) throws Exception {
    assertThat(peer.writeAndFlush(EchoTest.text("the other way")).await(20, TimeUnit.SECONDS))
        .isTrue();
    assertThat(write.isDone()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 10, 5_000, 200_000})
  void shouldWaitForTheLastReferenceOnAnyThread(int length) throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      Keeper keeper = new Keeper();
      listen(pair, keeper);
      RtChannel client = pair.connect(SocketPair.nothing());
      byte[] sent = TransactionTest.random(length, 5);
      ChannelFuture write = client.writeAndFlush(Unpooled.wrappedBuffer(sent));
      ByteBuf read = keeper.next();
      byte[] bytes = new byte[length];
      read.getBytes(read.readerIndex(), bytes);
      assertThat(bytes).isEqualTo(sent);
      ByteBuf slice = read.retainedSlice(0, length / 2);
      assertThat(read.release()).isFalse();
      assertStillOpen(write, pair.child());
      assertThat(slice.release()).isTrue();
      assertThat(isDone(write)).isTrue();
    }
  }

  /** An echo takes a message when its own packet leaves, which is inside a call of the core. */
  @ParameterizedTest
  @NioAndEpoll
  void shouldTakeWhatIsEchoedWhenTheEchoLeaves(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      listen(pair, new EchoTest.Echo());
      Inbox inbox = new Inbox();
      RtChannel client = pair.connect(SocketPair.handlers(inbox));
      List<ChannelFuture> writes = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        writes.add(client.write(Unpooled.wrappedBuffer(new byte[i % 40 == 0 ? 30_000 : i])));
      }
      client.flush();
      for (int i = 0; i < 500; i++) {
        assertThat(inbox.nextBytes()).hasSize(i % 40 == 0 ? 30_000 : i);
      }
      for (ChannelFuture write : writes) {
        assertThat(isDone(write)).isTrue();
      }
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldFailWhatAHandlerThrewOverThoughItReleasedIt(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      listen(
          pair,
          new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
              if (message instanceof RtPush push) {
                push.release();
              } else {
                ((ByteBuf) message).release();
              }
              throw new IllegalStateException("after the release");
            }
          });
      RtChannel client = pair.connect(SocketPair.nothing());
      for (byte[] header : new byte[][] {{}, {1}}) {
        ChannelFuture push = client.writeAndFlush(Push.of(EchoTest.text("x"), header));
        assertThat(push.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(((RtException) push.cause()).code())
            .isEqualTo(CloseCode.APPLICATION_ERROR.code());
      }
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldWaitForAPushAndItsContent(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Keeper keeper = new Keeper();
      listen(pair, keeper);
      RtChannel client = pair.connect(SocketPair.nothing());
      RtChannel child = pair.child();
      ChannelFuture write = client.writeAndFlush(Push.of(EchoTest.text("a"), new byte[1]));
      RtPush push = keeper.nextPush();
      ByteBuf content = push.content().retain();
      push.release();
      assertStillOpen(write, child);
      content.release();
      assertThat(isDone(write)).isTrue();
      ChannelFuture refused = client.writeAndFlush(Push.of(EchoTest.text("b"), new byte[1]));
      RtPush second = keeper.nextPush();
      second.fail(9, "no");
      second.release();
      assertThat(refused.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(((RtException) refused.cause()).code()).isEqualTo(9);
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldWaitForAPushThatWentToASink(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind);
        FileChannel file =
            FileChannel.open(
                directory.resolve("sink"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      Keeper keeper = new Keeper();
      pair.listen(
          SocketPair.handlers(keeper),
          b ->
              b.childOption(RtChannelOption.ACKNOWLEDGE, Acknowledge.ON_RELEASE)
                  .childOption(
                      RtChannelOption.PAYLOAD_SINKS,
                      (channel, length, header) -> RtSink.toFile(file, 0)));
      RtChannel client = pair.connect(SocketPair.nothing());
      ChannelFuture write = client.writeAndFlush(Unpooled.wrappedBuffer(new byte[100_000]));
      RtPush push = keeper.nextPush();
      assertStillOpen(write, pair.child());
      push.release();
      assertThat(isDone(write)).isTrue();
      assertThat(file.size()).isEqualTo(100_000);
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldLetTheChannelCloseFirst(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Keeper keeper = new Keeper();
      listen(pair, keeper);
      RtChannel client = pair.connect(SocketPair.nothing());
      ChannelFuture drained = client.writeAndFlush(EchoTest.text("released in the drain"));
      ByteBuf inDrain = keeper.next();
      RtChannel child = pair.child();
      child.close().sync();
      inDrain.release();
      assertThat(isDone(drained)).isTrue();
      assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      RtChannel second = pair.connect(SocketPair.nothing());
      ChannelFuture aborted = second.writeAndFlush(EchoTest.text("released too late"));
      ByteBuf tooLate = keeper.next();
      RtChannel reset = pair.child();
      reset.config().setOption(ChannelOption.SO_LINGER, 0);
      reset.close().sync();
      assertThat(aborted.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(((RtException) aborted.cause()).outcome()).isEqualTo(Outcome.UNKNOWN);
      assertThat(tooLate.release()).isTrue();
    }
  }
}
