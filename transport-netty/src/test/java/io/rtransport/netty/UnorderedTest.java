package io.rtransport.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.AbstractBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.handler.FaultInjectionHandler;
import io.rtransport.netty.handler.Faults;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * On an unordered channel no message and no promise waits for another; on an ordered one, and where
 * the sides differ, they do.
 */
@Timeout(90)
class UnorderedTest {
  private static final Faults BAD = new Faults(0.05, 0.05, 0.1, 0.03, 100_000, 400_000);
  private static final String MARK = "this one is lost";

  /**
   * Loses every packet in which a text stands, until it is told to stop; before the packet is
   * looked at.
   */
  private static final class Losing extends ChannelInboundHandlerAdapter {
    private volatile boolean isLosing = true;
    private volatile int lostCount;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      PacketBurst burst = (PacketBurst) message;
      for (int i = 0; isLosing && i < burst.count(); i++) {
        ByteBuffer copy = burst.copy(i);
        byte[] bytes = new byte[copy.remaining()];
        copy.get(bytes);
        if (new String(bytes, US_ASCII).contains(MARK)) {
          burst.drop(i);
          lostCount++;
        }
      }
      ctx.fireChannelRead(message);
    }
  }

  private static void unordered(AbstractBootstrap<?, ?> bootstrap) {
    bootstrap.option(RtChannelOption.ORDERED, false);
  }

  private static List<ChannelFuture> writeEach(RtChannel client, int count) {
    List<ChannelFuture> writes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      writes.add(client.writeAndFlush(EchoTest.text("message " + i)));
    }
    return writes;
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldReadAndCompleteWhatCameWhileAnEarlierMessageIsLost(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      Losing losing = new Losing();
      pair.listen(
          child -> child.pipeline().addFirst(losing).addLast(inbox), UnorderedTest::unordered);
      RtChannel client = pair.connect(SocketPair.nothing(), UnorderedTest::unordered);
      assertThat(client.agreed().isOrdered()).isFalse();
      ChannelFuture lost = client.writeAndFlush(EchoTest.text(MARK));
      await().until(() -> losing.lostCount > 0); // alone in its packet
      List<ChannelFuture> writes = writeEach(client, 20);
      for (ChannelFuture write : writes) {
        assertThat(write.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(write.cause()).isNull();
      }
      assertThat(lost.isDone()).isFalse();
      assertThat(losing.lostCount).isPositive();
      for (int i = 0; i < 20; i++) {
        inbox.nextBytes();
      }
      losing.isLosing = false;
      assertThat(inbox.nextBytes()).asString().isEqualTo(MARK);
      assertThat(lost.await(20, TimeUnit.SECONDS)).isTrue();
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldWaitForTheLostOneWhereOnlyOneSideDoesWithoutOrder(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      Losing losing = new Losing();
      pair.listen(child -> child.pipeline().addFirst(losing).addLast(inbox));
      RtChannel client = pair.connect(SocketPair.nothing(), UnorderedTest::unordered);
      assertThat(client.agreed().isOrdered()).isTrue();
      client.writeAndFlush(EchoTest.text(MARK));
      await().until(() -> losing.lostCount > 0);
      writeEach(client, 20);
      pair.child().writeAndFlush(EchoTest.text("proof that packets flow")).sync();
      assertThat(inbox.waiting()).isZero();
      losing.isLosing = false;
      assertThat(inbox.nextBytes()).asString().isEqualTo(MARK);
      for (int i = 0; i < 20; i++) {
        assertThat(inbox.nextBytes()).asString().isEqualTo("message " + i);
      }
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldCompleteWritesBehindAPullThatIsNotAnswered(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      pair.listen(SocketPair.handlers(inbox), UnorderedTest::unordered);
      RtChannel client = pair.connect(SocketPair.nothing(), UnorderedTest::unordered);
      Pull longPoll = Pull.of(new byte[] {1}, 100);
      ChannelFuture polled = client.writeAndFlush(longPoll);
      RtPullRequest request = (RtPullRequest) inbox.next();
      for (ChannelFuture write : writeEach(client, 20)) {
        assertThat(write.await(20, TimeUnit.SECONDS)).isTrue();
      }
      assertThat(polled.isDone()).isFalse();
      request.respond("news".getBytes(US_ASCII));
      assertThat(polled.await(20, TimeUnit.SECONDS)).isTrue();
      longPoll.answer().get().release();
      client.close().sync();
    }
  }

  /** Four pushes of 1 MiB have all grants that may be ahead, and send nothing. */
  @ParameterizedTest
  @NioAndEpoll
  void shouldGrantOthersWhileTheSourcesOfFourLongPushesHaveNothing(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      pair.listen(SocketPair.handlers(inbox), UnorderedTest::unordered);
      RtChannel client = pair.connect(SocketPair.nothing(), UnorderedTest::unordered);
      List<ChannelFuture> stuck = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        stuck.add(client.writeAndFlush(new Push(new NothingYet(1 << 20), new byte[0])));
      }
      RtChannel child = pair.child();
      await().until(() -> counts(child).getOrDefault(CounterId.GRANTS_SENT, 0L) == 16);
      for (int i = 0; i < 10; i++) {
        ChannelFuture write = client.writeAndFlush(Unpooled.wrappedBuffer(new byte[300_000 + i]));
        assertThat(write.await(20, TimeUnit.SECONDS)).as("write %s", i).isTrue();
        assertThat(write.cause()).isNull();
        assertThat(inbox.nextBytes()).hasSize(300_000 + i);
      }
      assertThat(counts(child)).containsKey(CounterId.GRANTS_STALLED);
      assertThat(stuck).noneMatch(ChannelFuture::isDone);
      client.close().sync();
    }
  }

  private static Map<CounterId, Long> counts(RtChannel channel) throws Exception {
    return channel.stats().get().counters();
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldCarryEachMessageOnceOverABadNetworkAndSomeBeforeEarlierOnes(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      pair.listen(
          child -> {
            new FaultInjectionHandler(BAD, BAD, 11).addTo(child);
            child.pipeline().addLast(inbox);
          },
          UnorderedTest::unordered);
      RtChannel client = pair.connect(SocketPair.nothing(), UnorderedTest::unordered);
      Random random = new Random(7);
      List<ChannelFuture> writes = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        byte[] message = new byte[4 + random.nextInt(1 << random.nextInt(i % 100 == 0 ? 19 : 12))];
        ByteBuffer.wrap(message).putInt(i);
        writes.add(client.writeAndFlush(Unpooled.wrappedBuffer(message)));
      }
      List<Integer> order = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        order.add(ByteBuffer.wrap(inbox.nextBytes()).getInt());
      }
      List<Integer> sent = IntStream.range(0, 400).boxed().toList();
      assertThat(order).containsExactlyInAnyOrderElementsOf(sent).isNotEqualTo(sent);
      for (ChannelFuture write : writes) {
        assertThat(write.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(write.cause()).isNull();
      }
      client.close().sync();
    }
  }
}
