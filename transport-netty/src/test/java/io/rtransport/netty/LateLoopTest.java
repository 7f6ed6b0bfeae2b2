package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.rtransport.core.stats.CounterId;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * An event loop that stood still finds timers that are due and, unread behind much else, what they
 * wait for.
 */
@Timeout(60)
class LateLoopTest {
  /** Several read batches, and less than the socket's buffer holds. */
  private static final int STRANGERS = 150;

  /** Longer than any timer of a connection that has measured its path. */
  private static final Duration STANDSTILL = Duration.ofMillis(300);

  private static final class Counting extends ChannelInboundHandlerAdapter {
    private final AtomicInteger messages = new AtomicInteger();

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
      messages.incrementAndGet();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldReadItsSocketBeforeTimersActThatWaitForWhatLiesThere(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      RtServerChannel server = pair.listen(SocketPair.nothing());
      Counting counting = new Counting();
      RtChannel client = pair.connect(SocketPair.handlers(counting));
      RtChannel child = pair.child();
      int sent = 0;
      for (; sent < 20; sent++) { // the path is measured
        child.writeAndFlush(EchoTest.text("one")).sync();
      }
      long resentBefore = resent(child);
      int expected = sent + 1;
      Callable<?> standStill =
          () -> {
            long startNs = System.nanoTime();
            await()
                .until(
                    () ->
                        counting.messages.get() == expected
                            && System.nanoTime() - startNs > STANDSTILL.toNanos());
            return null;
          };
      Callable<Future<?>> write =
          () -> {
            knock(server.localAddress());
            child.writeAndFlush(EchoTest.text("the answer will lie behind those"));
            return child.eventLoop().submit(standStill); // behind the task in which that leaves
          };
      child.eventLoop().submit(write).get(20, TimeUnit.SECONDS).get(20, TimeUnit.SECONDS);
      await().until(() -> count(child, CounterId.TRANSACTIONS_COMPLETED) == expected);
      assertThat(resent(child)).as("resends of the late loop").isEqualTo(resentBefore);
      assertThat(count(child, CounterId.TIMERS_PUT_OFF)).as("else it proves nothing").isPositive();
      client.close().sync();
    }
  }

  private static long resent(RtChannel channel) throws Exception {
    return count(channel, CounterId.RETRANSMITS_PROBE)
        + count(channel, CounterId.RETRANSMITS_TIMEOUT);
  }

  private static long count(RtChannel channel, CounterId id) throws Exception {
    return channel.stats().get(20, TimeUnit.SECONDS).counters().getOrDefault(id, 0L);
  }

  private static void knock(InetSocketAddress at) throws Exception {
    try (DatagramSocket stranger = new DatagramSocket()) {
      for (int i = 0; i < STRANGERS; i++) {
        stranger.send(new DatagramPacket(new byte[8], 8, at));
      }
    }
  }
}
