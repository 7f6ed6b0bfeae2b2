package io.rtransport.netty.contract;

import static io.rtransport.netty.contract.Journal.REMOVED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.handler.codec.string.StringDecoder;
import io.netty.handler.codec.string.StringEncoder;
import io.netty.handler.stream.ChunkedStream;
import io.netty.handler.stream.ChunkedWriteHandler;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.handler.timeout.ReadTimeoutException;
import io.netty.handler.timeout.ReadTimeoutHandler;
import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Netty's own handlers for streams, which know nothing of messages. */
@ExtendWith(ContractCount.class)
@Timeout(60)
class CodecContractTest {
  /** Keeps what the decoder before it made. */
  private static final class Decoded extends ChannelInboundHandlerAdapter {
    private final Queue<Object> objects = new ConcurrentLinkedQueue<>();

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      objects.add(message);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      objects.add(event);
      ctx.fireUserEventTriggered(event);
    }
  }

  @Contract
  void shouldCarryFramesWithALengthField(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      Decoded decoded = new Decoded();
      rig.childHandlers =
          () -> Rig.handlers(new LengthFieldBasedFrameDecoder(1 << 20, 0, 4, 0, 4), decoded);
      rig.clientHandlers = () -> List.<ChannelHandler>of(new LengthFieldPrepender(4));
      rig.open();
      Random random = new Random(9);
      int count = 200;
      int[] lengths = random.ints(count, 0, 20_000).toArray();
      ChannelFuture last = null;
      for (int length : lengths) {
        last = rig.client.write(Rig.zeros(length));
      }
      rig.client.flush();
      Rig.succeeded(last);
      await().atMost(20, TimeUnit.SECONDS).until(() -> decoded.objects.size() == count);
      for (int length : lengths) {
        ByteBuf frame = (ByteBuf) decoded.objects.poll();
        assertThat(frame.readableBytes()).isEqualTo(length);
        frame.release();
      }
    }
  }

  @Contract
  void shouldCarryLinesHoweverTheyAreCut(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      Decoded decoded = new Decoded();
      rig.childHandlers =
          () -> Rig.handlers(new LineBasedFrameDecoder(1_000), new StringDecoder(), decoded);
      rig.clientHandlers = () -> List.<ChannelHandler>of(new StringEncoder());
      rig.open();
      for (String piece : new String[] {"fir", "st\nsec", "ond\n", "thi", "rd", "\n"}) {
        Rig.succeeded(rig.client.writeAndFlush(piece));
      }
      await()
          .untilAsserted(
              () -> assertThat(decoded.objects).containsExactly("first", "second", "third"));
    }
  }

  @Contract
  void shouldCarryAStreamOfChunks(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.clientHandlers = () -> List.<ChannelHandler>of(new ChunkedWriteHandler());
      rig.open();
      byte[] content = new byte[3_000_000]; // many times the high water mark
      new Random(5).nextBytes(content);
      Rig.succeeded(
          rig.client.writeAndFlush(new ChunkedStream(new ByteArrayInputStream(content), 10_000)));
      rig.atChild.awaitSize(content.length);
      assertThat(rig.atChild.bytes()).isEqualTo(content);
    }
  }

  @Contract
  void shouldTellOfIdlenessAndTimeOutAReader(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      Decoded decoded = new Decoded();
      rig.clientHandlers =
          () -> Rig.handlers(new IdleStateHandler(0, 0, 50, TimeUnit.MILLISECONDS), decoded);
      rig.childHandlers =
          () -> List.<ChannelHandler>of(new ReadTimeoutHandler(300, TimeUnit.MILLISECONDS));
      rig.open();
      await()
          .untilAsserted(
              () ->
                  assertThat(decoded.objects).contains(IdleStateEvent.FIRST_ALL_IDLE_STATE_EVENT));
      rig.atChild.awaitEvent(REMOVED);
      assertThat(rig.atChild.failures()).hasOnlyElementsOfType(ReadTimeoutException.class);
      rig.atClient.awaitEvent(REMOVED);
    }
  }

  @Contract
  void shouldDeliverThousandsOfSmallWritesAsOneStream(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      int count = 5_000;
      ChannelFuture last = null;
      for (int i = 0; i < count; i++) {
        last = rig.client.write(Unpooled.buffer(4).writeInt(i));
        if (i % 97 == 0) {
          rig.client.flush();
        }
      }
      rig.client.flush();
      Rig.succeeded(last);
      rig.atChild.awaitSize(4 * count);
      ByteBuf received = Unpooled.wrappedBuffer(rig.atChild.bytes());
      for (int i = 0; i < count; i++) {
        assertThat(received.readInt()).isEqualTo(i);
      }
    }
  }
}
