package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.rtransport.core.stats.CounterId;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Path MTU discovery over the sockets of this host, whose loopback carries 65,507 bytes. */
@Timeout(120)
class PathMtuTest {
  private static final int PUSH_BYTES = 1 << 20;
  private static final int PUSHES_MAX = 400;

  /**
   * What each kind of socket takes where nothing is wished for: a GRO read, or a receive buffer of
   * 2 KiB.
   */
  private static int longest(TransportKind kind) {
    return kind == TransportKind.EPOLL ? 65_507 : 2_048;
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldFindTheLongestDatagramThatBothSidesTake(TransportKind kind) throws Exception {
    AtomicLong received = new AtomicLong();
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(
          channel -> channel.pipeline().addLast(new Counting(received)),
          server -> server.option(RtChannelOption.PATH_MTU_DISCOVERY, true));
      RtChannel client =
          pair.connect(
              SocketPair.nothing(),
              bootstrap -> bootstrap.option(RtChannelOption.PATH_MTU_DISCOVERY, true));
      boolean canGrow = kind != TransportKind.NIO || Runtime.version().feature() >= 19;
      assertThat(inside(client).port().datagramLengthMax() > 0)
          .as("leaves whole")
          .isEqualTo(canGrow);
      int expected = canGrow ? longest(kind) : 1_408;
      int length = 0;
      int pushes = 0;
      while (length < expected && pushes < PUSHES_MAX) {
        client.writeAndFlush(Unpooled.wrappedBuffer(new byte[PUSH_BYTES])).sync();
        pushes++;
        length = client.stats().get(20, TimeUnit.SECONDS).datagramLengthBytes();
      }
      assertThat(length).isEqualTo(expected);
      for (int i = 0; i < 8; i++, pushes++) {
        client.writeAndFlush(Unpooled.wrappedBuffer(new byte[PUSH_BYTES])).sync();
      }
      assertThat(received.get()).isEqualTo((long) pushes * PUSH_BYTES);
      client.close().sync();
    }
  }

  /**
   * Packets of 8,192 bytes over a path of 1,400, which becomes one of 1,300 in mid-transfer: all
   * arrives, in its order.
   */
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldFitItsPacketsToAPathThatIsNarrowAndBecomesNarrower(TransportKind kind)
      throws Exception {
    Pattern pattern = new Pattern();
    try (SocketPair pair = new SocketPair(kind)) {
      RtServerChannel server =
          pair.listen(
              channel -> channel.pipeline().addLast(pattern),
              options ->
                  options
                      .option(RtChannelOption.DATAGRAM_LENGTH, 8_192)
                      .option(RtChannelOption.PATH_MTU_DISCOVERY, true));
      try (NarrowPath path = new NarrowPath(server.localAddress(), 1_400)) {
        RtChannel client =
            (RtChannel)
                pair.client(
                        SocketPair.nothing(),
                        options ->
                            options
                                .option(RtChannelOption.DATAGRAM_LENGTH, 8_192)
                                .option(RtChannelOption.PATH_MTU_DISCOVERY, true))
                    .connect(path.address())
                    .sync()
                    .channel();
        pushUntil(client, pattern, 1_372);
        path.bytesMax(1_300);
        pushUntil(client, pattern, 1_232);
        Map<CounterId, Long> counters = client.stats().get(20, TimeUnit.SECONDS).counters();
        assertThat(counters.get(CounterId.MTU_BLACK_HOLES)).isGreaterThanOrEqualTo(2);
        assertThat(counters.get(CounterId.PACKETS_SHORTENED)).isPositive();
        assertThat(path.dropped()).isPositive();
        client.close().sync();
      }
    }
    assertThat(pattern.received).isEqualTo(pattern.sent);
    assertThat(pattern.wrong).isZero();
  }

  /**
   * Pushes until the datagrams have the length, each push as soon as the one before it was taken.
   */
  private static void pushUntil(RtChannel client, Pattern pattern, int bytes) throws Exception {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(50);
    int length = 0;
    while (length != bytes) {
      assertThat(System.nanoTime()).as("%s instead of %s bytes", length, bytes).isLessThan(endNs);
      client.writeAndFlush(Unpooled.wrappedBuffer(pattern.next(64 << 10))).sync();
      length = client.stats().get(20, TimeUnit.SECONDS).datagramLengthBytes();
    }
  }

  /** Bytes that tell where in the stream they belong. */
  private static final class Pattern extends ChannelInboundHandlerAdapter {
    private volatile long sent;
    private volatile long received;
    private volatile long wrong;

    private static byte at(long offset) {
      return (byte) (offset * 31 ^ offset >>> 8 ^ offset >>> 16);
    }

    byte[] next(int length) {
      byte[] bytes = new byte[length];
      for (int i = 0; i < length; i++) {
        bytes[i] = at(sent + i);
      }
      sent += length;
      return bytes;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf buffer = (ByteBuf) message;
      while (buffer.isReadable()) {
        if (buffer.readByte() != at(received)) {
          wrong++;
        }
        received++;
      }
      buffer.release();
    }
  }

  private static final class Counting extends ChannelInboundHandlerAdapter {
    private final AtomicLong bytes;

    Counting(AtomicLong bytes) {
      this.bytes = bytes;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf buffer = (ByteBuf) message;
      bytes.addAndGet(buffer.readableBytes());
      buffer.release();
    }
  }
}
