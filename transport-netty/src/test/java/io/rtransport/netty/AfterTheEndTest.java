package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.rtransport.netty.RtChannelOption.Acknowledge;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an application still says of a connection that has ended. */
@Timeout(60)
class AfterTheEndTest {
  private static final int ATTEMPTS_MAX = 10_000;

  @Test
  void shouldNotGoOnForEverWithAWriterThatWritesAgainWhatFailed() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      pair.listen(SocketPair.nothing(), b -> b.childOption(ChannelOption.SO_LINGER, 0));
      RtChannel client = pair.connect(SocketPair.nothing());
      AtomicInteger attempts = new AtomicInteger();
      ChannelFutureListener again =
          new ChannelFutureListener() {
            @Override
            public void operationComplete(ChannelFuture write) {
              if (write.channel().isActive() && attempts.incrementAndGet() < ATTEMPTS_MAX) {
                write.channel().writeAndFlush(EchoTest.text("again")).addListener(this);
              }
            }
          };
      client.write(EchoTest.text("never flushed")).addListener(again);
      pair.child().close().sync();
      assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(attempts.get()).as("writes begun again").isLessThan(ATTEMPTS_MAX);
      assertThat(client.eventLoop().submit(() -> inside(client).writes().liveCount()).get())
          .isZero();
    }
  }

  @Test
  void shouldFailWhatIsWrittenInAnswerToTheLossOfTheConnection() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      pair.listen(SocketPair.nothing(), b -> b.childOption(ChannelOption.SO_LINGER, 0));
      BlockingQueue<ChannelFuture> last = new LinkedBlockingQueue<>();
      ChannelInboundHandlerAdapter farewell =
          new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
              last.add(ctx.writeAndFlush(EchoTest.text("farewell")));
            }
          };
      RtChannel client = pair.connect(SocketPair.handlers(farewell));
      pair.child().close().sync();
      assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      ChannelFuture write = last.poll(20, TimeUnit.SECONDS);
      assertThat(write.await(20, TimeUnit.SECONDS)).as("the write has an end").isTrue();
      assertThat(write.cause()).isInstanceOf(ClosedChannelException.class);
    }
  }

  @Test
  void shouldLetGoOfAWriterThatWritesAgainBeforeTheConnect() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      Channel client =
          pair.client(SocketPair.nothing(), bootstrap -> {}).register().sync().channel();
      AtomicInteger attempts = new AtomicInteger();
      ChannelFutureListener again =
          new ChannelFutureListener() {
            @Override
            public void operationComplete(ChannelFuture write) {
              if (attempts.incrementAndGet() < ATTEMPTS_MAX) {
                write.channel().write(EchoTest.text("again")).addListener(this);
              }
            }
          };
      client.write(EchoTest.text("early")).addListener(again);
      client.eventLoop().submit(client::flush).get(20, TimeUnit.SECONDS);
      assertThat(attempts.get()).as("writes begun again").isOne();
      client.close().sync();
    }
  }

  @Test
  void shouldReleaseAnAnswerToAPullThatHasEndedWithItsConnection() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      Inbox atServer = new Inbox();
      pair.listen(SocketPair.handlers(atServer));
      RtChannel client =
          pair.connect(SocketPair.nothing(), b -> b.option(ChannelOption.SO_LINGER, 0));
      client.writeAndFlush(Pull.of(new byte[0], 100));
      RtPullRequest request = (RtPullRequest) atServer.next();
      RtChannel child = pair.child();
      client.close().sync();
      assertThat(child.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      ByteBuf answer = Unpooled.buffer(10).writeZero(10);
      request.respond(answer);
      await().untilAsserted(() -> assertThat(answer.refCnt()).isZero());
      assertThat(child.eventLoop().submit(() -> inside(child).writes().liveCount()).get()).isZero();
    }
  }

  @Test
  void shouldTakeAnswersThoughTheLoopHasEnded() throws Exception {
    RtPullRequest request;
    RtPush push;
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      Inbox atServer = new Inbox();
      pair.listen(
          SocketPair.handlers(atServer),
          b -> b.childOption(RtChannelOption.ACKNOWLEDGE, Acknowledge.EXPLICIT));
      RtChannel client =
          pair.connect(SocketPair.nothing(), b -> b.option(ChannelOption.SO_LINGER, 0));
      client.write(Push.of(EchoTest.text("never acknowledged")));
      client.writeAndFlush(Pull.of(new byte[0], 100));
      push = (RtPush) atServer.next();
      push.release();
      request = (RtPullRequest) atServer.next();
      client.close().sync();
      assertThat(pair.child().closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
    }
    ByteBuf answer = Unpooled.buffer(10).writeZero(10);
    assertThat(request.respond(answer)).isTrue();
    assertThat(answer.refCnt()).isZero();
    assertThat(push.acknowledge()).isTrue();
  }
}
