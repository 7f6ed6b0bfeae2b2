package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.rtransport.netty.internal.file.FileBlocks;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** Files that are sent: read ahead beside the event loop, which goes on whatever the disk does. */
@Timeout(90)
class ReadAheadTest {
  private static final int LONG = 3 << 20;
  private static final byte[] NAME = {1};

  private final FileBlocks blocks = new FileBlocks(6);

  private RtPayload payload(GatedFile file, long length) {
    return new RtPayloadOfFile(blocks, file, 0, length, 0, true);
  }

  private void assertAllIsBack(GatedFile file) {
    await().until(() -> file.closes.get() > 0);
    await().until(() -> blocks.usedCount() == 0 && blocks.ownCount() == 0);
    assertThat(file.closes).hasValue(1);
    assertThat(file.wasClosedInACall).isFalse();
  }

  /** Answers pulls with a header by {@code file}, and the others at once. */
  @io.netty.channel.ChannelHandler.Sharable
  private final class Server extends ChannelInboundHandlerAdapter {
    private final GatedFile file;

    Server(GatedFile file) {
      this.file = file;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      RtPullRequest pull = (RtPullRequest) message;
      if (pull.header().length == 0) {
        pull.respond(new byte[8]);
      } else {
        pull.respond(payload(file, file.size()));
      }
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldAnswerOthersOfTheLoopWhileTheDiskDoesNotAnswer(TransportKind kind) throws Exception {
    byte[] content = TransactionTest.random(LONG, 1);
    GatedFile file = new GatedFile(content);
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.handlers(new Server(file)));
      RtChannel client = pair.connect(SocketPair.nothing());
      RtChannel other = pair.connect(SocketPair.nothing());
      Pull pull = Pull.of(NAME, LONG);
      ChannelFuture pulled = client.writeAndFlush(pull);
      await().until(() -> file.waiting.get() == 1);
      for (int i = 0; i < 100; i++) {
        Pull echo = Pull.of(new byte[0], 8);
        other.writeAndFlush(echo).sync();
        echo.answer().get().release();
      }
      assertThat(pulled.isDone()).isFalse();
      file.open();
      assertThat(pulled.await(20, TimeUnit.SECONDS)).isTrue();
      ByteBuf answer = pull.answer().get();
      assertThat(ByteBufUtil.getBytes(answer)).isEqualTo(content);
      answer.release();
      client.close().sync();
      other.close().sync();
    }
    assertAllIsBack(file);
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldReadNoFurtherAheadThanItsBlocks(TransportKind kind) throws Exception {
    GatedFile file = new GatedFile(new byte[16 << 20]);
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.handlers(new Server(file)));
      RtChannel client = pair.connect(SocketPair.nothing());
      RtStreamSink slow =
          new RtStreamSink() {
            @Override
            protected int fragment(ByteBuf fragment) {
              fragment.release();
              return 0;
            }
          };
      client.writeAndFlush(Pull.into(slow, NAME, 16 << 20));
      file.open();
      await().until(() -> blocks.usedCount() == 6); // the peer does not take
      assertThat(blocks.ownCount()).isLessThan(2);
      client.config().setOption(io.netty.channel.ChannelOption.SO_LINGER, 0);
      client.close().sync();
      assertThat(pair.child().closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
    }
    assertAllIsBack(file);
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldEndManyTransfersWithFewBlocks(TransportKind kind) throws Exception {
    byte[] content = TransactionTest.random(LONG, 2);
    List<GatedFile> files = new ArrayList<>();
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      pair.listen(SocketPair.handlers(inbox), b -> b.option(RtChannelOption.ORDERED, false));
      RtChannel client =
          pair.connect(SocketPair.nothing(), b -> b.option(RtChannelOption.ORDERED, false));
      List<Pull> pulls = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        Pull pull = Pull.of(NAME, LONG);
        pulls.add(pull);
        client.writeAndFlush(pull);
      }
      for (int i = 0; i < 20; i++) {
        GatedFile file = new GatedFile(content);
        file.open();
        files.add(file);
        ((RtPullRequest) inbox.next()).respond(payload(file, LONG));
      }
      for (Pull pull : pulls) {
        ByteBuf answer = pull.answer().get(30, TimeUnit.SECONDS);
        assertThat(ByteBufUtil.getBytes(answer)).isEqualTo(content);
        answer.release();
      }
      client.close().sync();
    }
    files.forEach(this::assertAllIsBack);
  }

  private void shouldEnd(TransportKind kind, GatedFile file, long length, Class<?> reason)
      throws Exception {
    file.open();
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.nothing());
      AtomicReference<Throwable> caught = new AtomicReference<>();
      RtChannel client =
          pair.connect(
              SocketPair.handlers(
                  new ChannelInboundHandlerAdapter() {
                    @Override
                    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                      caught.set(cause);
                    }
                  }));
      ChannelFuture push = client.writeAndFlush(payload(file, length));
      assertThat(push.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(push.isSuccess()).isFalse();
      assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      await().until(() -> caught.get() != null);
      assertThat(caught.get()).isInstanceOf(reason);
    }
    assertAllIsBack(file);
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldEndTheConnectionWhenTheDiskFailsInTheMiddle(TransportKind kind) throws Exception {
    GatedFile file = new GatedFile(new byte[LONG]);
    file.failsAt = 1 << 20;
    shouldEnd(kind, file, LONG, IOException.class);
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldEndTheConnectionWhenTheFileIsTruncatedMeanwhile(TransportKind kind) throws Exception {
    shouldEnd(kind, new GatedFile(new byte[LONG]), LONG + 1, EOFException.class);
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldCloseTheFileOnceAndAfterTheReadThatWasUnderWay(TransportKind kind) throws Exception {
    GatedFile file = new GatedFile(new byte[LONG]);
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.nothing());
      RtChannel client = pair.connect(SocketPair.nothing());
      Push push = new Push(payload(file, LONG), NAME);
      ChannelFuture pushed = client.writeAndFlush(push);
      await().until(() -> file.waiting.get() == 1);
      push.cancel();
      assertThat(pushed.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(pushed.cause()).isInstanceOf(RtException.class);
      assertThat(file.closes).hasValue(0);
      file.open();
      assertAllIsBack(file);
      assertThat(client.isActive()).isTrue();
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldFailTheTransferWhenTheExecutorRefuses(TransportKind kind) throws Exception {
    GatedFile file = new GatedFile(new byte[LONG]);
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.nothing());
      RtChannel client =
          pair.connect(
              SocketPair.nothing(),
              b ->
                  b.option(
                      RtChannelOption.FILE_EXECUTOR,
                      task -> {
                        throw new java.util.concurrent.RejectedExecutionException();
                      }));
      ChannelFuture push = client.writeAndFlush(payload(file, LONG));
      assertThat(push.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(push.isSuccess()).isFalse();
      assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
    }
    assertAllIsBack(file);
  }
}
