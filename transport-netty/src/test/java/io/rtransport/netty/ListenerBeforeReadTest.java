package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A write ends in the packet that brings the answer to it. Its listener runs before the answer is
 * read, and what it does to the channel holds for the answer.
 */
@Timeout(60)
class ListenerBeforeReadTest {
  private static final InetSocketAddress SERVER = new InetSocketAddress("10.0.0.1", 1);
  private static final InetSocketAddress CLIENT = new InetSocketAddress("10.0.0.2", 2);

  private final ManualSide client = new ManualSide(1, CLIENT, SERVER);
  private final ManualSide server = new ManualSide(2, SERVER, CLIENT);
  private final List<String> events = new ArrayList<>();
  private RtChannel channel;
  private ChannelFuture answer;

  private final class Answering extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      answer = ctx.writeAndFlush(message);
    }
  }

  private final class Reader extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ((ByteBuf) message).release();
      events.add("read");
    }
  }

  /** Asks, and does {@code action} once the question has ended. */
  private void ask(boolean choosesSinks, Runnable action) {
    PayloadSinks sinks = (asked, lengthBytes, header) -> null;
    channel =
        (RtChannel)
            ManualSide.connect(
                client,
                server,
                SocketPair.initializer(c -> c.pipeline().addLast(new Answering())),
                SocketPair.initializer(c -> c.pipeline().addLast(new Reader())));
    channel.config().setOption(RtChannelOption.PAYLOAD_SINKS, choosesSinks ? sinks : null);
    pass(10);
    channel
        .writeAndFlush(channel.alloc().buffer(4).writeInt(1))
        .addListener(
            end -> {
              events.add("ended " + end.isSuccess());
              action.run();
            });
    pass(100);
  }

  private void pass(int millis) {
    for (int i = 0; i < millis; i++) {
      client.nowNs += TimeUnit.MILLISECONDS.toNanos(1);
      server.nowNs += TimeUnit.MILLISECONDS.toNanos(1);
      ManualSide.exchange(client, server);
    }
  }

  @AfterEach
  void close() {
    channel.close();
    pass(40_000);
    assertThat(inside(channel).reading().queue().liveCount()).isZero();
    assertThat(client.node.left()).isEmpty();
    client.node.close();
    server.node.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldKeepTheAnswerWhereTheListenerSwitchesAutoReadOff(boolean choosesSinks) {
    ask(choosesSinks, () -> channel.config().setAutoRead(false));
    assertThat(events).containsExactly("ended true");
    assertThat(answer.isDone()).isFalse();
    channel.read();
    pass(100);
    assertThat(events).containsExactly("ended true", "read");
    assertThat(answer.isSuccess()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldRefuseTheAnswerWhereTheListenerClosesTheChannel(boolean choosesSinks) {
    ask(choosesSinks, () -> channel.close());
    assertThat(events).containsExactly("ended true");
    assertThat(answer.cause())
        .isInstanceOfSatisfying(
            RtException.class,
            e -> {
              assertThat(e.outcome()).isEqualTo(Outcome.NOT_EXECUTED);
              assertThat(e.code()).isEqualTo(CloseCode.CLOSING.code());
            });
  }
}
