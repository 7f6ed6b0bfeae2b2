package io.rtransport.netty.port;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.unix.Errors.NativeIoException;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.unix.SegmentedDatagramPacket;
import io.netty.util.NetUtil;
import io.netty.util.ReferenceCountUtil;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.netty.NobodysPort;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class DatagramPortTest {
  private static final PortConfig CONFIG =
      new PortConfig(1_408, true, 1 << 20, 0, 0, false, true, false);
  private static final InetSocketAddress ANY = new InetSocketAddress(NetUtil.LOCALHOST4, 0);
  private static final int TOKEN = 0;
  private static final IntegerUnixChannelOption SO_NO_CHECK =
      new IntegerUnixChannelOption("SO_NO_CHECK", 1, 11);

  private static IoHandlerFactory handlers(boolean isEpoll) {
    return isEpoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
  }

  private static Supplier<DatagramChannel> sockets(boolean isEpoll) {
    return isEpoll ? EpollDatagramChannel::new : NioDatagramChannel::new;
  }

  private static RtPort open(
      PortBench bench, boolean isEpoll, InetSocketAddress local, InetSocketAddress remote)
      throws Exception {
    return bench.onLoop(
        () -> DatagramPort.factory(sockets(isEpoll)).open(bench, CONFIG, local, remote));
  }

  /** {@code count} packets end to end in the store, of {@code length} bytes but for the last. */
  private static PacketBurst run(
      PortBench bench, int count, int length, int lastLength, int token) {
    PacketBurst burst = new PacketBurst();
    ByteBuffer memory = bench.store().memory();
    int offset = 0;
    for (int i = 0; i < count; i++) {
      int packetLength = i == count - 1 ? lastLength : length;
      for (int k = 0; k < packetLength; k++) {
        memory.put(offset + k, (byte) (i + k));
      }
      assertThat(burst.add(memory, offset, packetLength, 0, token)).isTrue();
      offset += packetLength;
    }
    return burst;
  }

  private static void send(PortBench bench, RtPort port, PacketBurst burst, InetSocketAddress to)
      throws Exception {
    bench.onLoop(
        () -> {
          port.send(burst, to);
          return null;
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldBringEverySegmentOfARunAtItsOwnLength(boolean isEpoll) throws Exception {
    try (PortBench left = new PortBench(handlers(isEpoll));
        PortBench right = new PortBench(handlers(isEpoll))) {
      RtPort to = open(right, isEpoll, ANY, null);
      RtPort from = open(left, isEpoll, ANY, to.localAddress());
      send(left, from, run(left, 46, 1_408, 700, TOKEN), null);
      int coalesced = 0;
      for (int i = 0; i < 46; i++) {
        PortBench.Arrival arrival = right.next();
        assertThat(arrival.bytes()).as("segment %d", i).hasSize(i == 45 ? 700 : 1_408);
        assertThat(arrival.bytes()[0]).isEqualTo((byte) i);
        assertThat(arrival.bytes()[699]).isEqualTo((byte) (i + 699));
        assertThat(arrival.from()).isEqualTo(from.localAddress());
        coalesced = Math.max(coalesced, arrival.indexInRead());
      }
      if (isEpoll) {
        assertThat(coalesced).as("segments in one read").isGreaterThan(8);
        assertThat(from.socketCalls()).as("socket calls for 46 packets").isLessThan(5);
      }
      left.close(from);
      right.close(to);
    }
  }

  /**
   * Refuses GSO sends, at once or when told to, as the kernel does for an interface without
   * checksum offload.
   */
  private static final class NoSegments extends ChannelOutboundHandlerAdapter {
    private final boolean isLate;
    private final List<ChannelPromise> waiting = new ArrayList<>();
    private int refused;
    private Runnable onFlush = () -> {};

    NoSegments(boolean isLate) {
      this.isLate = isLate;
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      if (!(message instanceof SegmentedDatagramPacket)) {
        ctx.write(message, promise);
        return;
      }
      refused++;
      ReferenceCountUtil.release(message);
      if (isLate) {
        waiting.add(promise);
      } else {
        promise.setFailure(new NativeIoException("sendmmsg", -5, false));
      }
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
      ctx.flush();
      Runnable once = onFlush;
      onFlush = () -> {};
      once.run();
    }

    void refuseNow() {
      waiting.forEach(p -> p.setFailure(new NativeIoException("sendmmsg", -22, false)));
    }
  }

  private static RtPort openBehind(NoSegments refusing, PortBench bench) throws Exception {
    Supplier<DatagramChannel> sockets =
        () -> {
          EpollDatagramChannel socket = new EpollDatagramChannel();
          socket.pipeline().addLast(refusing);
          return socket;
        };
    return bench.onLoop(() -> DatagramPort.factory(sockets).open(bench, CONFIG, ANY, null));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldSendPieceByPieceWhatTheKernelDoesNotCut(boolean isLate) throws Exception {
    NoSegments refusing = new NoSegments(isLate);
    try (PortBench left = new PortBench(handlers(true));
        PortBench right = new PortBench(handlers(true))) {
      RtPort to = open(right, true, ANY, null);
      RtPort from = openBehind(refusing, left);
      PacketBurst burst = run(left, 40, 500, 300, TOKEN);
      burst.drop(20); // two runs
      left.store().pin(TOKEN); // in place of the window, which holds what is not acknowledged
      send(left, from, burst, to.localAddress());
      assertThat(from.hasRoom()).isEqualTo(!isLate);
      left.onLoop(
          () -> {
            refusing.refuseNow();
            return null;
          });
      Set<Byte> arrived = new HashSet<>();
      for (int i = 0; i < 39; i++) {
        byte[] bytes = right.next().bytes();
        assertThat(bytes).hasSize(bytes[0] == 39 ? 300 : 500);
        arrived.add(bytes[0]);
      }
      assertThat(arrived).as("each once").hasSize(39).doesNotContain((byte) 20);
      assertThat(left.onLoop(from::refusedSegmentSends)).isEqualTo(2);
      assertThat(left.onLoop(from::hasRoom)).isTrue();
      send(left, from, run(left, 3, 500, 500, TOKEN), to.localAddress());
      for (int i = 0; i < 3; i++) {
        assertThat(right.next().bytes()[0]).isEqualTo((byte) i);
      }
      assertThat(refusing.refused).as("tried no more").isEqualTo(2);
      assertThat(right.arrivals).isEmpty();
      left.close(from);
      right.close(to);
    }
  }

  /**
   * A flush may end promises, and their listeners may send: then the port sends while it looks at
   * what it has sent.
   */
  @Test
  void shouldSendARefusedRunOnceThoughItsFlushLeadsToAnotherSend() throws Exception {
    NoSegments refusing = new NoSegments(false);
    try (PortBench left = new PortBench(handlers(true));
        PortBench right = new PortBench(handlers(true))) {
      RtPort to = open(right, true, ANY, null);
      RtPort from = openBehind(refusing, left);
      PacketBurst burst = run(left, 9, 500, 300, TOKEN);
      burst.drop(4); // two runs
      ByteBuffer control = ByteBuffer.wrap(new byte[] {9, 8, 7, 6});
      PacketBurst meanwhile = new PacketBurst();
      meanwhile.add(control, 1, 2, 0, PacketBurst.TRANSIENT);
      Runnable sendOther = () -> from.send(meanwhile, to.localAddress());
      refusing.onFlush = () -> refusing.onFlush = sendOther; // the second flush is a resend's
      send(left, from, burst, to.localAddress());
      List<Integer> arrived = new ArrayList<>();
      for (int i = 0; i < 9; i++) {
        byte[] bytes = right.next().bytes();
        arrived.add(bytes.length == 2 ? -1 : (int) bytes[0]);
      }
      assertThat(arrived).containsExactlyInAnyOrder(0, 1, 2, 3, -1, 5, 6, 7, 8);
      send(left, from, run(left, 1, 77, 77, TOKEN), to.localAddress());
      assertThat(right.next().bytes()).as("nothing twice before it").hasSize(77);
      assertThat(left.onLoop(from::refusedSegmentSends)).isEqualTo(2);
      left.close(from);
      right.close(to);
    }
  }

  /** Keeps what is written until it is told to let it go, as a socket without room does. */
  private static final class NoRoom extends ChannelOutboundHandlerAdapter {
    private final List<Runnable> waiting = new ArrayList<>();

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      waiting.add(() -> ctx.writeAndFlush(message, promise));
    }
  }

  @Test
  void shouldPinWhatIsQueuedThoughThereIsNoMemoryForTheLastDatagram() throws Exception {
    NoRoom queue = new NoRoom();
    Supplier<DatagramChannel> sockets =
        () -> {
          NioDatagramChannel socket = new NioDatagramChannel();
          socket.pipeline().addLast(queue);
          socket.config().setAllocator(new NoMemory());
          return socket;
        };
    try (PortBench left = new PortBench(handlers(false));
        PortBench right = new PortBench(handlers(false))) {
      RtPort to = open(right, false, ANY, null);
      RtPort from = left.onLoop(() -> DatagramPort.factory(sockets).open(left, CONFIG, ANY, null));
      PacketBurst burst = run(left, 1, 100, 100, TOKEN);
      burst.add(ByteBuffer.allocate(8), 0, 8, 0, PacketBurst.TRANSIENT);
      send(left, from, burst, to.localAddress());
      assertThat(left.onLoop(() -> left.store().isPinned(TOKEN))).isTrue();
      assertThat(left.onLoop(from::hasRoom)).isFalse();
      left.store().pin(TOKEN); // in place of the window, which holds what is not acknowledged
      left.onLoop(
          () -> {
            queue.waiting.forEach(Runnable::run);
            return null;
          });
      assertThat(right.next().bytes()).hasSize(100);
      assertThat(left.onLoop(from::hasRoom)).isTrue();
      left.close(from);
      right.close(to);
    }
  }

  /** Direct memory is used up. */
  private static final class NoMemory extends AbstractByteBufAllocator {
    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      throw new OutOfMemoryError("the test's");
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      throw new OutOfMemoryError("the test's");
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldSetTheTrafficClassOfItsSocketAtOnceAndLater(boolean isEpoll) throws Exception {
    try (PortBench bench = new PortBench(handlers(isEpoll))) {
      List<DatagramChannel> made = new ArrayList<>();
      Supplier<DatagramChannel> sockets =
          () -> {
            made.add(sockets(isEpoll).get());
            return made.get(0);
          };
      PortConfig config = new PortConfig(1_408, true, 1 << 20, 0, 0x10, false, true, false);
      RtPort port =
          bench.onLoop(() -> DatagramPort.factory(sockets).open(bench, config, ANY, null));
      assertThat(made.get(0).config().getTrafficClass()).isEqualTo(0x10);
      bench.onLoop(
          () -> {
            port.trafficClass(0x08);
            return null;
          });
      assertThat(made.get(0).config().getTrafficClass()).isEqualTo(0x08);
      bench.close(port);
    }
  }

  @Test
  void shouldFallBackWhenTheKernelItselfRefuses() throws Exception {
    try (PortBench left = new PortBench(handlers(true));
        PortBench right = new PortBench(handlers(true))) {
      RtPort to = open(right, true, ANY, null);
      Supplier<DatagramChannel> sockets =
          () -> {
            EpollDatagramChannel socket = new EpollDatagramChannel();
            socket.config().setOption(SO_NO_CHECK, 1); // no checksums, no GSO
            return socket;
          };
      RtPort from =
          left.onLoop(
              () -> DatagramPort.factory(sockets).open(left, CONFIG, ANY, to.localAddress()));
      send(left, from, run(left, 30, 500, 100, TOKEN), null);
      for (int i = 0; i < 30; i++) {
        assertThat(right.next().bytes()).hasSize(i == 29 ? 100 : 500);
      }
      assertThat(left.onLoop(from::refusedSegmentSends)).isEqualTo(1);
      left.close(from);
      right.close(to);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldSendUnequalAndTransientPacketsOneByOneAndSkipDropped(boolean isEpoll)
      throws Exception {
    try (PortBench left = new PortBench(handlers(isEpoll));
        PortBench right = new PortBench(handlers(isEpoll))) {
      RtPort to = open(right, isEpoll, ANY, null);
      RtPort from = open(left, isEpoll, ANY, null);
      PacketBurst burst = run(left, 3, 100, 200, TOKEN);
      burst.drop(1);
      ByteBuffer control = ByteBuffer.wrap(new byte[] {9, 8, 7, 6});
      burst.add(control, 1, 2, 0, PacketBurst.TRANSIENT);
      send(left, from, burst, to.localAddress());
      assertThat(right.next().bytes()).hasSize(100);
      assertThat(right.next().bytes()).hasSize(200);
      assertThat(right.next().bytes()).containsExactly(8, 7);
      left.close(from);
      right.close(to);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldSayThatNobodyListensAtAConnectedAddress(boolean isEpoll) throws Exception {
    try (PortBench bench = new PortBench(handlers(isEpoll));
        NobodysPort nobody = new NobodysPort()) {
      RtPort from = open(bench, isEpoll, ANY, nobody.address());
      send(bench, from, run(bench, 1, 64, 64, TOKEN), null);
      String heard = bench.news.poll(20, TimeUnit.SECONDS);
      while ("complete".equals(heard)) {
        heard = bench.news.poll(20, TimeUnit.SECONDS);
      }
      assertThat(heard).isEqualTo("NO_LISTENER");
      bench.close(from);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldRefuseAPortInUse(boolean isEpoll) throws Exception {
    try (PortBench bench = new PortBench(handlers(isEpoll))) {
      RtPort first = open(bench, isEpoll, ANY, null);
      assertThatThrownBy(() -> open(bench, isEpoll, first.localAddress(), null))
          .isInstanceOf(ExecutionException.class)
          .cause()
          .satisfies(
              cause -> assertThat(cause.toString()).containsIgnoringCase("address already in use"));
      bench.close(first);
    }
  }

  @Test
  void shouldCloseWithItsLastUser() throws Exception {
    try (PortBench bench = new PortBench(handlers(false))) {
      RtPort port = open(bench, false, ANY, null);
      bench.onLoop(
          () -> {
            port.retain();
            port.release();
            return null;
          });
      assertThat(bench.news).isEmpty();
      bench.close(port);
      assertThat(bench.news.poll(20, TimeUnit.SECONDS)).isEqualTo("closed");
    }
  }

  @Test
  void shouldTakeAReceiveBufferAgainOnceNobodyHoldsIt() {
    ReceiveBuffers buffers = new ReceiveBuffers();
    ReceiveBuffer first = buffers.take(2_048);
    assertThat(buffers.find(first.bytes().slice(3, 5))).isSameAs(first);
    ReceiveBuffer second = buffers.take(2_048);
    assertThat(second).isNotSameAs(first);
    first.bytes().release();
    buffers.readComplete();
    assertThat(buffers.take(2_048)).isSameAs(first);
    first.bytes().release();
    second.bytes().release();
    assertThat(buffers.keptCount()).isEqualTo(2);
    assertThat(buffers.freeCount()).isEqualTo(2);
    buffers.close();
  }

  @Test
  void shouldSliceOnlyWhatFillsAQuarterOfItsBuffer() {
    assertThat(ReceiveBuffers.isWorthSlice(511, 2_048)).isFalse();
    assertThat(ReceiveBuffers.isWorthSlice(512, 2_048)).isTrue();
    assertThat(ReceiveBuffers.isWorthSlice(256, 512)).isFalse();
    assertThat(ReceiveBuffers.isWorthSlice(257, 512)).isTrue();
  }
}
