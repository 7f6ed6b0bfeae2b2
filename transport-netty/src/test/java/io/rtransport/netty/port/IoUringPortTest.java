package io.rtransport.netty.port;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.uring.IoUringDatagramChannel;
import io.netty.util.NetUtil;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.window.StoredPacket;
import io.rtransport.netty.NobodysPort;
import io.rtransport.netty.RtChannels;
import io.rtransport.netty.TransportKind;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A port over a socket whose sends end in a later turn than they begin in. */
@Timeout(60)
class IoUringPortTest {
  private static final PortConfig CONFIG =
      new PortConfig(1_408, true, 1 << 20, 0, 0, false, true, false);
  private static final InetSocketAddress ANY = new InetSocketAddress(NetUtil.LOCALHOST4, 0);
  private static final int LENGTH = 1_000;

  @BeforeEach
  void assumeIoUring() {
    TransportKind.IO_URING.assumeAvailable();
  }

  private static PortBench bench() {
    return new PortBench(RtChannels.ioUring());
  }

  private static RtPort open(PortBench bench, InetSocketAddress local, InetSocketAddress remote)
      throws Exception {
    return bench.onLoop(
        () -> DatagramPort.factory(IoUringDatagramChannel::new).open(bench, CONFIG, local, remote));
  }

  private static PacketBurst burst(StoredPacket... packets) {
    PacketBurst burst = new PacketBurst();
    for (StoredPacket packet : packets) {
      burst.add(packet.store().memory(), packet.offset(), packet.length(), 0, packet.token());
    }
    return burst;
  }

  /**
   * The window gives a slot up when its packet is acknowledged; the kernel may not have read it
   * yet.
   */
  @Test
  void shouldNotLetASlotBeUsedAnewBeforeTheKernelHasSentIt() throws Exception {
    try (PortBench left = bench();
        PortBench right = bench()) {
      RtPort to = open(right, ANY, null);
      RtPort from = open(left, ANY, to.localAddress());
      int offset =
          left.onLoop(
              () -> {
                StoredPacket first = new StoredPacket(left.store(), LENGTH, (byte) 1);
                from.send(burst(first), null);
                first.acknowledge();
                StoredPacket second = new StoredPacket(left.store(), LENGTH, (byte) 2);
                assertThat(second.offset()).as("of another slot").isNotEqualTo(first.offset());
                from.send(burst(second), null);
                second.acknowledge();
                return first.offset();
              });
      assertThat(right.next().bytes()).containsOnly(1).hasSize(LENGTH);
      assertThat(right.next().bytes()).containsOnly(2).hasSize(LENGTH);
      List<StoredPacket> later = new ArrayList<>();
      await()
          .atMost(20, TimeUnit.SECONDS)
          .until(
              () ->
                  left.onLoop(
                      () -> {
                        later.forEach(StoredPacket::acknowledge);
                        later.clear();
                        for (int i = 0; i < 2; i++) {
                          later.add(new StoredPacket(left.store(), LENGTH, (byte) 3));
                        }
                        return later.stream().anyMatch(packet -> packet.offset() == offset);
                      }));
      left.close(from);
      right.close(to);
    }
  }

  /** A connection that began at it would have a port that closes under it. */
  @Test
  void shouldTakeNothingWhileItOnlySendsWhatIsLeft() throws Exception {
    List<Runnable> held = new ArrayList<>();
    Supplier<DatagramChannel> sockets =
        () -> {
          IoUringDatagramChannel socket = new IoUringDatagramChannel();
          socket
              .pipeline()
              .addLast(
                  new ChannelOutboundHandlerAdapter() {
                    @Override
                    public void write(
                        ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                      held.add(() -> ctx.writeAndFlush(message, promise));
                    }
                  });
          return socket;
        };
    try (PortBench left = bench();
        PortBench right = bench()) {
      RtPort from = open(left, ANY, null);
      RtPort closing =
          right.onLoop(() -> DatagramPort.factory(sockets).open(right, CONFIG, ANY, null));
      right.onLoop(
          () -> {
            closing.send(
                burst(new StoredPacket(right.store(), LENGTH, (byte) 1)), from.localAddress());
            closing.release();
            return null;
          });
      left.onLoop(
          () -> {
            from.send(ByteBuffer.allocate(60), 0, 60, closing.localAddress());
            return null;
          });
      await().atMost(20, TimeUnit.SECONDS).until(() -> right.news.contains("complete"));
      assertThat(right.arrivals).isEmpty();
      right.onLoop(
          () -> {
            held.forEach(Runnable::run);
            return null;
          });
      assertThat(left.next().bytes()).hasSize(LENGTH);
      await().atMost(20, TimeUnit.SECONDS).until(() -> right.news.contains("closed"));
      left.close(from);
    }
  }

  @Test
  void shouldHaveRoomForSomeSendsAndSayWhenItHasAgain() throws Exception {
    try (PortBench left = bench();
        PortBench right = bench()) {
      RtPort to = open(right, ANY, null);
      RtPort from = open(left, ANY, null);
      left.onLoop(
          () -> {
            for (int i = 0; i < DatagramPort.SENDS_MAX; i++) {
              assertThat(from.hasRoom()).as("before send %d", i).isTrue();
              StoredPacket packet = new StoredPacket(left.store(), LENGTH, (byte) i);
              from.send(burst(packet), to.localAddress());
              packet.acknowledge();
            }
            assertThat(from.hasRoom()).isFalse();
            from.send(ByteBuffer.allocate(40), 0, 40, to.localAddress()); // a stranger's: dropped
            return null;
          });
      for (int i = 0; i < DatagramPort.SENDS_MAX; i++) {
        assertThat(right.next().bytes()).containsOnly(i).hasSize(LENGTH);
      }
      await().atMost(20, TimeUnit.SECONDS).until(() -> left.news.contains("room"));
      assertThat(left.onLoop(from::hasRoom)).isTrue();
      left.onLoop(
          () -> {
            from.send(ByteBuffer.allocate(50), 0, 50, to.localAddress());
            return null;
          });
      assertThat(right.next().bytes()).hasSize(50);
      left.close(from);
      right.close(to);
    }
  }

  @Test
  void shouldSendWhatItWasGivenBeforeItCloses() throws Exception {
    int count = 40;
    try (PortBench left = bench();
        PortBench right = bench()) {
      RtPort to = open(right, ANY, null);
      RtPort from = open(left, ANY, to.localAddress());
      left.onLoop(
          () -> {
            for (int i = 0; i < count; i++) {
              StoredPacket packet = new StoredPacket(left.store(), LENGTH, (byte) i);
              from.send(burst(packet), null);
              packet.acknowledge();
            }
            from.release();
            return null;
          });
      for (int i = 0; i < count; i++) {
        assertThat(right.next().bytes()).containsOnly(i);
      }
      await().atMost(20, TimeUnit.SECONDS).until(() -> left.news.contains("closed"));
      right.close(to);
    }
  }

  @Test
  void shouldBringEverySegmentOfARunAtItsOwnLength() throws Exception {
    try (PortBench left = bench();
        PortBench right = bench()) {
      RtPort to = open(right, ANY, null);
      RtPort from = open(left, ANY, to.localAddress());
      int count = 46;
      left.onLoop(
          () -> {
            StoredPacket block = new StoredPacket(left.store(), 8_000, (byte) 0);
            PacketBurst run = new PacketBurst();
            for (int i = 0; i < count; i++) {
              int length = i == count - 1 ? 70 : 170;
              left.store().memory().put(block.offset() + i * 170, (byte) i);
              run.add(left.store().memory(), block.offset() + i * 170, length, 0, block.token());
            }
            from.send(run, null);
            block.acknowledge();
            return null;
          });
      for (int i = 0; i < count; i++) {
        byte[] segment = right.next().bytes();
        assertThat(segment).as("segment %d", i).hasSize(i == count - 1 ? 70 : 170);
        assertThat(segment[0]).isEqualTo((byte) i);
        assertThat(segment[69]).as("in its place").isEqualTo((byte) 0);
      }
      assertThat(right.onLoop(to::socketCalls))
          .as("reads of up to %d datagrams each", DatagramPort.READS_AT_ONCE)
          .isLessThan(count);
      assertThat(left.onLoop(from::refusedSegmentSends)).isZero();
      assertThat(left.onLoop(from::socketCalls)).as("sends, and reads begun").isLessThan(5);
      left.close(from);
      right.close(to);
    }
  }

  @Test
  void shouldKnowItsAddressAndSayThatNobodyListens() throws Exception {
    try (PortBench bench = bench();
        NobodysPort nobody = new NobodysPort()) {
      RtPort from = open(bench, null, nobody.address());
      assertThat(from.localAddress().getAddress()).isEqualTo(NetUtil.LOCALHOST4);
      assertThat(from.remoteAddress()).isEqualTo(nobody.address());
      bench.onLoop(
          () -> {
            StoredPacket packet = new StoredPacket(bench.store(), LENGTH, (byte) 1);
            from.send(burst(packet), null);
            packet.acknowledge();
            return null;
          });
      await().atMost(20, TimeUnit.SECONDS).until(() -> bench.news.contains("NO_LISTENER"));
      bench.close(from);
    }
  }

  @Test
  void shouldRefuseAPortInUse() throws Exception {
    try (PortBench bench = bench()) {
      RtPort first = open(bench, ANY, null);
      assertThatThrownBy(() -> open(bench, first.localAddress(), null))
          .isInstanceOf(ExecutionException.class)
          .cause()
          .satisfies(
              cause -> assertThat(cause.toString()).containsIgnoringCase("address already in use"));
      bench.close(first);
    }
  }
}
