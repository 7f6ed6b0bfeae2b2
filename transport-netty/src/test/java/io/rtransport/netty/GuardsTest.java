package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.rtransport.netty.internal.loop.LoopDrivers;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Guards of the link and its queues, each with the case that it is for. */
@Timeout(60)
class GuardsTest {
  private static final InetSocketAddress SERVER = new InetSocketAddress("10.0.0.1", 1);
  private static final InetSocketAddress CLIENT = new InetSocketAddress("10.0.0.2", 2);
  private static final int MESSAGES = 200;
  private static final int LENGTH = 1_300;

  private final LogWatch log = new LogWatch();
  private final ManualSide client = new ManualSide(1, CLIENT, SERVER);
  private final ManualSide server = new ManualSide(2, SERVER, CLIENT);
  private final List<String> events = new ArrayList<>();
  private Channel channel;

  /** Notes what is read, and the ends of batches. */
  private final class Notes extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      events.add("read " + bytes.getInt(0));
      bytes.release();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      events.add("complete");
    }
  }

  private void connect(Consumer<Channel> atServer) {
    channel =
        ManualSide.connect(
            client,
            server,
            SocketPair.initializer(
                c -> {
                  c.pipeline().addLast(new Notes());
                  atServer.accept(c);
                }),
            SocketPair.initializer(SocketPair.nothing()));
  }

  private ChannelFuture write(int number) {
    return channel.write(channel.alloc().buffer(LENGTH).writeInt(number).writeZero(LENGTH - 4));
  }

  @AfterEach
  void close() {
    channel.close();
    for (int i = 0; i < 40_000; i++) {
      client.nowNs += TimeUnit.MILLISECONDS.toNanos(1);
      server.nowNs += TimeUnit.MILLISECONDS.toNanos(1);
      ManualSide.exchange(client, server);
    }
    assertThat(log.count()).as(log.first()).isZero();
    assertThat(client.node.left()).isEmpty();
    assertThat(server.node.left()).isEmpty();
    for (ManualSide side : List.of(client, server)) {
      assertThat(LoopDrivers.of(side.node.loop()).entry().buffer())
          .as("the loop's entry keeps nothing of a connection that is gone")
          .isNull();
      side.node.close();
    }
    log.close();
  }

  /** A port whose sends end within the call, as one over a slow socket may. */
  @Test
  void shouldSendEachPacketOnceThoughThePortHasRoomAgainWithinASend() {
    connect(c -> {});
    client.atSend = client.port::room;
    List<ChannelFuture> writes = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      writes.add(write(i));
    }
    channel.flush();
    for (int i = 0; i < 100; i++) {
      ManualSide.exchange(client, server);
      client.nowNs += TimeUnit.MILLISECONDS.toNanos(1);
      server.nowNs += TimeUnit.MILLISECONDS.toNanos(1);
    }
    assertThat(writes).allSatisfy(write -> assertThat(write.isSuccess()).isTrue());
    events.removeIf("complete"::equals);
    assertThat(events).hasSize(MESSAGES).doesNotHaveDuplicates().endsWith("read 199");
    assertThat(client.sent.size() + client.destinations.size()).isLessThan(2 * MESSAGES);
  }

  /** A push that was put off is given out by a task of the loop: no burst is on its way then. */
  @Test
  void shouldEndABatchBehindAMessageThatIsDeliveredOutsideABurst() {
    List<RtSink.Later> put = new ArrayList<>();
    boolean[] isOver = new boolean[1];
    connect(
        c -> {
          PayloadSinks chooser =
              (on, length, header) -> {
                if (isOver[0]) {
                  return null;
                }
                RtSink.Later later = RtSink.later();
                put.add(later);
                return later;
              };
          c.config().setOption(RtChannelOption.PAYLOAD_SINKS, chooser);
        });
    write(1);
    channel.flush();
    ManualSide.exchange(client, server);
    assertThat(put).hasSize(1);
    events.clear();
    isOver[0] = true;
    put.get(0).askAgain();
    ManualSide.exchange(client, server);
    assertThat(events).containsExactly("read 1", "complete");
  }
}
