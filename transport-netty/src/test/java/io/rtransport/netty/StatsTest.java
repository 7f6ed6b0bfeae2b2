package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.util.concurrent.Future;
import io.rtransport.core.stats.CounterId;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Counts are read on the event loop, whoever asks. */
@Timeout(60)
class StatsTest {
  @Test
  void shouldReadOnTheLoopAndAtOnceThere() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      pair.listen(SocketPair.handlers(new EchoTest.Echo()));
      Inbox inbox = new Inbox();
      RtChannel client = pair.connect(SocketPair.handlers(inbox));
      client.writeAndFlush(EchoTest.text("one")).sync();
      inbox.nextBytes();
      EventLoop loop = client.eventLoop();
      CountDownLatch busy = new CountDownLatch(1);
      loop.execute(
          () -> {
            try {
              busy.await(20, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
      Future<RtChannelStats> asked = client.stats();
      assertThat(asked.isDone()).as("read past the loop").isFalse();
      busy.countDown();
      RtChannelStats stats = asked.get(20, TimeUnit.SECONDS);
      assertThat(stats.messagesWritten()).isEqualTo(1);
      assertThat(stats.messagesRead()).isEqualTo(1);
      assertThat(stats.socketCalls()).isPositive();
      assertThat(stats.counters().get(CounterId.TRANSACTIONS_COMPLETED)).isEqualTo(1);
      assertThat(loop.submit(() -> client.stats().isDone()).get(20, TimeUnit.SECONDS)).isTrue();
      client.close().sync();
    }
  }

  @Test
  void shouldAnswerBeforeTheFirstLoopAndAfterTheLast() throws Exception {
    RtChannel client;
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      pair.listen(SocketPair.nothing());
      client = pair.connect(SocketPair.nothing());
      client.writeAndFlush(EchoTest.text("one")).sync();
      client.close().sync();
    }
    assertThat(client.stats().get(20, TimeUnit.SECONDS).messagesWritten()).isEqualTo(1);
    RtChannel never = RtChannels.client(NioDatagramChannel::new).newChannel();
    assertThat(never.stats().get(20, TimeUnit.SECONDS).messagesWritten()).isZero();
  }

  @Test
  void shouldCountForTheLoopWhatBelongsToNoConnection() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      RtServerChannel server = pair.listen(SocketPair.nothing());
      RtChannel client = pair.connect(SocketPair.nothing());
      client.writeAndFlush(EchoTest.text("one")).sync();
      Map<CounterId, Long> counters = server.loopCounters().get(20, TimeUnit.SECONDS);
      assertThat(counters.get(CounterId.CONNECTS_RECEIVED)).isPositive();
      assertThat(counters.get(CounterId.REQUESTS_DELIVERED)).isEqualTo(1);
      assertThat(counters).doesNotContainKey(CounterId.REJECTS_SENT);
      client.close().sync();
    }
  }
}
