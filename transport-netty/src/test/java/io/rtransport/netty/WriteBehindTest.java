package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.netty.handler.FaultInjectionHandler;
import io.rtransport.netty.handler.Faults;
import io.rtransport.netty.internal.file.FileBlocks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are received: written behind the event loop, which goes on whatever the disk does. */
@Timeout(240)
class WriteBehindTest {
  private static final Faults BAD = new Faults(0.05, 0.05, 0.1, 0.03, 100_000, 400_000);
  private static final byte[] NAME = {1};
  private static final int LONG = 20 << 20;

  private final FileBlocks blocks = new FileBlocks(FileBlocks.BLOCKS_PER_TRANSFER_MAX);
  private final AtomicInteger givenUp = new AtomicInteger();

  private RtFileSink sink(GatedFile file) {
    return new RtFileSink(blocks, file, 0, 0) {
      @Override
      protected void onGivenUp() {
        givenUp.incrementAndGet();
      }
    };
  }

  private void assertAllIsBack() {
    await().until(() -> blocks.usedCount() == 0 && blocks.ownCount() == 0);
  }

  private static void assertEchoes(RtChannel channel, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      assertThat(channel.writeAndFlush(EchoTest.text("echo")).await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static void serve(SocketPair pair, Inbox inbox, PayloadSinks sinks) throws Exception {
    pair.listen(
        child -> child.pipeline().addLast(inbox),
        b -> b.childOption(RtChannelOption.PAYLOAD_SINKS, sinks));
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldHoldTheSenderBackAndNobodyElseWhileTheDiskDoesNotAnswer(TransportKind kind)
      throws Exception {
    byte[] stored = new byte[LONG];
    byte[] content = TransactionTest.random(LONG, 1);
    GatedFile file = new GatedFile(stored);
    try (SocketPair pair = new SocketPair(kind)) {
      PayloadSinks sinks = (channel, length, header) -> header.length == 0 ? null : sink(file);
      pair.listen(SocketPair.nothing(), b -> b.childOption(RtChannelOption.PAYLOAD_SINKS, sinks));
      RtChannel client = pair.connect(SocketPair.nothing());
      RtChannel other = pair.connect(SocketPair.nothing());
      ChannelFuture push =
          client.writeAndFlush(Push.of(Unpooled.wrappedBuffer(content.clone()), NAME));
      await().until(() -> file.waiting.get() == 1 && blocks.usedCount() > 8);
      assertEchoes(other, 300);
      assertThat((blocks.usedCount() + blocks.ownCount()) * (long) FileBlocks.BLOCK_BYTES)
          .as("bytes that wait for the disk")
          .isLessThanOrEqualTo(4 << 20);
      assertThat(push.isDone()).isFalse();
      file.open();
      assertThat(push.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(push.cause()).isNull();
      assertThat(stored).isEqualTo(content);
      client.close().sync();
      other.close().sync();
    }
    assertAllIsBack();
    assertThat(givenUp).hasValue(0);
  }

  /**
   * The trailer lies in one block with the file's end, in the next, across their border, or alone.
   */
  @ParameterizedTest
  @ValueSource(
      ints = {
        0,
        1,
        FileBlocks.BLOCK_BYTES - 33,
        FileBlocks.BLOCK_BYTES - 32,
        FileBlocks.BLOCK_BYTES - 31,
        FileBlocks.BLOCK_BYTES - 1,
        FileBlocks.BLOCK_BYTES,
        FileBlocks.BLOCK_BYTES + 1,
        3_000_000
      })
  void shouldCarryATrailerBesideTheFile(int fileBytes) throws Exception {
    byte[] content = TransactionTest.random(fileBytes, 9);
    byte[] trailer = TransactionTest.random(32, 10);
    byte[] stored = new byte[fileBytes + 32];
    GatedFile source = new GatedFile(content);
    GatedFile sink = new GatedFile(stored);
    source.open();
    sink.open();
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    ByteArrayOutputStream trailed = new ByteArrayOutputStream();
    RtPayload payload =
        new RtPayloadOfFile(blocks, source, 0, fileBytes, 32, true) {
          @Override
          void onRead(ByteBuffer bytes) {
            drain(bytes, read);
          }

          @Override
          void trailer(int offset, ByteBuffer to) {
            assertThat(read.size()).as("bytes read before the trailer").isEqualTo(fileBytes);
            to.put(trailer, offset, Math.min(to.remaining(), 32 - offset));
          }
        };
    RtFileSink into =
        new RtFileSink(blocks, sink, 0, 32) {
          @Override
          protected void onWritten(ByteBuffer bytes) {
            drain(bytes, written);
          }

          @Override
          protected void onTrailer(ByteBuffer bytes) {
            assertThat(written.size()).as("bytes written before the trailer").isEqualTo(fileBytes);
            drain(bytes, trailed);
          }
        };
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      pair.listen(
          SocketPair.nothing(),
          b -> b.childOption(RtChannelOption.PAYLOAD_SINKS, (channel, length, header) -> into));
      RtChannel client = pair.connect(SocketPair.nothing());
      assertThat(payload.lengthBytes()).isEqualTo(fileBytes + 32);
      ChannelFuture push = client.writeAndFlush(new Push(payload, NAME));
      assertThat(push.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(push.cause()).isNull();
      client.close().sync();
    }
    assertThat(read.toByteArray()).isEqualTo(content);
    assertThat(written.toByteArray()).isEqualTo(content);
    assertThat(trailed.toByteArray()).isEqualTo(trailer);
    assertThat(Arrays.copyOf(stored, fileBytes)).isEqualTo(content);
    assertThat(Arrays.copyOfRange(stored, fileBytes, fileBytes + 32))
        .as("what follows the file")
        .isEqualTo(new byte[32]);
    assertAllIsBack();
  }

  private static void drain(ByteBuffer bytes, ByteArrayOutputStream to) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    to.writeBytes(copy);
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldDeliverOnlyWhatIsWritten(TransportKind kind) throws Exception {
    byte[] stored = new byte[100_000];
    GatedFile file = new GatedFile(stored);
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      serve(pair, inbox, (channel, length, header) -> header.length == 0 ? null : sink(file));
      RtChannel client = pair.connect(SocketPair.nothing());
      ChannelFuture push =
          client.writeAndFlush(Push.of(Unpooled.wrappedBuffer(new byte[100_000]), NAME));
      ChannelFuture behind = client.writeAndFlush(EchoTest.text("behind it"));
      await().until(() -> file.waiting.get() == 1);
      assertEchoes(pair.child(), 100);
      assertThat(push.isDone() || behind.isDone()).isFalse();
      file.open();
      assertThat(((RtPush) inbox.next()).sink()).isNotNull();
      assertThat(new String(inbox.nextBytes())).isEqualTo("behind it");
      assertThat(push.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(push.cause()).isNull();
      client.close().sync();
    }
    assertAllIsBack();
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldWriteInOrderOverABadNetwork(TransportKind kind) throws Exception {
    byte[] stored = new byte[3 << 20];
    byte[] content = TransactionTest.random(3 << 20, 2);
    GatedFile file = new GatedFile(stored);
    file.open();
    byte[] seen = new byte[3 << 20];
    AtomicInteger seenBytes = new AtomicInteger();
    RtFileSink sink =
        new RtFileSink(blocks, file, 0, 0) {
          @Override
          protected void onWritten(ByteBuffer bytes) {
            int length = bytes.remaining();
            bytes.get(seen, seenBytes.getAndAdd(length), length);
          }
        };
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(
          child -> new FaultInjectionHandler(BAD, BAD, 11).addTo(child),
          b -> b.childOption(RtChannelOption.PAYLOAD_SINKS, (channel, length, header) -> sink));
      RtChannel client = pair.connect(SocketPair.nothing());
      ChannelFuture push =
          client.writeAndFlush(Push.of(Unpooled.wrappedBuffer(content.clone()), NAME));
      Progress.awaitDone(push::isDone, seenBytes::get);
      assertThat(push.cause()).isNull();
      assertThat(stored).isEqualTo(content);
      assertThat(seen).isEqualTo(content);
      client.close().sync();
    }
    assertAllIsBack();
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldFailThePushAloneWhenTheDiskIsFull(TransportKind kind) throws Exception {
    for (int failsAt : new int[] {0, 5 << 20, LONG - 1}) {
      GatedFile file = new GatedFile(new byte[LONG]);
      file.failsAt = failsAt;
      file.open();
      givenUp.set(0);
      try (SocketPair pair = new SocketPair(kind)) {
        PayloadSinks sinks = (channel, length, header) -> header.length == 0 ? null : sink(file);
        pair.listen(SocketPair.nothing(), b -> b.childOption(RtChannelOption.PAYLOAD_SINKS, sinks));
        RtChannel client = pair.connect(SocketPair.nothing());
        ChannelFuture push =
            client.writeAndFlush(Push.of(Unpooled.wrappedBuffer(new byte[LONG]), NAME));
        assertThat(push.await(20, TimeUnit.SECONDS)).isTrue();
        if (failsAt < LONG - 1) {
          assertThat(((RtException) push.cause()).outcome()).isEqualTo(Outcome.NOT_EXECUTED);
          await().untilAsserted(() -> assertThat(givenUp).hasValue(1));
        }
        assertEchoes(client, 1);
        client.close().sync();
      }
      assertAllIsBack();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldFailThePullAloneWhenItsDiskIsFullAtTheLastByte(TransportKind kind) throws Exception {
    GatedFile file = new GatedFile(new byte[50_000]);
    file.failsAt = 0;
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      pair.listen(SocketPair.handlers(inbox));
      RtChannel client = pair.connect(SocketPair.nothing());
      ChannelFuture pull = client.writeAndFlush(Pull.into(sink(file), NAME, 50_000));
      ((RtPullRequest) inbox.next()).respond(new byte[50_000]);
      ChannelFuture behind = client.writeAndFlush(EchoTest.text("behind it"));
      assertThat(inbox.nextBytes()).isNotEmpty();
      await().until(() -> file.waiting.get() == 1);
      assertEchoes(pair.child(), 100);
      assertThat(pull.isDone() || behind.isDone()).as("ends come in order").isFalse();
      file.open();
      assertThat(pull.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(pull.cause()).isInstanceOf(IOException.class);
      assertThat(behind.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(behind.cause()).isNull();
      await().untilAsserted(() -> assertThat(givenUp).hasValue(1)); // on the executor
      client.close().sync();
    }
    assertAllIsBack();
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldGiveUpOnceAndAfterTheWriteThatWasUnderWay(TransportKind kind) throws Exception {
    GatedFile file = new GatedFile(new byte[LONG]);
    try (SocketPair pair = new SocketPair(kind)) {
      PayloadSinks sinks = (channel, length, header) -> sink(file);
      pair.listen(SocketPair.nothing(), b -> b.childOption(RtChannelOption.PAYLOAD_SINKS, sinks));
      RtChannel client =
          pair.connect(SocketPair.nothing(), b -> b.option(ChannelOption.SO_LINGER, 0));
      client.writeAndFlush(Push.of(Unpooled.wrappedBuffer(new byte[LONG]), NAME));
      await().until(() -> file.waiting.get() == 1);
      client.close().sync();
      assertThat(pair.child().closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(givenUp).hasValue(0);
      file.open();
      await().untilAsserted(() -> assertThat(givenUp).hasValue(1));
      assertAllIsBack();
    }
    assertThat(givenUp).hasValue(1);
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldTakeNoBytesOnceItIsGivenUp(TransportKind kind) throws Exception {
    RtFileSink sink = sink(new GatedFile(new byte[LONG]));
    ByteBuffer bytes = ByteBuffer.allocate(1_000);
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.nothing());
      RtChannel channel = pair.connect(SocketPair.nothing());
      Callable<?> giveUp =
          () -> {
            sink.open(inside(channel), 0, false, LONG);
            sink.write(0, bytes, 0, bytes.capacity());
            sink.end(false);
            assertThatThrownBy(() -> sink.write(bytes.capacity(), bytes, 0, bytes.capacity()))
                .isInstanceOf(IOException.class);
            return null;
          };
      channel.eventLoop().submit(giveUp).get(20, TimeUnit.SECONDS);
      assertAllIsBack();
      channel.close().sync();
    }
    await().untilAsserted(() -> assertThat(givenUp).hasValue(1));
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldEndManyTransfersWithFewBlocks(TransportKind kind) throws Exception {
    FileBlocks few = new FileBlocks(3);
    byte[] content = TransactionTest.random(3 << 20, 3);
    List<byte[]> stored = new ArrayList<>();
    try (SocketPair pair = new SocketPair(kind)) {
      PayloadSinks sinks =
          (channel, length, header) -> {
            byte[] bytes = new byte[(int) length];
            stored.add(bytes);
            GatedFile file = new GatedFile(bytes);
            file.open();
            return new RtFileSink(few, file, 0, 0);
          };
      pair.listen(SocketPair.nothing(), b -> b.childOption(RtChannelOption.PAYLOAD_SINKS, sinks));
      List<ChannelFuture> pushes = new ArrayList<>();
      List<RtChannel> clients = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        RtChannel client = pair.connect(SocketPair.nothing());
        clients.add(client);
        for (int j = 0; j < 3; j++) {
          pushes.add(client.writeAndFlush(Push.of(Unpooled.wrappedBuffer(content.clone()), NAME)));
        }
      }
      for (ChannelFuture push : pushes) {
        assertThat(push.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(push.cause()).isNull();
      }
      assertThat(stored).hasSize(24).allSatisfy(s -> assertThat(s).isEqualTo(content));
      for (RtChannel client : clients) {
        client.close().sync();
      }
    }
    await().until(() -> few.usedCount() == 0 && few.ownCount() == 0);
  }
}
