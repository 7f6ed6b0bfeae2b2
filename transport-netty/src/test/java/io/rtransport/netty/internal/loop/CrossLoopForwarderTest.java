package io.rtransport.netty.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.FailingCall;
import io.rtransport.netty.SilentPort;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CrossLoopForwarderTest {
  private static final InetSocketAddress FROM = new InetSocketAddress("127.0.0.1", 9);

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
  private final EventLoop sourceLoop = (EventLoop) group.iterator().next();
  private final SilentPort port = new SilentPort();
  private EventLoop targetLoop;
  private LoopDriver source;
  private LoopDriver target;

  @BeforeEach
  void start() throws Exception {
    group.forEach(loop -> targetLoop = (EventLoop) loop);
    source = sourceLoop.submit(() -> LoopDrivers.of(sourceLoop)).get();
    target = targetLoop.submit(() -> LoopDrivers.of(targetLoop)).get();
  }

  @AfterEach
  void stop() {
    group.shutdownGracefully(0, 20, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private static PacketBatch batch(SilentPort port) {
    return batch(port, 1);
  }

  private static PacketBatch batch(SilentPort port, int packets) {
    PacketBatch batch = new PacketBatch(port);
    for (int i = 0; i < packets; i++) {
      assertThat(batch.add(ByteBuffer.allocate(100), 20, 40, FROM)).isTrue();
    }
    return batch;
  }

  private long counted(LoopDriver driver, CounterId id) throws Exception {
    return driver.loop().submit(() -> driver.counters().value(id)).get(20, TimeUnit.SECONDS);
  }

  private CountDownLatch blockTarget() throws Exception {
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    targetLoop.execute(
        () -> {
          blocked.countDown();
          try {
            release.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    blocked.await();
    return release;
  }

  @Test
  void shouldTakeWhatFitsItsInboxAndDropTheRest() throws Exception {
    CountDownLatch release = blockTarget();
    List<PacketBatch> taken = new ArrayList<>();
    for (int i = 0; i < CrossLoopForwarder.INBOX_BATCHES_MAX; i++) {
      PacketBatch batch = batch(port, PacketBatch.PACKETS_MAX);
      assertThat(target.forwarder().offer(batch)).isTrue();
      taken.add(batch);
    }
    PacketBatch tooMany = batch(port);
    assertThat(target.forwarder().offer(tooMany)).isFalse();
    tooMany.release();
    release.countDown();

    long dealtWith = counted(target, CounterId.DATAGRAMS_RECEIVED); // behind the hand-over's task
    assertThat(dealtWith).isEqualTo(CrossLoopForwarder.INBOX_BATCHES_MAX * PacketBatch.PACKETS_MAX);
    assertThat(target.forwarder().waiting()).isZero();
    assertThat(taken).allMatch(batch -> batch.bytes().refCnt() == 0);
    assertThat(target.forwarder().offer(batch(port))).isTrue();
  }

  @Test
  void shouldFillTheBatchThatWaitsLastBeforeItKeepsAnother() throws Exception {
    CountDownLatch release = blockTarget();
    SilentPort another = new SilentPort();
    for (int i = 0; i < PacketBatch.PACKETS_MAX; i++) {
      assertThat(target.forwarder().offer(batch(port))).isTrue();
    }
    assertThat(target.forwarder().waiting()).isEqualTo(1);
    assertThat(target.forwarder().offer(batch(port))).isTrue();
    assertThat(target.forwarder().waiting()).isEqualTo(2);
    assertThat(target.forwarder().offer(batch(another))).isTrue();
    assertThat(target.forwarder().waiting()).as("another port's batch").isEqualTo(3);
    PacketBatch bytes = new PacketBatch(another);
    assertThat(bytes.add(ByteBuffer.allocate(65_000), 0, 65_000, FROM)).isTrue();
    assertThat(target.forwarder().offer(bytes)).isTrue();
    assertThat(target.forwarder().waiting()).as("room for its bytes too").isEqualTo(3);
    PacketBatch more = new PacketBatch(another);
    assertThat(more.add(ByteBuffer.allocate(600), 0, 600, FROM)).isTrue();
    assertThat(target.forwarder().offer(more)).isTrue();
    assertThat(target.forwarder().waiting()).as("no room for its bytes").isEqualTo(4);
    release.countDown();
    assertThat(counted(target, CounterId.DATAGRAMS_RECEIVED))
        .isEqualTo(PacketBatch.PACKETS_MAX + 4);
  }

  @Test
  void shouldPostOneBatchAReadAndCountWhatItHandedOverAndWhatItCouldNot() throws Exception {
    CountDownLatch release = blockTarget();
    int read = PacketBatch.PACKETS_MAX;
    sourceLoop
        .submit(
            () -> {
              for (int i = 0; i < CrossLoopForwarder.INBOX_BATCHES_MAX + 2; i++) {
                for (int packet = 0; packet < read; packet++) {
                  ByteBuffer view = ByteBuffer.allocate(100);
                  source.forwarder().collect(target, port, view, 0, 60, FROM);
                }
                source.forwarder().postAll();
              }
            })
        .sync();
    assertThat(target.forwarder().waiting()).isEqualTo(CrossLoopForwarder.INBOX_BATCHES_MAX);
    release.countDown();

    assertThat(counted(source, CounterId.HANDED_OVER)).isEqualTo(64 * read);
    assertThat(counted(source, CounterId.HAND_OVERS_DROPPED)).isEqualTo(2 * read);
    assertThat(counted(target, CounterId.DATAGRAMS_RECEIVED)).isEqualTo(64 * read);
  }

  @Test
  void shouldTakeWhatWaitsThoughOneBatchFailsIt() throws Exception {
    CountDownLatch release = blockTarget();
    PacketBatch failing = batch(null); // a defect, or no memory
    assertThat(target.forwarder().offer(failing)).isTrue();
    assertThat(target.forwarder().offer(batch(port))).isTrue();
    assertThat(target.forwarder().offer(batch(port))).isTrue();
    release.countDown();

    await().until(() -> target.forwarder().waiting() == 0);
    assertThat(counted(target, CounterId.DATAGRAMS_RECEIVED)).isEqualTo(2);
    failing.release();
  }

  @Test
  void shouldDropAndCountAloneWhatThereIsNoMemoryFor() throws Exception {
    FailingCall call = new FailingCall(2);
    sourceLoop
        .submit(
            () -> {
              CrossLoopForwarder handOver = new CrossLoopForwarder(source, call.allocator());
              ByteBuffer view = ByteBuffer.allocate(60);
              handOver.collect(target, port, view, 0, 60, FROM);
              handOver.collect(target, new SilentPort(), view, 0, 60, FROM);
              handOver.collect(target, port, view, 0, 60, FROM);
              handOver.postAll();
            })
        .sync();
    assertThat(counted(source, CounterId.HANDED_OVER)).isEqualTo(2);
    assertThat(counted(source, CounterId.HAND_OVERS_DROPPED)).isEqualTo(1);
    assertThat(counted(target, CounterId.DATAGRAMS_RECEIVED)).isEqualTo(2);
    assertThat(call.heldBytes()).isZero();
  }

  /** Buffers that cannot become longer than they are. */
  private static ByteBufAllocator fixed() {
    return new AbstractByteBufAllocator(true) {
      @Override
      protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        throw new OutOfMemoryError("the test's");
      }

      @Override
      public boolean isDirectBufferPooled() {
        return false;
      }

      @Override
      protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        return new UnpooledDirectByteBuf(this, initialCapacity, maxCapacity) {
          @Override
          public ByteBuf capacity(int newCapacity) {
            throw new OutOfMemoryError("the test's");
          }
        };
      }
    };
  }

  @Test
  void shouldLeaveABatchAsItIsThatThereIsNoMemoryToFill() throws Exception {
    CountDownLatch release = blockTarget();
    int count = CrossLoopForwarder.INBOX_BATCHES_MAX;
    List<PacketBatch> offered = new ArrayList<>();
    for (int i = 0; i <= count; i++) {
      PacketBatch batch = new PacketBatch(port, fixed());
      assertThat(batch.add(ByteBuffer.allocate(1_400), 0, 1_400, FROM)).isTrue();
      assertThat(batch.add(ByteBuffer.allocate(1_400), 0, 1_400, FROM)).as("no memory").isFalse();
      assertThat(batch.count()).isEqualTo(1);
      assertThat(target.forwarder().offer(batch)).as("batch %d", i).isEqualTo(i < count);
      offered.add(batch);
    }
    offered.remove(count).release();
    assertThat(target.forwarder().waiting()).isEqualTo(count);
    release.countDown();
    assertThat(counted(target, CounterId.DATAGRAMS_RECEIVED)).isEqualTo(count);
    assertThat(offered).allMatch(batch -> batch.bytes().refCnt() == 0);
  }

  @Test
  void shouldDropAndCountWhatIsForALoopThatHasEnded() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    targetLoop.terminationFuture().addListener(ended -> closed.countDown()); // behind the driver's
    targetLoop.shutdownGracefully(0, 20, TimeUnit.SECONDS);
    assertThat(closed.await(20, TimeUnit.SECONDS)).isTrue();
    sourceLoop
        .submit(
            () -> {
              source.forwarder().collect(target, port, ByteBuffer.allocate(60), 0, 60, FROM);
              source.forwarder().postAll();
            })
        .sync();
    assertThat(counted(source, CounterId.HANDED_OVER)).isZero();
    assertThat(counted(source, CounterId.HAND_OVERS_DROPPED)).isEqualTo(1);
    assertThat(target.forwarder().waiting()).isZero();
  }

  @Test
  void shouldReleaseAndCountWhatWaitsWhenTheLoopEnds() throws Exception {
    CountDownLatch release = blockTarget();
    PacketBatch waiting = batch(port);
    assertThat(target.forwarder().offer(waiting)).isTrue();
    target.forwarder().close();
    release.countDown();

    assertThat(waiting.bytes().refCnt()).isZero();
    assertThat(counted(target, CounterId.HAND_OVERS_DROPPED)).isEqualTo(1);
    PacketBatch late = batch(port);
    assertThat(target.forwarder().offer(late)).isFalse();
    late.release();
  }

  @Test
  void shouldDropWhatIsForAPortThatHasClosed() throws Exception {
    SilentPort closed = new SilentPort();
    closed.release();
    PacketBatch batch = batch(closed);
    assertThat(target.forwarder().offer(batch)).isTrue();
    assertThat(counted(target, CounterId.HAND_OVERS_DROPPED)).isEqualTo(1);
    assertThat(batch.bytes().refCnt()).isZero();
  }

  @Test
  void shouldKeepPacketsEndToEndUpToItsBounds() {
    PacketBatch batch = new PacketBatch(port);
    for (int i = 0; i < PacketBatch.PACKETS_MAX; i++) {
      ByteBuffer view = ByteBuffer.allocate(1_000);
      view.put(10, (byte) i);
      assertThat(batch.add(view, 10, 900, FROM)).isTrue();
    }
    assertThat(batch.add(ByteBuffer.allocate(10), 0, 1, FROM)).isFalse();
    for (int i = 0; i < PacketBatch.PACKETS_MAX; i++) {
      assertThat(batch.bytes().getByte(900 * i)).isEqualTo((byte) i);
    }
    batch.release();

    PacketBatch large = new PacketBatch(port);
    assertThat(large.add(ByteBuffer.allocate(65_536), 0, 65_535, FROM)).isTrue();
    assertThat(large.add(ByteBuffer.allocate(2), 0, 2, FROM)).isFalse();
    assertThat(large.add(ByteBuffer.allocate(2), 0, 1, FROM)).isTrue();
    large.release();
  }

  @Test
  void shouldNumberLoopsApartAndUseAReturnedNumberLast() {
    LoopIndexes indexes = new LoopIndexes();
    for (int i = 0; i < 256; i++) {
      assertThat(indexes.take()).isEqualTo(i);
      if (i == 3) {
        indexes.giveBack(2);
      }
    }
    assertThat(indexes.take()).isEqualTo(2);
    assertThat(indexes.take()).isBetween(0, 255); // all are taken: shared
  }
}
