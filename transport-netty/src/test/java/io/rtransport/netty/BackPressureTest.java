package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** Writability, cancelled writes, and reading on demand. */
@Timeout(60)
class BackPressureTest {
  private static final WriteBufferWaterMark MARKS = new WriteBufferWaterMark(10_000, 20_000);
  private static final int OVERHEAD = OutboundMessage.OVERHEAD_BYTES;

  @ParameterizedTest
  @NioAndEpoll
  void shouldBecomeUnwritableByBytesNotPacketisedAndTellOnceACrossing(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.handlers(new EchoTest.Echo()));
      Inbox inbox = new Inbox();
      RtChannel client =
          pair.connect(
              SocketPair.handlers(inbox),
              b -> b.option(ChannelOption.WRITE_BUFFER_WATER_MARK, MARKS));
      assertThat(client.isWritable()).isTrue();
      assertThat(client.bytesBeforeUnwritable()).isEqualTo(20_001);
      AtomicBoolean wasInWrite = new AtomicBoolean();
      client
          .eventLoop()
          .submit(
              () -> {
                client.write(Unpooled.wrappedBuffer(new byte[20_000 - 2 * OVERHEAD]));
                assertThat(client.bytesBeforeUnwritable()).isEqualTo(OVERHEAD + 1);
                client.write(Unpooled.EMPTY_BUFFER); // exactly to the mark
                assertThat(client.isWritable()).isTrue();
                client.write(Unpooled.wrappedBuffer(new byte[1]));
                assertThat(client.isWritable()).isFalse();
                assertThat(client.bytesBeforeUnwritable()).isZero();
                assertThat(client.bytesBeforeWritable()).isEqualTo(10_002 + OVERHEAD);
                wasInWrite.set(inbox.events().contains("unwritable"));
              })
          .sync();
      assertThat(wasInWrite).as("event inside the user's write").isFalse();
      await().untilAsserted(() -> assertThat(inbox.events()).containsOnlyOnce("unwritable"));
      client.flush();
      await().untilAsserted(() -> assertThat(inbox.events()).containsOnlyOnce("writable"));
      assertThat(client.isWritable()).isTrue();
      assertThat(inbox.nextBytes()).hasSize(20_000 - 2 * OVERHEAD);
      assertThat(inbox.nextBytes()).isEmpty();
      assertThat(inbox.nextBytes()).hasSize(1);
      assertThat(inbox.events()).containsOnlyOnce("unwritable").containsOnlyOnce("writable");
      assertThat(inside(client).writability().pendingBytes()).isZero();
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldCountWritesFromOtherThreadsAtOnce(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.handlers(new Inbox()));
      RtChannel client =
          pair.connect(
              SocketPair.nothing(), b -> b.option(ChannelOption.WRITE_BUFFER_WATER_MARK, MARKS));
      client.write(Unpooled.wrappedBuffer(new byte[20_001]));
      assertThat(client.isWritable()).isFalse();
      client.flush();
      await().until(client::isWritable);
      client.close().sync();
    }
  }

  /**
   * Writes one by one, up to {@code limit} of them: how many the channel took before it was
   * unwritable.
   */
  private static int writableWrites(RtChannel client, Supplier<Object> messages, int limit)
      throws Exception {
    return client
        .eventLoop()
        .submit(
            () -> {
              int count = 0;
              while (client.isWritable() && count < limit) {
                client.write(messages.get());
                count++;
              }
              return count;
            })
        .get(20, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldHoldBackAWriterOfEmptyMessages(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(
          SocketPair.handlers(
              new TransactionTest.Answering((ctx, pull) -> pull.respond(Unpooled.EMPTY_BUFFER)) {
                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                  if (message instanceof RtPullRequest) {
                    super.channelRead(ctx, message);
                  } else {
                    ReferenceCountUtil.release(message);
                  }
                }
              }));
      RtChannel client =
          pair.connect(
              SocketPair.nothing(), b -> b.option(ChannelOption.WRITE_BUFFER_WATER_MARK, MARKS));
      int fits = 20_000 / OVERHEAD + 1; // the one that passes the mark is taken
      List<Supplier<Object>> kinds =
          List.of(
              () -> Unpooled.EMPTY_BUFFER,
              () -> Push.of(Unpooled.EMPTY_BUFFER, new byte[] {1}),
              () -> Pull.of(new byte[0], 0));
      for (Supplier<Object> empty : kinds) {
        assertThat(writableWrites(client, empty, 10 * fits)).isEqualTo(fits);
        assertThat(inside(client).writability().pendingBytes()).isEqualTo((long) fits * OVERHEAD);
        client.flush();
        await()
            .untilAsserted(() -> assertThat(inside(client).writability().pendingBytes()).isZero());
        assertThat(client.isWritable()).isTrue();
      }
      await().untilAsserted(() -> assertThat(inside(client).writes().liveCount()).isZero());
      assertThat(writableWrites(client, () -> Unpooled.EMPTY_BUFFER, fits - 1)).isEqualTo(fits - 1);
      assertThat(client.isWritable()).as("one less than too many").isTrue();
      client.close().sync(); // what is not flushed gives back its share too, right after
      await().untilAsserted(() -> assertThat(inside(client).writability().pendingBytes()).isZero());
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldSkipAndReleaseAWriteCancelledBeforeItsFlush(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      pair.listen(SocketPair.handlers(inbox));
      RtChannel client = pair.connect(SocketPair.nothing());
      ByteBuf cancelled = EchoTest.text("cancelled");
      ChannelPromise promise = client.newPromise();
      client.write(EchoTest.text("first"));
      client.write(cancelled, promise);
      client.write(EchoTest.text("last"), client.voidPromise());
      assertThat(promise.cancel(false)).isTrue();
      client.flush();
      assertThat(inbox.nextBytes()).asString().isEqualTo("first");
      assertThat(inbox.nextBytes()).asString().isEqualTo("last");
      assertThat(cancelled.refCnt()).isZero();
      await().untilAsserted(() -> assertThat(inside(client).writes().liveCount()).isZero());
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldReadAMessageARequestAndAcknowledgeOnlyWhatWasRead(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      pair.listen(SocketPair.handlers(inbox), b -> b.childOption(ChannelOption.AUTO_READ, false));
      RtChannel client = pair.connect(SocketPair.nothing());
      List<ChannelFuture> writes = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        writes.add(client.write(EchoTest.text("message " + i)));
      }
      client.flush();
      RtChannel child = pair.child();
      for (int i = 0; i < 5; i++) {
        for (int unread = i; unread < 5; unread++) {
          assertThat(writes.get(unread).isDone())
              .as("acknowledged unread: %d of %d", unread, i)
              .isFalse();
        }
        assertThat(inbox.waiting()).isZero();
        child.read();
        assertThat(inbox.nextBytes()).asString().isEqualTo("message " + i);
        assertThat(writes.get(i).await(20, TimeUnit.SECONDS)).isTrue();
      }
      // What is not read does not stop the other direction.
      child.writeAndFlush(EchoTest.text("from the child")).sync();
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldHoldThePeerBackWhileNothingIsRead(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      pair.listen(SocketPair.handlers(inbox), b -> b.childOption(ChannelOption.AUTO_READ, false));
      RtChannel client = pair.connect(SocketPair.nothing());
      int count = 6_000; // of 1 KiB: more than all credit that there can be, 2 MiB
      AtomicInteger done = new AtomicInteger();
      for (int i = 0; i < count; i++) {
        client
            .write(Unpooled.wrappedBuffer(new byte[1_024]))
            .addListener(f -> done.incrementAndGet());
      }
      client.flush();
      RtChannel child = pair.child();
      child.writeAndFlush(EchoTest.text("proof that packets flow")).sync();
      assertThat(client.isWritable()).isFalse();
      assertThat(done).hasValue(0);
      child.config().setAutoRead(true);
      await().atMost(20, TimeUnit.SECONDS).until(() -> done.get() == count);
      assertThat(inbox.waiting()).isEqualTo(count);
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldBoundABatchByMaxMessagesPerRead(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Queue<Integer> batches = new ConcurrentLinkedQueue<>();
      AtomicInteger total = new AtomicInteger();
      pair.listen(
          SocketPair.handlers(
              new ChannelInboundHandlerAdapter() {
                private int inBatch;

                @Override
                @SuppressWarnings("deprecation") // as users of TCP channels set it
                public void handlerAdded(ChannelHandlerContext ctx) {
                  ctx.channel().config().setMaxMessagesPerRead(3);
                }

                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                  ((ByteBuf) message).release();
                  inBatch++;
                  total.incrementAndGet();
                }

                @Override
                public void channelReadComplete(ChannelHandlerContext ctx) {
                  batches.add(inBatch);
                  inBatch = 0;
                }
              }));
      RtChannel client = pair.connect(SocketPair.nothing());
      for (int i = 0; i < 100; i++) {
        client.write(EchoTest.text("x"));
      }
      client.flush();
      await().untilAsserted(() -> assertThat(total).hasValue(100));
      await()
          .untilAsserted(
              () -> assertThat(batches.stream().mapToInt(Integer::intValue).sum()).isEqualTo(100));
      assertThat(batches).allMatch(count -> count >= 1 && count <= 3);
      client.close().sync();
    }
  }
}
