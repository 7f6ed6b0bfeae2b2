package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages both ways over real sockets. */
@Timeout(60)
class EchoTest {
  /** Writes back what it reads. */
  static final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ctx.write(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      ctx.flush();
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldEchoMessagesInOrderAndWhole(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.handlers(new Echo()));
      Inbox inbox = new Inbox();
      RtChannel client = pair.connect(SocketPair.handlers(inbox));
      Random random = new Random(1);
      List<byte[]> sent = new ArrayList<>();
      List<ChannelFuture> writes = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        byte[] message =
            new byte[random.nextInt(4) == 0 ? random.nextInt(6_000) : random.nextInt(200)];
        random.nextBytes(message);
        sent.add(message);
        writes.add(client.write(Unpooled.wrappedBuffer(message)));
        if (i % 7 == 0) {
          client.flush();
        }
      }
      client.flush();
      for (byte[] message : sent) {
        assertThat(inbox.nextBytes()).isEqualTo(message);
      }
      for (ChannelFuture write : writes) {
        assertThat(write.sync().isSuccess()).isTrue();
      }
      client.close().sync();
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldLetBothSidesPushAtOnce(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox atServer = new Inbox();
      Inbox atClient = new Inbox();
      pair.listen(SocketPair.handlers(atServer));
      RtChannel client = pair.connect(SocketPair.handlers(atClient));
      client.writeAndFlush(Unpooled.EMPTY_BUFFER).sync();
      RtChannel child = pair.child();
      for (int i = 0; i < 200; i++) {
        client.writeAndFlush(text("client " + i));
        child.writeAndFlush(text("server " + i));
      }
      assertThat(atServer.nextBytes()).isEmpty();
      for (int i = 0; i < 200; i++) {
        assertThat(atServer.nextBytes()).asString().isEqualTo("client " + i);
        assertThat(atClient.nextBytes()).asString().isEqualTo("server " + i);
      }
      client.close().sync();
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldPushOneMebibyteByGrant(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox atServer = new Inbox();
      pair.listen(SocketPair.handlers(atServer));
      RtChannel client = pair.connect(SocketPair.nothing());
      byte[] message = new byte[1 << 20];
      new Random(2).nextBytes(message);
      ChannelFuture write = client.writeAndFlush(Unpooled.wrappedBuffer(message));
      assertThat(atServer.nextBytes()).isEqualTo(message);
      assertThat(write.sync().isSuccess()).isTrue();
      client.close().sync();
    }
  }

  static ByteBuf text(String text) {
    return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
  }
}
