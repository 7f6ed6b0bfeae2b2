package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.rtransport.netty.RtChannelOption.WriteCompletes;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The promise of a write that is done once it is sent, where no call of the application sends. */
@Timeout(60)
class SentByATimerTest {
  private static final int WINDOW_MICROS = 10_000;

  @Test
  void shouldBeDoneInTheTurnInWhichTheFlushWindowEnds() {
    InetSocketAddress clientAt = new InetSocketAddress("10.0.0.2", 2);
    InetSocketAddress serverAt = new InetSocketAddress("10.0.0.1", 1);
    ManualSide client = new ManualSide(1, clientAt, serverAt);
    ManualSide server = new ManualSide(2, serverAt, clientAt);
    try {
      Channel channel =
          ManualSide.connect(
              client,
              server,
              SocketPair.initializer(SocketPair.nothing()),
              SocketPair.initializer(SocketPair.nothing()));
      channel.config().setOption(RtChannelOption.WRITE_COMPLETES, WriteCompletes.SENT);
      channel.config().setOption(RtChannelOption.FLUSH_WINDOW_MICROS, WINDOW_MICROS);
      ChannelFuture write = channel.writeAndFlush(EchoTest.text("waits"));
      client.run();
      assertThat(client.sent).isEmpty();
      assertThat(write.isDone()).isFalse();
      for (int millis = 0; client.sent.isEmpty(); millis++) {
        assertThat(millis).as("milliseconds").isLessThan(20);
        client.nowNs += TimeUnit.MILLISECONDS.toNanos(1);
        client.run();
      }
      assertThat(write.isSuccess()).isTrue();
    } finally {
      client.node.close();
      server.node.close();
    }
  }
}
