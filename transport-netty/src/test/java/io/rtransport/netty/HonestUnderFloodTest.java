package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.Future;
import io.rtransport.core.proof.ProofShare;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * An honest client on real sockets, a thousand messages a second, open loop, while a flood of
 * hostile datagrams comes in at the same port: none of its messages fails. The whole proof floods
 * with 50,000 a second and holds how long messages take against a bound, on a machine that does
 * nothing else; a share of it runs where others compute too: it floods with a fifth of that, and
 * only prints how long they take. So it is with the flood's first seconds, in which a JVM that
 * never saw such packets compiles what drops them, on the cores that should run it.
 */
@Tag("proof")
class HonestUnderFloodTest {
  private static final int HONEST_PER_SECOND = 1_000;
  private static final int HOSTILE_PER_SECOND = 50_000;
  private static final int HOSTILE_PER_SECOND_OF_A_SHARE = 10_000;
  private static final int MESSAGE_BYTES = 64;
  private static final double P99_MILLIS_MAX = 20;

  /** Latencies from the scheduled time, ns; 0 while a message is on its way. */
  private record Measured(AtomicLongArray latenciesNs, int failed, long hostile, double seconds) {
    double millis(double quantile) {
      long[] sorted = new long[latenciesNs.length()];
      Arrays.setAll(sorted, latenciesNs::get);
      Arrays.sort(sorted);
      return sorted[(int) Math.ceil(quantile * sorted.length) - 1] / 1e6;
    }

    void print(String name) {
      System.out.printf(
          Locale.ROOT,
          "%-22s hostile/s %,8.0f  messages %,7d  failed %d  p50 %.2f ms  p99 %.2f ms  max %.1f ms%n",
          name,
          hostile / seconds,
          latenciesNs.length(),
          failed,
          millis(0.5),
          millis(0.99),
          millis(1));
    }
  }

  private static final class Taking extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
    }
  }

  private final ResourceLeakDetector.Level levelOfTheTests = ResourceLeakDetector.getLevel();

  /**
   * The others look for leaks in every buffer, which takes longer than all that is measured here.
   */
  @BeforeEach
  void lookForNoLeaks() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
  }

  @AfterEach
  void lookForLeaksAgain() {
    ResourceLeakDetector.setLevel(levelOfTheTests);
  }

  @Test
  void shouldFailNoMessageOfAnHonestClientUnderAFloodOfHostilePackets() throws Exception {
    boolean isWhole = Double.parseDouble(System.getProperty("rt.proof.share", "1")) == 1;
    int hostilePerSecond = isWhole ? HOSTILE_PER_SECOND : HOSTILE_PER_SECOND_OF_A_SHARE;
    Duration duration = new ProofShare().time(Duration.ofSeconds(5), Duration.ofSeconds(60));
    try (SocketPair pair = new SocketPair(TransportKind.EPOLL)) {
      RtServerChannel server = pair.listen(child -> child.pipeline().addLast(new Taking()));
      RtChannel client = pair.connect(channel -> {});
      measure(client, Duration.ofSeconds(2), null).print("warm-up");
      measure(client, duration.dividedBy(2), null).print("alone");
      Measured first;
      Measured beside;
      try (Flood flood = new Flood(server.localAddress(), hostilePerSecond)) {
        first = measure(client, Duration.ofSeconds(5), flood);
        beside = measure(client, duration, flood);
      }
      first.print("the flood's first 5 s");
      beside.print("under the flood");
      assertThat(first.failed + beside.failed).isZero();
      assertThat(first.millis(1)).as("the longest of the first, ms").isLessThan(10_000);
      assertThat(client.isActive()).isTrue();
      if (isWhole) {
        assertThat(beside.hostile / beside.seconds).isGreaterThan(0.9 * HOSTILE_PER_SECOND);
        assertThat(beside.millis(0.99)).as("p99, ms").isLessThanOrEqualTo(P99_MILLIS_MAX);
      }
    }
  }

  private static Measured measure(RtChannel client, Duration duration, Flood flood) {
    int messages = (int) (duration.toMillis() * HONEST_PER_SECOND / 1_000);
    AtomicLongArray latenciesNs = new AtomicLongArray(messages);
    AtomicInteger failed = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    long hostileBefore = flood == null ? 0 : flood.sent();
    long startNs = System.nanoTime();
    AtomicInteger next = new AtomicInteger();
    long periodNs = TimeUnit.SECONDS.toNanos(1) / HONEST_PER_SECOND;
    Runnable send =
        () -> {
          int index = next.getAndIncrement();
          long dueNs = startNs + index * periodNs;
          client
              .writeAndFlush(Unpooled.wrappedBuffer(new byte[MESSAGE_BYTES]))
              .addListener(
                  done -> {
                    latenciesNs.set(index, System.nanoTime() - dueNs);
                    failed.addAndGet(done.isSuccess() ? 0 : 1);
                    ended.incrementAndGet();
                  });
        };
    EventLoop loop = client.eventLoop();
    Future<?> clock =
        loop.scheduleAtFixedRate(
            () -> {
              if (next.get() < messages) {
                send.run();
              }
            },
            0,
            periodNs,
            TimeUnit.NANOSECONDS);
    await().atMost(duration.plusSeconds(60)).until(() -> next.get() == messages);
    clock.cancel(false);
    double seconds = (System.nanoTime() - startNs) / 1e9;
    long hostile = flood == null ? 0 : flood.sent() - hostileBefore;
    await().atMost(Duration.ofSeconds(60)).until(() -> ended.get() == messages);
    return new Measured(latenciesNs, failed.get(), hostile, seconds);
  }
}
