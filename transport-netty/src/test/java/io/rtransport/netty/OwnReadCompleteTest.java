package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.rtransport.netty.handler.SolicitationHandler;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A handler fires {@code channelReadComplete} by itself over a message: the connection goes on
 * reading, and transmits once, at the end of its own batch. So wherever the message is read.
 */
@Timeout(60)
class OwnReadCompleteTest {
  private static final InetSocketAddress SERVER = new InetSocketAddress("10.0.0.1", 1);
  private static final InetSocketAddress CLIENT = new InetSocketAddress("10.0.0.2", 2);
  private static final int MESSAGES = 5;

  /** Where the messages of a packet are read. */
  private enum Place {
    /** As its entries are told in the stage of {@code rt-transaction}. */
    IN_THE_STAGE,
    /** Behind that, from the queue. */
    BEHIND_THE_STAGE,
    /** By the connection itself: a handler has kept the burst from that stage. */
    WITHOUT_THE_STAGE,
    /** From the queue at the end of the batch, since it was asked for later. */
    AT_THE_END_OF_A_BATCH
  }

  private final ManualSide client = new ManualSide(1, CLIENT, SERVER);
  private final ManualSide server = new ManualSide(2, SERVER, CLIENT);
  private final List<Integer> read = new ArrayList<>();
  private final List<Integer> sentMeanwhile = new ArrayList<>();
  private final List<String> events = new ArrayList<>();
  private RtChannel child;

  private final class Reader extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf bytes = message instanceof RtPush push ? push.content() : (ByteBuf) message;
      read.add(bytes.getInt(0));
      events.add("read");
      int before = server.sent.size();
      ctx.writeAndFlush(bytes);
      ctx.pipeline().fireChannelReadComplete();
      sentMeanwhile.add(server.sent.size() - before);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      events.add("complete");
      ctx.fireChannelReadComplete();
    }
  }

  /** Lets no burst pass. */
  private static final class Keeping extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      // the connection reads it when this returns
    }
  }

  private void addHandlers(Channel to, Place place) {
    child = (RtChannel) to;
    if (place == Place.WITHOUT_THE_STAGE) {
      to.pipeline().addAfter(SolicitationHandler.NAME, "keeping", new Keeping());
    }
    to.pipeline().addLast(new Reader());
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void shouldTransmitNothingBeforeTheBatchIsOver(Place place) {
    RtChannel channel =
        (RtChannel)
            ManualSide.connect(
                client,
                server,
                SocketPair.initializer(c -> addHandlers(c, place)),
                SocketPair.initializer(c -> {}));
    child.config().setAutoRead(place != Place.AT_THE_END_OF_A_BATCH);
    byte[] header = place == Place.BEHIND_THE_STAGE ? new byte[] {1} : null;
    List<ChannelFuture> ends = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      ByteBuf bytes = channel.alloc().buffer(4).writeInt(i);
      ends.add(channel.write(header == null ? bytes : Push.of(bytes, header)));
    }
    channel.flush();
    pass(10);
    child.config().setAutoRead(true);
    pass(1_000);
    assertThat(read).containsExactly(0, 1, 2, 3, 4);
    assertThat(sentMeanwhile).as("packets that left within channelRead").containsOnly(0);
    assertThat(events)
        .as("no batch ends twice")
        .containsExactly(
            "read",
            "complete",
            "read",
            "complete",
            "read",
            "complete",
            "read",
            "complete",
            "read",
            "complete");
    assertThat(ends).allSatisfy(end -> assertThat(end.isSuccess()).isTrue());
    channel.close();
    child.close();
    pass(40_000);
    assertThat(server.node.left()).isEmpty();
    client.node.close();
    server.node.close();
  }

  private void pass(int millis) {
    for (int i = 0; i < millis; i++) {
      client.nowNs += TimeUnit.MILLISECONDS.toNanos(1);
      server.nowNs += TimeUnit.MILLISECONDS.toNanos(1);
      ManualSide.exchange(client, server);
    }
  }
}
