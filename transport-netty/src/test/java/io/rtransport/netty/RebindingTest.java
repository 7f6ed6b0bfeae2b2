package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.rtransport.core.stats.CounterId;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * A client behind a translator that gives it another port again and again, over real sockets;
 * {@code -Drt.rebind.bytes=N} moves more.
 */
@Timeout(120)
class RebindingTest {
  private static final long BYTES = Long.getLong("rt.rebind.bytes", 16L << 20);
  private static final int MESSAGE_BYTES = 64 << 10;
  private static final int AHEAD = 32;

  /** Compares what comes with the same random bytes. */
  private static final class Checker extends ChannelInboundHandlerAdapter {
    private final CompletableFuture<Long> done = new CompletableFuture<>();
    private final Random random = new Random(7);
    private long receivedBytes;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf content = (ByteBuf) message;
      byte[] expected = new byte[content.readableBytes()];
      random.nextBytes(expected);
      boolean isEqual = content.equals(Unpooled.wrappedBuffer(expected));
      content.release();
      receivedBytes += expected.length;
      if (!isEqual) {
        done.completeExceptionally(new AssertionError("other bytes before " + receivedBytes));
      } else if (receivedBytes >= BYTES) {
        done.complete(receivedBytes);
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      done.completeExceptionally(new AssertionError("closed after " + receivedBytes));
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldMoveEverythingThoughThePortChangesAllTheTimeAndTheAddressOnce(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Checker checker = new Checker();
      RtServerChannel server = pair.listen(SocketPair.handlers(checker));
      RebindingRelay relay = new RebindingRelay(server.localAddress(), 2 << 20, 3);
      RtChannel client =
          (RtChannel)
              pair.client(SocketPair.nothing(), options -> {})
                  .connect(relay.address())
                  .sync()
                  .channel();
      RtChannel child = pair.child();
      final InetSocketAddress first = child.remoteAddress();
      Random random = new Random(7);
      ArrayDeque<ChannelFuture> writes = new ArrayDeque<>();
      for (long sent = 0; sent < BYTES; sent += MESSAGE_BYTES) {
        byte[] message = new byte[MESSAGE_BYTES];
        random.nextBytes(message);
        writes.add(client.writeAndFlush(Unpooled.wrappedBuffer(message)));
        if (writes.size() > AHEAD) {
          assertThat(writes.poll().sync().isSuccess()).isTrue();
        }
      }
      for (ChannelFuture write : writes) {
        assertThat(write.sync().isSuccess()).isTrue();
      }
      assertThat(checker.done.get(60, TimeUnit.SECONDS)).isEqualTo(BYTES);

      long moved = child.eventLoop().submit(() -> counted(child, CounterId.PATHS_MOVED)).get();
      assertThat(relay.changes()).isGreaterThanOrEqualTo(7);
      assertThat(moved).isGreaterThanOrEqualTo(3);
      assertThat(relay.violation()).isEmpty();
      assertThat(child.remoteAddress()).isNotEqualTo(first);
      assertThat(child.remoteAddress().getAddress().getHostAddress()).isEqualTo("127.0.0.2");
      client.close().sync();
      child.closeFuture().sync();
      relay.close();
    }
  }

  private static long counted(RtChannel channel, CounterId id) {
    return inside(channel).link().connection().counters().value(id);
  }
}
