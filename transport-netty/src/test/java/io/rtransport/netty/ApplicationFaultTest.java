package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.util.ReferenceCountUtil;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.netty.handler.RtTap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An application whose code throws, forgets to answer, or flushes when it is too late: every
 * promise ends all the same.
 */
@Timeout(60)
class ApplicationFaultTest {
  private static final TransportKind KIND = TransportKind.NIO;
  private static final byte[] HEADER = {1};

  /** By RT's own code, and without a word of what the peer's application threw. */
  private static void assertFails(ChannelFuture future, Outcome outcome, CloseCode code)
      throws InterruptedException {
    assertThat(future.await(20, TimeUnit.SECONDS)).as("done").isTrue();
    assertThat(future.cause())
        .isInstanceOfSatisfying(
            RtException.class,
            e -> {
              assertThat(e.isFromTransport()).isTrue();
              assertThat(e.outcome()).isEqualTo(outcome);
              assertThat(e.code()).isEqualTo(code.code());
              assertThat(e).hasMessage(outcome + " (" + code + ")");
            });
  }

  /** Throws where it is told to. */
  private static final class ThrowingSink extends RtSink {
    private final boolean isAtEnd;

    ThrowingSink(boolean isAtEnd) {
      this.isAtEnd = isAtEnd;
    }

    @Override
    protected void write(long offset, ByteBuffer from, int index, int length) {
      if (!isAtEnd) {
        throw new IllegalStateException("the sink's write broke");
      }
    }

    @Override
    protected void end(boolean whole) {
      if (isAtEnd) {
        throw new IllegalStateException("the sink's end broke");
      }
    }
  }

  private static void shouldFailOnlyThePushOf(PayloadSinks sinks, CloseCode code) throws Exception {
    try (SocketPair pair = new SocketPair(KIND)) {
      Inbox inbox = new Inbox();
      pair.listen(
          SocketPair.handlers(inbox),
          b ->
              b.childOption(
                  RtChannelOption.PAYLOAD_SINKS,
                  (channel, length, header) ->
                      header.length == 0 ? null : sinks.choose(channel, length, header)));
      RtChannel client = pair.connect(SocketPair.nothing());
      ChannelFuture broken = client.write(Push.of(EchoTest.text("broken"), HEADER));
      ChannelFuture good = client.writeAndFlush(EchoTest.text("good"));
      assertFails(broken, Outcome.NOT_EXECUTED, code);
      assertThat(inbox.nextBytes()).asString().isEqualTo("good");
      assertThat(good.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(good.isSuccess()).isTrue();
      client.close().sync();
    }
  }

  @Test
  void shouldFailThePushWhoseSinkThrowsAtAWrite() throws Exception {
    shouldFailOnlyThePushOf((c, l, h) -> new ThrowingSink(false), CloseCode.REFUSED_BY_SINK);
  }

  @Test
  void shouldFailThePushWhoseSinkThrowsAtItsEnd() throws Exception {
    shouldFailOnlyThePushOf((c, l, h) -> new ThrowingSink(true), CloseCode.REFUSED_BY_SINK);
  }

  @Test
  void shouldRefuseThePushThatNoSinkCouldBeChosenFor() throws Exception {
    shouldFailOnlyThePushOf(
        (c, l, h) -> {
          throw new IllegalStateException("the choice broke");
        },
        CloseCode.APPLICATION_ERROR);
  }

  @Test
  void shouldEndTheConnectionWhosePayloadThrows() throws Exception {
    try (SocketPair pair = new SocketPair(KIND)) {
      pair.listen(SocketPair.nothing());
      Inbox inbox = new Inbox();
      RtChannel client = pair.connect(SocketPair.handlers(inbox));
      ChannelFuture write =
          client.writeAndFlush(
              new RtPayload() {
                @Override
                public long lengthBytes() {
                  return 100;
                }

                @Override
                protected int copy(long offset, ByteBuffer to, int index, int length) {
                  throw new IllegalStateException("the payload broke");
                }

                @Override
                public RtPayload touch(Object hint) {
                  return this;
                }

                @Override
                protected void deallocate() {}
              });
      assertThat(write.await(20, TimeUnit.SECONDS)).as("done").isTrue();
      assertThat(write.isSuccess()).isFalse();
      assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      await()
          .untilAsserted(
              () ->
                  assertThat(inbox.failures())
                      .anySatisfy(e -> assertThat(e).hasMessageContaining("the payload broke")));
      RtChannel child = pair.child();
      assertThat(child.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(child.closeReason().text()).isEqualTo("a payload could not be read");
    }
  }

  @Test
  void shouldFailThePullWhoseHandlerThrowsOrIsNotThere() throws Exception {
    try (SocketPair pair = new SocketPair(KIND)) {
      pair.listen(
          SocketPair.handlers(
              new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                  if (((RtPullRequest) message).header().length > 0) {
                    throw new IllegalStateException("the handler broke");
                  }
                  ctx.fireChannelRead(message);
                }
              }));
      RtChannel client = pair.connect(SocketPair.nothing());
      assertFails(
          client.writeAndFlush(Pull.of(HEADER, 10)), Outcome.UNKNOWN, CloseCode.APPLICATION_ERROR);
      assertFails(
          client.writeAndFlush(Pull.of(new byte[0], 10)),
          Outcome.NOT_EXECUTED,
          CloseCode.REFUSED_BY_SINK);
      client.close().sync();
    }
  }

  @Test
  void shouldTellACodeOfTheApplicationFromOneOfRt() throws Exception {
    int same = CloseCode.REFUSED_BY_SINK.code(); // a number that both use
    try (SocketPair pair = new SocketPair(KIND)) {
      pair.listen(
          SocketPair.handlers(
              new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                  if (message instanceof RtPush push) {
                    push.fail(same, "my own words");
                    push.release();
                  } else {
                    ((RtPullRequest) message).fail(same, "");
                  }
                }
              }),
          b ->
              b.childOption(RtChannelOption.MAX_BUFFERED_MESSAGE, 10)
                  .childOption(
                      RtChannelOption.PAYLOAD_SINKS,
                      (channel, length, header) -> header[0] == 2 ? RtSink.refuse(same) : null));
      RtChannel client =
          pair.connect(
              SocketPair.nothing(), b -> b.option(RtChannelOption.MAX_BUFFERED_MESSAGE, 10));
      ChannelFuture answered = client.writeAndFlush(Push.of(EchoTest.text("0123456789"), HEADER));
      ChannelFuture refused = client.writeAndFlush(Push.of(EchoTest.text("x"), new byte[] {2}));
      ChannelFuture pull = client.writeAndFlush(Pull.of(HEADER, 10));
      ChannelFuture tooLong = client.writeAndFlush(Push.of(EchoTest.text("0123456789a"), HEADER));
      for (ChannelFuture byApplication : List.of(answered, refused, pull)) {
        assertThat(byApplication.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(byApplication.cause())
            .isInstanceOfSatisfying(
                RtException.class,
                e -> {
                  assertThat(e.isFromTransport()).isFalse();
                  assertThat(e.outcome()).isEqualTo(Outcome.FAILED);
                  assertThat(e.code()).isEqualTo(same);
                });
      }
      assertThat(answered.cause()).hasMessage("FAILED (application code 13): my own words");
      assertFails(tooLong, Outcome.NOT_EXECUTED, CloseCode.REFUSED_BY_SINK);
      client.close().sync();
    }
  }

  private static ChannelInboundHandlerAdapter throwing(String text) {
    return new ChannelInboundHandlerAdapter() {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) {
        ReferenceCountUtil.release(message);
        throw new IllegalStateException(text);
      }
    };
  }

  @Test
  void shouldFailThePushWhoseHandlerThrowsWithoutItsWords() throws Exception {
    try (SocketPair pair = new SocketPair(KIND)) {
      pair.listen(SocketPair.handlers(throwing("a secret")));
      RtChannel client = pair.connect(SocketPair.nothing());
      assertFails(
          client.writeAndFlush(Push.of(EchoTest.text("x"), HEADER)),
          Outcome.UNKNOWN,
          CloseCode.APPLICATION_ERROR);
      assertFails(
          client.writeAndFlush(EchoTest.text("bare")),
          Outcome.UNKNOWN,
          CloseCode.APPLICATION_ERROR);
      assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void shouldEndTheSinkOfAPullThatWasNeverSent() throws Exception {
    try (SocketPair pair = new SocketPair(KIND)) {
      pair.listen(SocketPair.nothing());
      RtChannel client = pair.connect(SocketPair.nothing());
      List<Boolean> ends = new ArrayList<>();
      RtSink sink =
          new RtSink() {
            @Override
            protected void write(long offset, ByteBuffer from, int index, int length)
                throws IOException {
              throw new IOException("nothing was asked for");
            }

            @Override
            protected void end(boolean whole) {
              ends.add(whole);
            }
          };
      ChannelFuture pull = client.write(Pull.into(sink, HEADER, 10));
      client.close().sync();
      assertThat(pull.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(ends).containsExactly(false);
    }
  }

  private static void shouldDrainWhateverIsFlushedMeanwhile(int lingerSeconds) throws Exception {
    try (SocketPair pair = new SocketPair(KIND)) {
      Inbox inbox = new Inbox();
      pair.listen(SocketPair.handlers(inbox));
      RtChannel client =
          pair.connect(SocketPair.nothing(), b -> b.option(ChannelOption.SO_LINGER, lingerSeconds));
      List<ChannelFuture> writes = new ArrayList<>();
      List<ChannelFuture> late = new ArrayList<>();
      List<String> failed = new ArrayList<>();
      client
          .eventLoop()
          .submit(
              () -> {
                for (int i = 0; i < 100; i++) {
                  writes.add(client.write(EchoTest.text("message " + i)));
                }
                client.flush();
                for (String name : new String[] {"first", "second"}) {
                  late.add(client.write(EchoTest.text(name)));
                  late.get(late.size() - 1)
                      .addListener(
                          done -> {
                            failed.add(name);
                            client.flush();
                          });
                }
                client.close();
                client.flush();
              })
          .sync();
      for (int i = 0; i < 100; i++) {
        assertThat(writes.get(i).await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(writes.get(i).cause()).isNull();
        assertThat(inbox.nextBytes()).asString().isEqualTo("message " + i);
      }
      assertThat(failed).as("in the order of their writes").containsExactly("first", "second");
      assertThat(pair.child().closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void shouldDrainThoughAListenerFlushesInTheClose() throws Exception {
    shouldDrainWhateverIsFlushedMeanwhile(-1);
  }

  @Test
  void shouldDrainThoughSomebodyFlushesWhileTheCloseLingers() throws Exception {
    shouldDrainWhateverIsFlushedMeanwhile(10);
  }

  @Test
  void shouldGiveUpADrainThatThePeerNeverTakes() throws Exception {
    try (SocketPair pair = new SocketPair(KIND)) {
      pair.listen(SocketPair.nothing(), b -> b.childOption(ChannelOption.AUTO_READ, false));
      RtChannel client =
          pair.connect(
              SocketPair.nothing(),
              b ->
                  b.option(RtChannelOption.CLOSE_TIMEOUT_MILLIS, 300L)
                      .option(RtChannelOption.OUTSTANDING_MAX, 64));
      ChannelFuture last = null;
      for (int i = 0; i < 100; i++) {
        last = client.write(Unpooled.wrappedBuffer(new byte[64 << 10]));
      }
      client.flush();
      client.close().sync();
      assertThat(last.await(20, TimeUnit.SECONDS)).as("done").isTrue();
      assertThat(last.isSuccess()).isFalse();
      await()
          .atMost(20, TimeUnit.SECONDS)
          .until(() -> LifeCycleTest.endpointSize(pair.clients().next()) == 0);
    }
  }

  @Test
  void shouldTellOfAFailedBufferWithTheVoidPromiseOnce() throws Exception {
    try (SocketPair pair = new SocketPair(KIND)) {
      pair.listen(
          channel -> channel.pipeline().addLast(throwing("not this one")), // one for each child
          b -> b.option(RtChannelOption.MESSAGE_LENGTH_MAX, 1_000L));
      for (int length : new int[] {10, 1_001}) { // refused by the peer's application; by the core
        Inbox inbox = new Inbox();
        RtChannel client = pair.connect(SocketPair.handlers(inbox));
        client.writeAndFlush(Unpooled.wrappedBuffer(new byte[length]), client.voidPromise());
        assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
        await().untilAsserted(() -> assertThat(inbox.events()).contains("unregistered"));
        assertThat(inbox.failures()).as("%d bytes", length).hasSize(1);
      }
    }
  }

  @Test
  void shouldNotSendWhatWasFlushedBehindARefusedBuffer() throws Exception {
    try (SocketPair pair = new SocketPair(KIND)) {
      AtomicInteger read = new AtomicInteger();
      pair.listen(
          SocketPair.handlers(
              new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                  ReferenceCountUtil.release(message);
                  if (read.getAndIncrement() == 0) {
                    throw new IllegalStateException("not this one");
                  }
                }
              }));
      RtChannel client =
          pair.connect(SocketPair.nothing(), b -> b.option(RtChannelOption.OUTSTANDING_MAX, 64));
      ChannelFuture last = null;
      for (int i = 0; i < 2_000; i++) {
        last = client.write(EchoTest.text("message " + i));
      }
      client.flush();
      assertThat(last.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(last.isSuccess()).isFalse();
      assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(pair.child().closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(read.get()).isLessThan(2_000);
    }
  }

  /**
   * Lets nothing in while it is deaf, and then throws at the second burst out, which is a
   * deadline's.
   */
  private static final class BrokenTap extends RtTap {
    private volatile boolean isDeaf;
    private int bursts;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (!(isDeaf && message instanceof PacketBurst)) {
        ctx.fireChannelRead(message);
      }
    }

    @Override
    protected void onTransmit(PacketBurst burst) {
      if (isDeaf && ++bursts == 2) {
        throw new IllegalStateException("the tap broke");
      }
    }
  }

  @Test
  void shouldEndOnlyTheConnectionWhoseTapThrowsAtADeadline() throws Exception {
    try (SocketPair pair = new SocketPair(KIND)) {
      pair.listen(child -> child.pipeline().addLast(new EchoTest.Echo()));
      BrokenTap tap = new BrokenTap();
      Inbox atBroken = new Inbox();
      RtChannel broken = pair.connect(c -> c.pipeline().addFirst(tap).addLast(atBroken));
      Inbox inbox = new Inbox();
      RtChannel good = pair.connect(SocketPair.handlers(inbox));
      tap.isDeaf = true;
      ChannelFuture write = broken.writeAndFlush(EchoTest.text("never acknowledged"));
      assertThat(write.await(20, TimeUnit.SECONDS)).as("done").isTrue();
      assertThat(broken.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(broken.closeReason().code()).isEqualTo(CloseCode.INTERNAL_ERROR.code());
      assertThat(broken.closeReason().text()).doesNotContain("tap"); // it went to the peer
      await()
          .untilAsserted(
              () ->
                  assertThat(atBroken.failures())
                      .anySatisfy(e -> assertThat(e).hasMessage("the tap broke")));
      good.writeAndFlush(EchoTest.text("good")).sync();
      assertThat(inbox.nextBytes()).asString().isEqualTo("good");
      good.close().sync();
    }
  }
}
