package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.AbstractBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.rtransport.netty.internal.file.FileBlocks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * A disk that does not answer holds back the transfers to it, and nothing else that need not wait
 * for them.
 */
@Timeout(90)
class HungDiskTest {
  private static final byte[] HUNG = {1};
  private static final byte[] FINE = {2};
  private static final int SHORT = 100_000;
  private static final int LONG = 4 << 20;

  private final FileBlocks blocks = new FileBlocks(FileBlocks.BLOCKS_MAX);
  private final GatedFile hung = new GatedFile(new byte[LONG]);

  private static void unordered(AbstractBootstrap<?, ?> bootstrap) {
    bootstrap.option(RtChannelOption.ORDERED, false);
  }

  private RtSink sink(GatedFile file) {
    return new RtFileSink(blocks, file, 0, 0);
  }

  private RtSink choose(byte[] header) {
    if (header.length == 0) {
      return null;
    }
    GatedFile fine = new GatedFile(new byte[LONG]);
    fine.open();
    return sink(header[0] == HUNG[0] ? hung : fine);
  }

  private void listen(SocketPair pair, Inbox inbox, boolean isOrdered) throws Exception {
    pair.listen(
        child -> child.pipeline().addLast(inbox),
        b -> {
          b.option(RtChannelOption.ORDERED, isOrdered);
          b.childOption(RtChannelOption.PAYLOAD_SINKS, (channel, length, header) -> choose(header));
        });
  }

  private static Push push(byte[] header, int length) {
    return Push.of(Unpooled.wrappedBuffer(new byte[length]), header);
  }

  private static void assertDone(ChannelFuture write) throws Exception {
    assertThat(write.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(write.cause()).isNull();
  }

  private void assertAllIsBack() {
    await().until(() -> blocks.usedCount() == 0 && blocks.ownCount() == 0);
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldReadWhatComesBehindAPushThatWaitsForItsDiskWithoutOrder(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      listen(pair, inbox, false);
      RtChannel client = pair.connect(SocketPair.nothing(), HungDiskTest::unordered);
      ChannelFuture first = client.writeAndFlush(push(HUNG, SHORT));
      await().until(() -> hung.waiting.get() == 1);
      ChannelFuture end = client.writeAndFlush(push(FINE, SHORT));
      ChannelFuture text = client.writeAndFlush(EchoTest.text("behind it"));
      assertDone(end);
      assertDone(text);
      assertThat(first.isDone()).isFalse();
      inbox.next();
      inbox.next();
      client.shutdownOutput();
      hung.open();
      assertDone(first);
      assertThat(((RtPush) inbox.next()).header()).isEqualTo(HUNG);
      assertThat(pair.child().closeFuture().await(20, TimeUnit.SECONDS))
          .as("the end of input is told, once all is read")
          .isTrue();
      client.close().sync();
    }
    assertAllIsBack();
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldRefuseAPushThatWaitsForItsDiskWhenTheChannelCloses(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      listen(pair, inbox, false);
      RtChannel client = pair.connect(SocketPair.nothing(), HungDiskTest::unordered);
      ChannelFuture first = client.writeAndFlush(push(HUNG, SHORT));
      assertDone(client.writeAndFlush(push(FINE, SHORT)));
      await().until(() -> hung.waiting.get() == 1);
      pair.child().close().sync();
      assertThat(first.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(first.cause()).isInstanceOf(RtException.class);
      client.close().sync();
      hung.open();
    }
    assertAllIsBack();
  }

  private ChannelFuture pullIntoHung(RtChannel client, Inbox inbox) throws Exception {
    ChannelFuture pull = client.writeAndFlush(Pull.into(sink(hung), HUNG, SHORT));
    ((RtPullRequest) inbox.next()).respond(new byte[SHORT]);
    await().until(() -> hung.waiting.get() == 1);
    return pull;
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldEndWritesBehindAPullThatWaitsForItsDiskWithoutOrder(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      listen(pair, inbox, false);
      RtChannel client = pair.connect(SocketPair.nothing(), HungDiskTest::unordered);
      ChannelFuture pull = pullIntoHung(client, inbox);
      for (int i = 0; i < 20; i++) {
        assertDone(client.writeAndFlush(EchoTest.text("behind it")));
      }
      assertThat(pull.isDone()).isFalse();
      hung.open();
      assertDone(pull);
      client.close().sync();
    }
    assertAllIsBack();
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldEndWritesBehindAPullThatWaitsForItsDiskOnceTheChannelIsClosed(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      listen(pair, inbox, true);
      RtChannel client = pair.connect(SocketPair.nothing());
      ChannelFuture pull = pullIntoHung(client, inbox);
      ChannelFuture behind = client.writeAndFlush(EchoTest.text("behind it"));
      inbox.nextBytes();
      assertDone(pair.child().writeAndFlush(EchoTest.text("the acknowledgement came before it")));
      assertThat(behind.isDone()).as("ends come in order").isFalse();
      client.close().sync();
      assertDone(behind);
      assertThat(pull.isDone()).isFalse();
      hung.open();
      assertDone(pull);
    }
    assertAllIsBack();
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldMoveOtherFilesOfTheConnectionWhileTwentyWaitForTheirDisk(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      listen(pair, inbox, false);
      RtChannel client = pair.connect(SocketPair.nothing(), HungDiskTest::unordered);
      List<ChannelFuture> waiting = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        waiting.add(client.writeAndFlush(push(HUNG, LONG)));
      }
      await().until(() -> hung.waiting.get() == 20);
      for (int i = 0; i < 3; i++) {
        assertDone(client.writeAndFlush(push(FINE, LONG)));
      }
      assertThat(waiting).noneMatch(ChannelFuture::isDone);
      hung.open();
      for (ChannelFuture write : waiting) {
        assertDone(write);
      }
      client.close().sync();
    }
    assertAllIsBack();
  }
}
