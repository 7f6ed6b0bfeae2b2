package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultFileRegion;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.stats.CounterId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** Push, Pull and their answers as whole transactions, over real sockets. */
@Timeout(60)
class TransactionTest {
  private static final byte[] HEADER = "a header".getBytes(StandardCharsets.UTF_8);

  @TempDir Path directory;

  /** Answers pulls by a function. */
  static class Answering extends ChannelInboundHandlerAdapter {
    private final BiConsumer<ChannelHandlerContext, RtPullRequest> answer;

    Answering(BiConsumer<ChannelHandlerContext, RtPullRequest> answer) {
      this.answer = answer;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      answer.accept(ctx, (RtPullRequest) message);
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldEndAPushWhenTheApplicationSaysSo(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      pair.listen(
          SocketPair.handlers(inbox),
          bootstrap ->
              bootstrap.childOption(
                  RtChannelOption.ACKNOWLEDGE, RtChannelOption.Acknowledge.EXPLICIT));
      RtChannel client = pair.connect(SocketPair.nothing());
      ChannelFuture taken = client.writeAndFlush(Push.of(EchoTest.text("one"), HEADER));
      ChannelFuture refused = client.writeAndFlush(Push.of(EchoTest.text("two"), new byte[0]));
      RtPush first = (RtPush) inbox.next();
      RtPush second = (RtPush) inbox.next();
      assertThat(first.header()).isEqualTo(HEADER);
      assertThat(first.lengthBytes()).isEqualTo(3);
      assertThat(first.content().toString(StandardCharsets.UTF_8)).isEqualTo("one");
      assertThat(second.header()).isEmpty();
      assertThat(taken.isDone()).isFalse();
      assertThat(second.fail(77, "no thanks")).isTrue();
      assertThat(second.fail(78, "again")).isFalse();
      assertThat(first.acknowledge()).isTrue();
      assertThat(first.acknowledge()).isFalse();
      first.release();
      second.release();
      assertThat(taken.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(taken.isSuccess()).isTrue();
      assertThat(refused.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(refused.cause())
          .isInstanceOfSatisfying(
              RtException.class,
              e -> {
                assertThat(e.outcome()).isEqualTo(Outcome.FAILED);
                assertThat(e.code()).isEqualTo(77);
                assertThat(e).hasMessageContaining("no thanks");
              });
      assertThat(client.isActive()).as("a push fails alone").isTrue();
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldCloseTheChannelWhenABareBufferIsRefused(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(
          SocketPair.handlers(
              new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                  ((ByteBuf) message).release();
                  throw new IllegalStateException("the handler failed");
                }
              }));
      Inbox inbox = new Inbox();
      RtChannel client = pair.connect(SocketPair.handlers(inbox));
      ChannelFuture write = client.writeAndFlush(EchoTest.text("one"));
      assertThat(write.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(write.cause())
          .isInstanceOf(RtException.class)
          .hasMessage("UNKNOWN (APPLICATION_ERROR)");
      assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(inbox.failures()).hasOnlyElementsOfType(RtException.class);
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldPullABufferAndAFileRegionAndARefusal(TransportKind kind) throws Exception {
    byte[] stored = random(300_000, 3);
    Path file = Files.write(directory.resolve("stored"), stored);
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(
          SocketPair.handlers(
              new Answering(
                  (ctx, request) -> {
                    switch (new String(request.header(), StandardCharsets.UTF_8)) {
                      case "buffer" -> request.respond(Unpooled.wrappedBuffer(stored, 0, 1_000));
                      case "empty" -> request.respond(Unpooled.EMPTY_BUFFER);
                      case "file" ->
                          request.respond(new DefaultFileRegion(file.toFile(), 0, stored.length));
                      default -> request.fail(404, "no such thing");
                    }
                  })));
      RtChannel client = pair.connect(SocketPair.nothing());
      assertThat(pull(client, "buffer", 1_000)).isEqualTo(Arrays.copyOf(stored, 1_000));
      assertThat(pull(client, "empty", 10)).isEmpty();
      assertThat(pull(client, "file", 1 << 20)).isEqualTo(stored);
      Pull missing = Pull.of("missing".getBytes(StandardCharsets.UTF_8), 10);
      ChannelFuture write = client.writeAndFlush(missing);
      assertThat(write.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(write.cause())
          .isInstanceOfSatisfying(RtException.class, e -> assertThat(e.code()).isEqualTo(404));
      assertThat(missing.answer()).isCompletedExceptionally();
      assertThat(inside(client).writes().liveCount()).isZero();
      client.close().sync();
    }
  }

  private static byte[] pull(RtChannel client, String name, int max)
      throws InterruptedException, ExecutionException {
    Pull pull = Pull.of(name.getBytes(StandardCharsets.UTF_8), max);
    client.writeAndFlush(pull).sync();
    ByteBuf answer = pull.answer().get();
    byte[] bytes = ByteBufUtil.getBytes(answer);
    answer.release();
    return bytes;
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldCarryAFileOf64MebibytesIntoAFile(TransportKind kind) throws Exception {
    byte[] content = random(64 << 20, 4);
    Path source = Files.write(directory.resolve("source"), content);
    Path stored = directory.resolve("stored");
    try (SocketPair pair = new SocketPair(kind);
        FileChannel out = open(stored)) {
      Inbox inbox = new Inbox();
      PayloadSinks sinks = (channel, length, header) -> RtSink.toFile(out, 0);
      pair.listen(
          SocketPair.handlers(inbox),
          bootstrap -> bootstrap.childOption(RtChannelOption.PAYLOAD_SINKS, sinks));
      RtChannel client = pair.connect(SocketPair.nothing());
      FileChannel in = FileChannel.open(source, StandardOpenOption.READ);
      client.writeAndFlush(new Push(RtPayload.ofFile(in, 0, content.length, true), HEADER)).sync();
      RtPush pushed = (RtPush) inbox.next();
      assertThat(pushed.content()).isNull();
      assertThat(pushed.sink()).isNotNull();
      pushed.release();
      assertThat(in.isOpen()).as("released with its last byte").isFalse();
      assertThat(Files.mismatch(source, stored)).isEqualTo(-1);
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldPullAFileIntoAFile(TransportKind kind) throws Exception {
    byte[] content = random(20 << 20, 5);
    Path source = Files.write(directory.resolve("source"), content);
    Path back = directory.resolve("back");
    try (SocketPair pair = new SocketPair(kind);
        FileChannel out = open(back)) {
      pair.listen(
          SocketPair.handlers(
              new Answering((ctx, request) -> request.respond(fileOf(source, content.length)))));
      RtChannel client = pair.connect(SocketPair.nothing());
      Pull pull = Pull.into(RtSink.toFile(out, 0), HEADER, content.length);
      client.writeAndFlush(pull).sync();
      assertThat(pull.answer().get()).isNull();
      assertThat(Files.mismatch(source, back)).isEqualTo(-1);
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldRefuseBeforeTheFirstGrant(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      PayloadSinks sinks =
          (channel, length, header) -> header.length == 0 ? null : RtSink.refuse(507);
      pair.listen(
          SocketPair.nothing(),
          bootstrap ->
              bootstrap
                  .childOption(RtChannelOption.PAYLOAD_SINKS, sinks)
                  .childOption(RtChannelOption.MAX_BUFFERED_MESSAGE, 100_000));
      RtChannel client = pair.connect(SocketPair.nothing());
      ChannelFuture refused =
          client.writeAndFlush(Push.of(Unpooled.wrappedBuffer(new byte[1 << 20]), HEADER));
      ChannelFuture tooLong =
          client.writeAndFlush(Push.of(Unpooled.wrappedBuffer(new byte[100_001])));
      assertThat(refused.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(refused.cause())
          .isInstanceOfSatisfying(RtException.class, e -> assertThat(e.code()).isEqualTo(507));
      assertThat(tooLong.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(tooLong.cause()).isInstanceOf(RtException.class);
      assertThat(client.stats().get().counters()).doesNotContainKey(CounterId.GRANTS_RECEIVED);
      client.close().sync();
    }
  }

  /** Small ones are given to the handlers whole, unless there is a choice. */
  @ParameterizedTest
  @NioAndEpoll
  void shouldAskOnceWhereEachSmallMessageGoes(TransportKind kind) throws Exception {
    Path stored = directory.resolve("stored");
    try (SocketPair pair = new SocketPair(kind);
        FileChannel out = open(stored)) {
      Inbox inbox = new Inbox();
      List<Long> asked = new ArrayList<>();
      PayloadSinks sinks =
          (channel, length, header) -> {
            asked.add(length);
            return length == 4 ? RtSink.toFile(out, 0) : null;
          };
      pair.listen(
          SocketPair.handlers(inbox),
          bootstrap -> bootstrap.childOption(RtChannelOption.PAYLOAD_SINKS, sinks));
      RtChannel client = pair.connect(SocketPair.nothing());
      for (int length : new int[] {3, 4, 5}) {
        client.writeAndFlush(Unpooled.wrappedBuffer(random(length, length))).sync();
      }
      assertThat(inbox.nextBytes()).isEqualTo(random(3, 3));
      ((RtPush) inbox.next()).release();
      assertThat(Files.readAllBytes(stored)).isEqualTo(random(4, 4));
      assertThat(inbox.nextBytes()).isEqualTo(random(5, 5));
      assertThat(asked).containsExactly(3L, 4L, 5L);
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldFailWhatItCanNotSendAndSayWhy(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.nothing());
      RtChannel client = pair.connect(SocketPair.nothing());
      ChannelFuture odd = client.writeAndFlush("a string").await();
      assertThat(odd.cause())
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("String");
      ChannelFuture header =
          client.writeAndFlush(Push.of(Unpooled.EMPTY_BUFFER, new byte[513])).await();
      assertThat(header.cause())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("513");
      assertThat(client.isActive()).isTrue();
      client.close().sync();
    }
  }

  private static RtPayload fileOf(Path path, long length) {
    try {
      return RtPayload.ofFile(FileChannel.open(path, StandardOpenOption.READ), 0, length, true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static FileChannel open(Path path) throws IOException {
    return FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }
}
