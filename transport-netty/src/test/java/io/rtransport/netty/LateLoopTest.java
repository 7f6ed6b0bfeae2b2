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

  /** Longer than any timer of a connection that has measured its path on a quiet machine. */
  private static final long STANDSTILL_NS = TimeUnit.MILLISECONDS.toNanos(300);

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
      // Of a path that is slow because the machine is busy, the timers are longer too.
      long standstillNs = STANDSTILL_NS;
      long putOffBefore = count(child, CounterId.TIMERS_PUT_OFF);
      do {
        sent++;
        writeAndStandStill(server, child, counting, sent, standstillNs);
        long completed = sent;
        await().until(() -> count(child, CounterId.TRANSACTIONS_COMPLETED) == completed);
        assertThat(resent(child)).as("resends of the late loop").isEqualTo(resentBefore);
        standstillNs *= 2;
      } while (count(child, CounterId.TIMERS_PUT_OFF) == putOffBefore
          && standstillNs < 32 * STANDSTILL_NS);
      assertThat(count(child, CounterId.TIMERS_PUT_OFF))
          .as("else it proves nothing")
          .isGreaterThan(putOffBefore);
      client.close().sync();
    }
  }

  /** Writes a message. The child's loop does nothing more until its answer lies in the socket. */
  private static void writeAndStandStill(
      RtServerChannel server, RtChannel child, Counting counting, int expected, long standstillNs)
      throws Exception {
    Callable<?> standStill =
        () -> {
          long startNs = System.nanoTime();
          await()
              .until(
                  () ->
                      counting.messages.get() == expected
                          && System.nanoTime() - startNs > standstillNs);
          return null;
        };
    Callable<Future<?>> write =
        () -> {
          knock(server.localAddress());
          child.writeAndFlush(EchoTest.text("the answer will lie behind those"));
          return child.eventLoop().submit(standStill); // behind the task in which that leaves
        };
    child.eventLoop().submit(write).get(20, TimeUnit.SECONDS).get(40, TimeUnit.SECONDS);
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
