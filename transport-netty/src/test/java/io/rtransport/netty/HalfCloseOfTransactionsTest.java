package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.netty.handler.FaultInjectionHandler;
import io.rtransport.netty.handler.Faults;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** What half-close means for transactions, which TCP does not have. */
@Timeout(60)
class HalfCloseOfTransactionsTest {
  private static final Faults BAD = new Faults(0.1, 0.1, 0.2, 0.02, 100_000, 400_000);

  private static Throwable causeOf(ChannelFuture future) throws InterruptedException {
    assertThat(future.await(20, TimeUnit.SECONDS)).isTrue();
    return future.cause();
  }

  /** Keeps pull requests until the end of input, and answers them then. */
  private static final class Late extends ChannelInboundHandlerAdapter {
    final Queue<RtPullRequest> requests = new ConcurrentLinkedQueue<>();
    final CountDownLatch ended = new CountDownLatch(1);
    volatile int endCount;
    volatile int readCount;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      assertThat(endCount).as("ends before a message").isZero();
      readCount++;
      if (message instanceof RtPullRequest request) {
        requests.add(request);
      } else {
        ((ByteBuf) message).release();
      }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event == ChannelInputShutdownEvent.INSTANCE) {
        endCount++;
        requests.forEach(request -> request.respond(EchoTest.text("late but true")));
        ended.countDown();
      }
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldAnswerWhatWasBegunBeforeOverABadNetwork(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Late late = new Late();
      pair.listen(
          child -> {
            new FaultInjectionHandler(BAD, BAD, 21).addTo(child);
            child.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
            child.pipeline().addLast(late);
          });
      RtChannel client = pair.connect(SocketPair.nothing());
      for (int i = 0; i < 500; i++) {
        client.write(EchoTest.text("message " + i));
      }
      Pull pull = Pull.of(new byte[] {1}, 100);
      ChannelFuture pulled = client.writeAndFlush(pull);
      client.shutdownOutput().sync();
      assertThat(causeOf(client.writeAndFlush(Pull.of(new byte[0], 1))))
          .isInstanceOf(ClosedChannelException.class);
      assertThat(causeOf(pulled)).isNull();
      ByteBuf answer = pull.answer().get();
      assertThat(answer.toString(StandardCharsets.US_ASCII)).isEqualTo("late but true");
      answer.release();
      assertThat(late.ended.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(late.readCount).isEqualTo(501);
      RtChannel child = pair.child();
      assertThat(causeOf(child.writeAndFlush(EchoTest.text("and the other way")))).isNull();
      child.close().sync();
      assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(client.closeReason().isNormal()).isTrue();
      assertThat(late.endCount).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldCloseByItselfWhenBothHalvesAreShutAndAllHasEnded(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Late late = new Late();
      pair.listen(
          child -> {
            child.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
            child.pipeline().addLast(late);
          });
      RtChannel client =
          pair.connect(SocketPair.nothing(), b -> b.option(ChannelOption.ALLOW_HALF_CLOSURE, true));
      RtChannel child = pair.child();
      ChannelFuture push = client.writeAndFlush(EchoTest.text("the last"));
      client.shutdownOutput().sync();
      assertThat(late.ended.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(client.isOpen() && child.isOpen()).isTrue();
      child.shutdownOutput().sync();
      assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(child.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(causeOf(push)).isNull();
      assertThat(client.closeReason().isNormal() && child.closeReason().isNormal()).isTrue();
    }
  }

  /**
   * TCP's kernel throws away what comes for an input that was shut down, and nobody hears of it.
   */
  @ParameterizedTest
  @NioAndEpoll
  void shouldSayThatWhatComesForAClosedInputWasNotExecuted(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.nothing(), b -> b.childOption(ChannelOption.AUTO_READ, false));
      RtChannel client = pair.connect(SocketPair.nothing());
      RtChannel child = pair.child();
      ChannelFuture unread = client.writeAndFlush(Push.of(EchoTest.text("unread"), new byte[1]));
      child.shutdownInput().sync();
      ChannelFuture after = client.writeAndFlush(Pull.of(new byte[1], 10));
      for (ChannelFuture future : new ChannelFuture[] {unread, after}) {
        assertThat(causeOf(future)).isInstanceOf(RtException.class);
        RtException failure = (RtException) future.cause();
        assertThat(failure.outcome()).isEqualTo(Outcome.NOT_EXECUTED);
        assertThat(failure.code()).isEqualTo(CloseCode.CLOSING.code());
      }
      assertThat(client.isActive()).isTrue();
    }
  }
}
