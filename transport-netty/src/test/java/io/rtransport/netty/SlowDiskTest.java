package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.internal.file.FileBlocks;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** A disk whose every write takes half a second, beside echoes over the same event loop. */
@Timeout(90)
class SlowDiskTest {
  private static final int WRITE_MILLIS = 500;

  /** Writes that echoes are measured beside. */
  private static final int WRITES = 4;

  private static final int LENGTH = 6 << 20;
  private static final int ECHOES_MAX = 1_000_000;

  private final FileBlocks blocks = new FileBlocks(FileBlocks.BLOCKS_MAX);
  private final byte[] stored = new byte[LENGTH];
  private final GatedFile file = new GatedFile(stored);
  private final long[] latencyNs = new long[ECHOES_MAX];
  private int echoes;
  private long bytesMax;

  @ParameterizedTest
  @NioAndEpoll
  void shouldEchoWhileEachWriteTakesHalfASecond(TransportKind kind) throws Exception {
    file.delayMillis = WRITE_MILLIS;
    byte[] content = TransactionTest.random(LENGTH, 4);
    PayloadSinks sinks =
        (channel, length, header) -> header.length == 0 ? null : new RtFileSink(blocks, file, 0, 0);
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.nothing(), b -> b.childOption(RtChannelOption.PAYLOAD_SINKS, sinks));
      RtChannel sender = pair.connect(SocketPair.nothing());
      RtChannel other = pair.connect(SocketPair.nothing());
      echo(other, 2_000);
      echoes = 0;
      ChannelFuture push =
          sender.writeAndFlush(Push.of(Unpooled.wrappedBuffer(content.clone()), new byte[1]));
      await().until(() -> file.waiting.get() == 1);
      for (int write = 0; write < WRITES; write++) {
        int before = echoes;
        int calls = file.callCount.get();
        while (file.callCount.get() == calls) {
          echo(other, 1);
        }
        assertThat(echoes - before).as("echoes beside a write").isGreaterThan(1);
      }
      assertThat(push.isDone()).isFalse();
      report(kind, sender, other);
      assertThat(bytesMax).as("memory of the transfer").isBetween(3L << 19, 4L << 20);
      file.delayMillis = 0;
      file.open();
      assertThat(push.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(push.cause()).isNull();
      assertThat(stored).isEqualTo(content);
      assertThat(sender.isActive() && other.isActive()).isTrue();
      sender.close().sync();
      other.close().sync();
    }
    await().until(() -> blocks.usedCount() == 0 && blocks.ownCount() == 0);
  }

  private void echo(RtChannel channel, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      long beganNs = System.nanoTime();
      ChannelFuture echo = channel.writeAndFlush(EchoTest.text("echo"));
      assertThat(echo.await(20, TimeUnit.SECONDS)).isTrue();
      latencyNs[echoes++] = System.nanoTime() - beganNs;
      bytesMax =
          Math.max(
              bytesMax, (blocks.usedCount() + blocks.ownCount()) * (long) FileBlocks.BLOCK_BYTES);
    }
  }

  private void report(TransportKind kind, RtChannel... channels) throws Exception {
    long timeouts = 0;
    for (RtChannel channel : channels) {
      var counters = channel.stats().sync().getNow().counters();
      timeouts += counters.getOrDefault(CounterId.TIMEOUTS, 0L);
    }
    long[] sorted = Arrays.copyOf(latencyNs, echoes);
    Arrays.sort(sorted);
    System.out.printf(
        "%s: %,d echoes beside %d writes of %d ms: p50 %.3f ms, p99 %.3f ms, highest %.3f ms;"
            + " transfer %.2f MiB, timeouts %d%n",
        kind,
        echoes,
        WRITES,
        WRITE_MILLIS,
        sorted[echoes / 2] / 1e6,
        sorted[echoes * 99 / 100] / 1e6,
        sorted[echoes - 1] / 1e6,
        bytesMax / 1048576.0,
        timeouts);
  }
}
