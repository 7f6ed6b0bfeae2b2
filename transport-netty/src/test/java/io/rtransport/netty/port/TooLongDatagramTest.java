package io.rtransport.netty.port;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DatagramChannel;
import io.netty.util.NetUtil;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.netty.TransportKind;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A datagram that the kernel itself calls too long (EMSGSIZE), which one byte more than UDP over
 * IPv4 can carry is on every host.
 */
@Timeout(60)
class TooLongDatagramTest {
  private static final PortConfig CONFIG =
      new PortConfig(1_408, true, 1 << 20, 0, 0, false, true, false);
  private static final InetSocketAddress ANY = new InetSocketAddress(NetUtil.LOCALHOST4, 0);
  private static final int TOO_LONG = 65_508;

  /** Keeps what the kernel has to say of each send. */
  private static final class Failures extends ChannelOutboundHandlerAdapter {
    private final Queue<String> causes = new ConcurrentLinkedQueue<>();

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      ctx.write(message, promise.unvoid())
          .addListener(
              sent -> {
                if (!sent.isSuccess()) {
                  causes.add(sent.cause().getMessage());
                }
              });
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldBeALostOneWhileThoseBesideItLeave(TransportKind kind) throws Exception {
    kind.assumeAvailable();
    Failures failures = new Failures();
    Supplier<DatagramChannel> sockets =
        () -> {
          DatagramChannel socket = kind.sockets().get();
          socket.pipeline().addLast(failures);
          return socket;
        };
    try (PortBench left = new PortBench(kind.handlers());
        PortBench right = new PortBench(kind.handlers())) {
      RtPort to =
          right.onLoop(() -> DatagramPort.factory(kind.sockets()).open(right, CONFIG, ANY, null));
      RtPort from =
          left.onLoop(
              () -> DatagramPort.factory(sockets).open(left, CONFIG, ANY, to.localAddress()));
      ByteBuffer bytes = ByteBuffer.allocate(TOO_LONG);
      left.onLoop(
          () -> {
            PacketBurst burst = new PacketBurst();
            burst.add(bytes, 0, 100, 0, PacketBurst.TRANSIENT);
            burst.add(bytes, 0, TOO_LONG, 0, PacketBurst.TRANSIENT);
            burst.add(bytes, 0, 200, 0, PacketBurst.TRANSIENT);
            from.send(burst, null);
            return null;
          });
      assertThat(right.next().bytes()).hasSize(100);
      assertThat(right.next().bytes()).hasSize(200);
      await().atMost(20, TimeUnit.SECONDS).until(() -> !failures.causes.isEmpty());
      assertThat(failures.causes).singleElement().asString().containsIgnoringCase("too long");

      await().atMost(20, TimeUnit.SECONDS).until(() -> left.onLoop(from::hasRoom));
      left.onLoop(
          () -> {
            from.send(bytes, 0, TOO_LONG, null);
            return null;
          });
      await().atMost(20, TimeUnit.SECONDS).until(() -> failures.causes.size() == 2);
      await().atMost(20, TimeUnit.SECONDS).until(() -> left.onLoop(from::hasRoom));
      left.onLoop(
          () -> {
            from.send(bytes, 0, 300, null);
            return null;
          });
      assertThat(right.next().bytes()).as("the port lives").hasSize(300);
      assertThat(failures.causes).hasSize(2);
      assertThat(left.news).doesNotContain("closed", "TOO_LONG");
      assertThat(left.onLoop(from::refusedSegmentSends)).as("told from refused GSO").isZero();
      left.close(from);
      right.close(to);
    }
  }
}
