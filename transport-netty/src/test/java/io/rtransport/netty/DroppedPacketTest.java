package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.netty.handler.SolicitationHandler;
import io.rtransport.netty.handler.WindowHandler;
import io.rtransport.netty.handler.WireHandler;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of a packet that a handler drops, by where the handler stands. */
@Timeout(60)
class DroppedPacketTest {
  private static final InetSocketAddress SERVER = new InetSocketAddress("10.0.0.1", 1);
  private static final InetSocketAddress CLIENT = new InetSocketAddress("10.0.0.2", 2);

  private final ManualSide client = new ManualSide(1, CLIENT, SERVER);
  private final ManualSide server = new ManualSide(2, SERVER, CLIENT);
  private final List<Integer> read = new ArrayList<>();
  private boolean isDropping;

  private final class Dropping extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (isDropping) {
        ((PacketBurst) message).drop(0);
        isDropping = false;
      }
      ctx.fireChannelRead(message);
    }
  }

  private final class Reader extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      read.add(bytes.getInt(0));
      bytes.release();
    }
  }

  private void pass(int millis) {
    for (int i = 0; i < millis; i++) {
      client.nowNs += TimeUnit.MILLISECONDS.toNanos(1);
      server.nowNs += TimeUnit.MILLISECONDS.toNanos(1);
      ManualSide.exchange(client, server);
    }
  }

  @ParameterizedTest
  @CsvSource({
    WireHandler.NAME + ", true",
    WindowHandler.NAME + ", false",
    SolicitationHandler.NAME + ", false"
  })
  void shouldComeAgainOnlyIfItIsDroppedBelowTheWindow(String below, boolean comesAgain) {
    List<Channel> accepted = new ArrayList<>();
    RtChannel channel =
        (RtChannel)
            ManualSide.connect(
                client,
                server,
                SocketPair.initializer(
                    child -> {
                      accepted.add(child);
                      child.pipeline().addAfter(below, "dropping", new Dropping());
                      child.pipeline().addLast(new Reader());
                    }),
                SocketPair.initializer(c -> {}));
    pass(10);
    isDropping = true;
    ChannelFuture end = channel.writeAndFlush(channel.alloc().buffer(4).writeInt(7));
    pass(5_000);
    assertThat(isDropping).isFalse();
    assertThat(end.isDone()).isEqualTo(comesAgain);
    assertThat(read).isEqualTo(comesAgain ? List.of(7) : List.of());
    accepted.get(0).unsafe().closeForcibly();
    channel.close();
    pass(40_000);
    client.node.close();
    server.node.close();
  }
}
