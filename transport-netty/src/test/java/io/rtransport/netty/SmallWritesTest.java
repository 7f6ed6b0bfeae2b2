package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.netty.handler.FaultInjectionHandler;
import io.rtransport.netty.handler.Faults;
import io.rtransport.netty.internal.write.CoalescedWrites;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Small buffers written with the void promise, which are copied together: order, content,
 * back-pressure, and every kind of end.
 */
@Timeout(240)
class SmallWritesTest {
  private static final int OVERHEAD = OutboundMessage.OVERHEAD_BYTES;
  private static final int SMALL = 64;
  private static final Duration LIMIT = Duration.ofSeconds(40);

  /** Keeps the sequence number in each message, and checks what is behind it. */
  private static final class Checking extends ChannelInboundHandlerAdapter {
    final List<Integer> sequences = new ArrayList<>();
    final AtomicInteger count = new AtomicInteger();
    volatile boolean isInactive;
    volatile String broken;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf buffer = message instanceof RtPush push ? push.content() : (ByteBuf) message;
      int sequence = buffer.readInt();
      for (int i = 0; buffer.isReadable(); i++) {
        if (buffer.readByte() != (byte) (sequence + i)) {
          broken = "message " + sequence + " at " + i;
        }
      }
      buffer.release();
      if (message instanceof RtPush push) {
        push.acknowledge();
      }
      sequences.add(sequence);
      count.incrementAndGet();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      isInactive = true;
    }
  }

  /** Counts what is told of void promises that failed. */
  private static final class Failures extends ChannelInboundHandlerAdapter {
    final AtomicInteger count = new AtomicInteger();

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      count.incrementAndGet();
    }
  }

  private static ByteBuf message(Channel channel, int sequence, int length) {
    ByteBuf buffer = channel.alloc().buffer(length, length).writeInt(sequence);
    for (int i = 0; i < length - 4; i++) {
      buffer.writeByte(sequence + i);
    }
    return buffer;
  }

  private static RtChannel connect(SocketPair pair, Checking atServer) throws Exception {
    pair.listen(SocketPair.handlers(atServer));
    return pair.connect(SocketPair.nothing());
  }

  private static void onLoop(RtChannel channel, Consumer<RtChannel> action) throws Exception {
    channel.eventLoop().submit(() -> action.accept(channel)).get(20, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldKeepTheOrderOfTheWritesWhateverTheyAre(TransportKind kind) throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int messages = 5_000;
    try (SocketPair pair = new SocketPair(kind)) {
      Checking checking = new Checking();
      RtChannel client = connect(pair, checking);
      onLoop(
          client,
          channel -> {
            for (int i = 0; i < messages; i++) {
              switch (random.nextInt(24)) {
                case 0 -> channel.write(message(channel, i, 9_000), channel.voidPromise());
                case 1 -> channel.write(message(channel, i, 257), channel.voidPromise());
                case 2 -> channel.write(Push.of(message(channel, i, SMALL)), channel.voidPromise());
                case 3 -> channel.write(message(channel, i, SMALL));
                case 4 -> {
                  channel.write(message(channel, i, SMALL), channel.voidPromise());
                  channel.flush();
                }
                default ->
                    channel.write(
                        message(channel, i, 4 + random.nextInt(253)), channel.voidPromise());
              }
            }
            channel.flush();
          });
      Progress.awaitCount(checking.count::get, messages);
      assertThat(checking.sequences).as("seed " + seed).isSorted().doesNotHaveDuplicates();
      assertThat(checking.broken).as("seed " + seed).isNull();
      await().until(() -> inside(client).writability().pendingBytes() == 0);
      onLoop(client, channel -> assertThat(inside(channel).writes().liveCount()).isZero());
    }
  }

  @Test
  void shouldCountEachForWritabilityAndReleaseItAtOnce() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      Checking checking = new Checking();
      RtChannel client = connect(pair, checking);
      onLoop(
          client,
          channel -> {
            long before = channel.bytesBeforeUnwritable();
            List<ByteBuf> written = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
              written.add(message(channel, i, SMALL));
              channel.write(written.get(i), channel.voidPromise());
              assertThat(channel.bytesBeforeUnwritable())
                  .isEqualTo(before - (i + 1) * (OVERHEAD + SMALL));
            }
            assertThat(written).extracting(ByteBuf::refCnt).containsOnly(0);
            assertThat(inside(channel).writes().liveCount()).isOne();
            channel.flush();
          });
      await().until(() -> checking.count.get() == 5);
      assertThat(inside(client).writability().pendingBytes()).isZero();
    }
  }

  @Test
  void shouldTakeTheBytesThatWereReadableAtTheWrite() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      Checking checking = new Checking();
      RtChannel client = connect(pair, checking);
      onLoop(
          client,
          channel -> {
            ByteBuf first = message(channel, 0, SMALL);
            channel.write(first.retain(), channel.voidPromise());
            first.skipBytes(7); // its reader goes on meanwhile
            channel.write(message(channel, 1, SMALL), channel.voidPromise());
            channel.flush();
            first.release();
          });
      await().until(() -> checking.count.get() == 2);
      assertThat(checking.sequences).containsExactly(0, 1);
      assertThat(checking.broken).isNull();
    }
  }

  @Test
  void shouldHoldFewRunsThoughEachFlushHasTwoMessages() throws Exception {
    int flushes = 2_000;
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      Checking checking = new Checking();
      pair.listen(
          SocketPair.handlers(checking), b -> b.childOption(ChannelOption.AUTO_READ, false));
      RtChannel client = pair.connect(SocketPair.nothing());
      onLoop(
          client,
          channel -> {
            for (int i = 0; i < flushes; i++) {
              channel.write(message(channel, 2 * i, SMALL), channel.voidPromise());
              channel.write(message(channel, 2 * i + 1, SMALL), channel.voidPromise());
              channel.flush();
            }
            int perRun = CoalescedWrites.CAPACITY_BYTES / (SMALL + 2);
            assertThat(inside(channel).writes().liveCount()).isLessThan(2 * flushes / perRun + 3);
            assertThat(inside(channel).writability().pendingBytes()).isPositive();
          });
      pair.child().config().setAutoRead(true);
      await().until(() -> checking.count.get() == 2 * flushes);
      assertThat(checking.sequences).isSorted().doesNotHaveDuplicates();
      assertThat(checking.broken).isNull();
      await().until(() -> inside(client).writability().pendingBytes() == 0);
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldKeepThemOverABadNetwork(TransportKind kind) throws Exception {
    int messages = 20_000;
    Faults bad = new Faults(0.05, 0.05, 0.1, 0.03, 100_000, 400_000);
    try (SocketPair pair = new SocketPair(kind)) {
      Checking checking = new Checking();
      FaultInjectionHandler atServer = new FaultInjectionHandler(bad, bad, 21);
      FaultInjectionHandler atClient = new FaultInjectionHandler(bad, bad, 22);
      pair.listen(
          child -> {
            atServer.addTo(child);
            child.pipeline().addLast(checking);
          });
      RtChannel client = pair.connect(atClient::addTo);
      AtomicInteger pulled = new AtomicInteger();
      onLoop(
          client,
          channel -> {
            for (int i = 0; i < messages; i++) {
              channel.write(message(channel, i, 4 + i % 200), channel.voidPromise());
              if (i % 1_000 == 999) {
                channel
                    .write(
                        Push.of(channel.alloc().buffer().writeInt(-1)).deadline(Duration.ofDays(1)))
                    .addListener(done -> pulled.addAndGet(done.isSuccess() ? 1 : 0));
                channel.flush();
              }
            }
          });
      Progress.awaitCount(checking.count::get, messages + messages / 1_000);
      checking.sequences.removeIf(sequence -> sequence < 0);
      assertThat(checking.sequences).hasSize(messages).isSorted().doesNotHaveDuplicates();
      assertThat(checking.broken).isNull();
      await().until(() -> pulled.get() == messages / 1_000);
      assertThat(atServer.lostCount() + atClient.lostCount()).isPositive();
    }
  }

  private static void shouldStandAlone(int length, Consumer<RtChannel> prepare) throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      Checking checking = new Checking();
      RtChannel client = connect(pair, checking);
      prepare.accept(client);
      onLoop(
          client,
          channel -> {
            channel.write(message(channel, 0, length), channel.voidPromise());
            channel.write(message(channel, 1, length), channel.voidPromise());
            assertThat(inside(channel).writes().liveCount()).isEqualTo(2);
            channel.flush();
          });
      await().until(() -> checking.count.get() == 2);
    }
  }

  @Test
  void shouldKeepLongerOnesAsTheyAre() throws Exception {
    shouldStandAlone(PushSupplier.LENGTH_BYTES_MAX + 1, client -> {});
  }

  @Test
  void shouldKeepThemAsTheyAreWhereWritesCompleteEarlier() throws Exception {
    shouldStandAlone(
        SMALL,
        client ->
            client
                .config()
                .setOption(RtChannelOption.WRITE_COMPLETES, RtChannelOption.WriteCompletes.SENT));
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldDrainThemBeforeTheClose(TransportKind kind) throws Exception {
    int messages = 20_000;
    try (SocketPair pair = new SocketPair(kind)) {
      Checking checking = new Checking();
      RtChannel client = connect(pair, checking);
      onLoop(
          client,
          channel -> {
            for (int i = 0; i < messages; i++) {
              channel.write(message(channel, i, SMALL), channel.voidPromise());
            }
            channel.flush();
            channel.close();
          });
      await().atMost(LIMIT).until(() -> checking.isInactive);
      assertThat(checking.count).hasValue(messages);
    }
  }

  @Test
  void shouldFailEachThatWasNotFlushed() throws Exception {
    Failures failures = new Failures();
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      Checking checking = new Checking();
      pair.listen(SocketPair.handlers(checking));
      RtChannel client = pair.connect(SocketPair.handlers(failures));
      onLoop(
          client,
          channel -> {
            for (int i = 0; i < 3; i++) {
              channel.write(message(channel, i, SMALL), channel.voidPromise());
            }
            channel.close();
          });
      await().until(() -> checking.isInactive);
      client.closeFuture().sync();
      assertThat(checking.count).hasValue(0);
      assertThat(failures.count).hasValue(3);
      assertThat(inside(client).writability().pendingBytes()).isZero();
    }
  }

  @Test
  void shouldFailEachThatWasNotTakenWhenTheConnectionEnds() throws Exception {
    Failures failures = new Failures();
    int messages = 50_000;
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      Checking checking = new Checking();
      pair.listen(
          SocketPair.handlers(checking),
          b -> b.childOption(ChannelOption.AUTO_READ, false)); // nothing is ever acknowledged
      RtChannel client = pair.connect(SocketPair.handlers(failures));
      onLoop(
          client,
          channel -> {
            for (int i = 0; i < messages; i++) {
              channel.write(message(channel, i, SMALL), channel.voidPromise());
            }
            channel.flush();
          });
      RtChannel child = pair.child();
      child.config().setOption(ChannelOption.SO_LINGER, 0);
      child.close().sync();
      client.closeFuture().sync();
      await().until(() -> inside(client).writability().pendingBytes() == 0);
      onLoop(client, channel -> assertThat(inside(channel).writes().liveCount()).isZero());
      // All of them, if the end comes as a RESET; the first refusal of one ends the channel too,
      // and then nobody hears of those that the peer had.
      assertThat(failures.count.get()).isBetween(messages / 2, messages + 1);
    }
  }
}
