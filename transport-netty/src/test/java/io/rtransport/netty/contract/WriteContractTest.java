package io.rtransport.netty.contract;

import static io.rtransport.netty.contract.Journal.EXCEPTION;
import static io.rtransport.netty.contract.Journal.READ;
import static io.rtransport.netty.contract.Journal.REMOVED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.FileRegion;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.AbstractReferenceCounted;
import io.netty.util.ReferenceCounted;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Writing: what leaves when, whose buffer is whose, and how promises end. */
@ExtendWith(ContractCount.class)
@Timeout(60)
class WriteContractTest {
  @TempDir Path directory;

  @Contract
  void shouldSendNothingBeforeTheFlush(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      ChannelFuture write = rig.client.write(Rig.text("first"));
      Rig.runOnLoop(rig.client, () -> {});
      // The other way round a message comes through meanwhile.
      Rig.succeeded(rig.child.writeAndFlush(Rig.text("between")));
      rig.atClient.awaitText("between");
      assertThat(rig.atChild.size()).isZero();
      assertThat(write.isDone()).isFalse();
      rig.client.flush();
      Rig.succeeded(write);
      rig.atChild.awaitText("first");
    }
  }

  @Contract
  void shouldSkipAndReleaseWhatWasCancelledBeforeTheFlush(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      ByteBuf cancelled = Unpooled.directBuffer().writeLong(7); // a heap buffer TCP would copy
      ChannelFuture last =
          Rig.onLoop(
              rig.client,
              () -> {
                rig.client.write(Rig.text("first "));
                ChannelFuture write = rig.client.write(cancelled);
                ChannelFuture after = rig.client.write(Rig.text("last"));
                assertThat(write.cancel(false)).isTrue();
                assertThat(cancelled.refCnt()).as("kept until the flush").isEqualTo(1);
                rig.client.flush();
                assertThat(cancelled.refCnt()).isZero();
                return after;
              });
      Rig.succeeded(last);
      rig.atChild.awaitText("first last");
    }
  }

  @Contract
  void shouldNotCancelWhatWasFlushed(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      ChannelFuture write =
          Rig.onLoop(
              rig.client,
              () -> {
                ChannelFuture flushed = rig.client.writeAndFlush(Rig.text("flushed"));
                assertThat(flushed.cancel(false)).isFalse();
                return flushed;
              });
      Rig.succeeded(write);
      rig.atChild.awaitText("flushed");
    }
  }

  @Contract
  void shouldWriteWithTheVoidPromise(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      ByteBuf buffer = Rig.text("first ");
      rig.client.write(buffer, rig.client.voidPromise());
      Rig.succeeded(rig.client.writeAndFlush(Rig.text("second")));
      rig.atChild.awaitText("first second");
      assertThat(buffer.refCnt()).isZero();
      assertThat(rig.atClient.failures()).isEmpty();
    }
  }

  /** Something that no channel knows. */
  private static final class Strange extends AbstractReferenceCounted {
    @Override
    public ReferenceCounted touch(Object hint) {
      return this;
    }

    @Override
    protected void deallocate() {}
  }

  @Contract
  void shouldFailWhatItDoesNotKnowNameItAndReleaseIt(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      Strange strange = new Strange();
      assertThat(Rig.failure(rig.client.writeAndFlush(strange)))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("unsupported message type: ")
          .hasMessageContaining("Strange (expected: ")
          .hasMessageContaining("ByteBuf")
          .hasMessageContaining("FileRegion");
      assertThat(strange.refCnt()).isZero();
      Strange second = new Strange();
      rig.client.write(second, rig.client.voidPromise());
      Rig.succeeded(rig.client.writeAndFlush(Rig.text("goes on")));
      rig.atChild.awaitText("goes on");
      assertThat(second.refCnt()).isZero();
      assertThat(rig.atClient.failures()).as("of the void promise").isEmpty();
    }
  }

  @Contract
  void shouldFailAndReleaseWhatIsWrittenAfterTheClose(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      Rig.succeeded(rig.client.close());
      ByteBuf late = Rig.text("late");
      assertThat(Rig.failure(rig.client.writeAndFlush(late)))
          .isInstanceOf(ClosedChannelException.class);
      assertThat(late.refCnt()).isZero();
      rig.client.flush(); // nothing, and no harm
      Rig.succeeded(rig.child.closeFuture());
      assertThat(Rig.failure(rig.child.writeAndFlush(Rig.text("late too"))))
          .isInstanceOf(ClosedChannelException.class);
    }
  }

  @Contract
  void shouldFailWhatWasNotFlushedWhenItClosesOnceTheCloseIsDone(Transport transport)
      throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      Journal journal = rig.atClient;
      ByteBuf one = Rig.text("one");
      ByteBuf two = Rig.text("two");
      Rig.runOnLoop(
          rig.client,
          () -> {
            rig.client
                .write(one)
                .addListener(
                    end -> journal.note("one " + (end.cause() instanceof ClosedChannelException)));
            rig.client.write(two).addListener(end -> journal.note("two"));
            rig.client.close(rig.client.newPromise().addListener(end -> journal.note("closed")));
          });
      journal.awaitEvent(REMOVED);
      assertThat(journal.all()).containsSubsequence("closed", "one true", "two", Journal.INACTIVE);
      assertThat(one.refCnt()).isZero();
      assertThat(two.refCnt()).isZero();
      Rig.succeeded(rig.child.closeFuture());
      assertThat(rig.atChild.size()).isZero();
    }
  }

  @Contract
  void shouldDeliverWhatWasFlushedBeforeTheClose(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      Rig.runOnLoop(
          rig.client,
          () -> {
            rig.client.writeAndFlush(Rig.zeros(30_000));
            rig.client.close();
          });
      rig.atChild.awaitSize(30_000);
      rig.atChild.awaitEvent(REMOVED);
      assertThat(rig.atChild.failures()).isEmpty();
    }
  }

  /** Counts how often somebody ends it. */
  private static final class CountedPromise extends DefaultChannelPromise {
    private final AtomicInteger ends = new AtomicInteger();

    CountedPromise(Channel channel) {
      super(channel);
    }

    @Override
    public boolean trySuccess(Void result) {
      ends.incrementAndGet();
      return super.trySuccess(result);
    }

    @Override
    public boolean trySuccess() {
      return trySuccess(null);
    }

    @Override
    public ChannelPromise setSuccess(Void result) {
      ends.incrementAndGet();
      return super.setSuccess(result);
    }

    @Override
    public boolean tryFailure(Throwable cause) {
      ends.incrementAndGet();
      return super.tryFailure(cause);
    }

    @Override
    public ChannelPromise setFailure(Throwable cause) {
      ends.incrementAndGet();
      return super.setFailure(cause);
    }
  }

  @Contract
  void shouldEndEachPromiseOnceAndOnTheLoop(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      List<CountedPromise> promises = new ArrayList<>();
      AtomicInteger elsewhere = new AtomicInteger();
      for (int i = 0; i < 50; i++) {
        CountedPromise promise = new CountedPromise(rig.client);
        promise.addListener(
            end -> elsewhere.addAndGet(rig.client.eventLoop().inEventLoop() ? 0 : 1));
        promises.add(promise);
        rig.client.write(Rig.text("x"), promise); // the last ten are not flushed
        if (i == 39) {
          rig.client.flush();
          Rig.succeeded(promise);
        }
      }
      CountedPromise close = new CountedPromise(rig.client);
      promises.add(close);
      Rig.succeeded(rig.client.close(close));
      for (CountedPromise promise : promises) {
        Rig.done(promise);
      }
      rig.atClient.awaitEvent(REMOVED);
      assertThat(promises).allMatch(promise -> promise.ends.get() == 1);
      assertThat(promises.stream().filter(ChannelFuture::isSuccess)).hasSize(41);
      assertThat(elsewhere).hasValue(0);
    }
  }

  @Contract
  void shouldEndPromisesInTheOrderOfTheWrites(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      List<Integer> ends = Collections.synchronizedList(new ArrayList<>());
      ChannelFuture last = null;
      for (int i = 0; i < 300; i++) {
        int number = i;
        last = rig.client.write(Rig.zeros(1 + i % 7 * 500));
        last.addListener(end -> ends.add(number));
        if (i % 10 == 0) {
          rig.client.flush();
        }
      }
      rig.client.flush();
      Rig.succeeded(last);
      await().until(() -> ends.size() == 300);
      assertThat(ends).isSorted();
    }
  }

  @Contract
  void shouldSendAFileRegionAndReleaseIt(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      byte[] content = new byte[200_000];
      new Random(4).nextBytes(content);
      Path file = Files.write(directory.resolve("region"), content);
      FileRegion region = new DefaultFileRegion(file.toFile(), 1_000, 150_000);
      rig.client.write(Rig.text("before "));
      ChannelFuture sent = rig.client.write(region);
      Rig.succeeded(rig.client.writeAndFlush(Rig.text(" after")));
      Rig.succeeded(sent);
      rig.atChild.awaitSize(7 + 150_000 + 6);
      byte[] received = rig.atChild.bytes();
      assertThat(java.util.Arrays.copyOfRange(received, 7, 150_007))
          .isEqualTo(java.util.Arrays.copyOfRange(content, 1_000, 151_000));
      assertThat(region.refCnt()).isZero();
      assertThat(region.transferred()).isEqualTo(150_000);
    }
  }

  /** Its length was announced, over TCP by whoever frames it. */
  @Contract
  void shouldEndTheChannelOverAFileRegionThatEndsEarly(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      Path file = directory.resolve("short");
      Files.write(file, new byte[50_000]);
      FileRegion region = new DefaultFileRegion(file.toFile(), 0, 150_000);
      assertThat(Rig.failure(rig.client.writeAndFlush(region))).isInstanceOf(IOException.class);
      await().until(() -> region.refCnt() == 0); // by another thread than the loop, perhaps
      Rig.succeeded(rig.client.closeFuture());
      Rig.succeeded(rig.child.closeFuture());
    }
  }

  /** Writes back what it reads, at once. */
  private static final class Answering extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ctx.writeAndFlush(message);
    }
  }

  /** Codecs that answer what they know as answered count on it, such as HTTP/2's. */
  @Contract
  void shouldEndAWriteBeforeItsAnswerIsRead(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.childHandlers = () -> Rig.handlers(new Answering());
      List<Boolean> wasDone = new CopyOnWriteArrayList<>();
      AtomicReference<ChannelFuture> write = new AtomicReference<>();
      CountDownLatch answers = new CountDownLatch(300);
      rig.clientHandlers =
          () ->
              Rig.handlers(
                  new SimpleChannelInboundHandler<ByteBuf>() {
                    private int left;

                    @Override
                    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf answer) {
                      left -= answer.readableBytes();
                      if (left == 0) {
                        wasDone.add(write.get().isDone());
                        answers.countDown();
                        next(ctx);
                      }
                    }

                    @Override
                    public void channelActive(ChannelHandlerContext ctx) {
                      next(ctx);
                    }

                    private void next(ChannelHandlerContext ctx) {
                      // Each third is longer than a packet, each ninth asks before it is sent.
                      long count = answers.getCount();
                      left = count % 9 == 0 ? 20_000 : count % 3 == 0 ? 3_000 : 20;
                      write.set(count == 0 ? null : ctx.writeAndFlush(Rig.zeros(left)));
                    }
                  });
      rig.open();
      assertThat(answers.await(Rig.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(wasDone).hasSize(300).containsOnly(true);
    }
  }

  @Contract
  void shouldCompleteAnEmptyBuffer(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      Rig.succeeded(rig.client.writeAndFlush(Unpooled.EMPTY_BUFFER));
      ByteBuf empty = Unpooled.buffer(8);
      Rig.succeeded(rig.client.writeAndFlush(empty));
      assertThat(empty.refCnt()).isZero();
      Rig.succeeded(rig.client.writeAndFlush(Rig.text("full")));
      rig.atChild.awaitText("full");
      Difference.EMPTY_BUFFERS.check(
          transport, rig.atChild.readLengths(), List.of(4), List.of(0, 0, 4));
    }
  }

  @Contract
  void shouldDeliverBuffersOfEveryKind(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      ByteBuf direct = Unpooled.directBuffer().writeBytes(new byte[] {'a', 'b'});
      ByteBuf composite = Unpooled.wrappedBuffer(Rig.text("cd"), Rig.text("ef"));
      ByteBuf slice = Rig.text("xghx").slice(1, 2);
      ByteBuf readOnly = Rig.text("ij").asReadOnly();
      ByteBuf pooled = rig.client.alloc().buffer().writeBytes(new byte[] {'x', 'k', 'l'});
      pooled.skipBytes(1);
      List<ByteBuf> all = List.of(direct, composite, slice, readOnly, pooled);
      ChannelFuture last = null;
      for (ByteBuf buffer : all) {
        last = rig.client.write(buffer);
      }
      rig.client.flush();
      Rig.succeeded(last);
      rig.atChild.awaitText("abcdefghijkl");
      assertThat(all).allMatch(buffer -> buffer.refCnt() == 0);
    }
  }

  @Contract
  void shouldTakeWritesOfManyThreadsEachInItsOrder(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      int threads = 4;
      int each = 250;
      List<Thread> writers = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        int number = t;
        Thread writer =
            new Thread(
                () -> {
                  for (int i = 0; i < each; i++) {
                    rig.client.writeAndFlush(Unpooled.buffer().writeInt(number * each + i));
                  }
                });
        writers.add(writer);
        writer.start();
      }
      for (Thread writer : writers) {
        writer.join();
      }
      rig.atChild.awaitSize(4 * threads * each);
      ByteBuf received = Unpooled.wrappedBuffer(rig.atChild.bytes());
      int[] next = new int[threads];
      while (received.isReadable()) {
        int value = received.readInt();
        assertThat(value % each).isEqualTo(next[value / each]++);
      }
    }
  }

  @Contract
  void shouldTakeWritesWithinEveryEvent(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      List<Throwable> late = Collections.synchronizedList(new ArrayList<>());
      rig.childHandlers =
          () ->
              Rig.handlers(
                  new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelActive(ChannelHandlerContext ctx) {
                      ctx.writeAndFlush(Rig.text("active "));
                      ctx.fireChannelActive();
                    }

                    @Override
                    public void channelRead(ChannelHandlerContext ctx, Object message) {
                      ctx.writeAndFlush(Rig.text("read "));
                      ctx.fireChannelRead(message);
                    }

                    @Override
                    public void channelReadComplete(ChannelHandlerContext ctx) {
                      ctx.fireChannelReadComplete();
                    }

                    @Override
                    public void channelInactive(ChannelHandlerContext ctx) {
                      ctx.writeAndFlush(Rig.text("inactive"))
                          .addListener(end -> late.add(end.cause()));
                      ctx.fireChannelInactive();
                    }
                  });
      rig.open();
      rig.atClient.awaitText("active ");
      rig.client.writeAndFlush(Rig.text("x"));
      rig.atClient.awaitText("active read ");
      Rig.succeeded(rig.client.close());
      await().until(() -> !late.isEmpty());
      assertThat(late).hasOnlyElementsOfType(ClosedChannelException.class);
    }
  }

  @Contract
  void shouldEndAWriteWhenItsTaken(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.serverOptions = b -> b.childOption(ChannelOption.AUTO_READ, false);
      rig.open();
      ChannelFuture write = rig.client.writeAndFlush(Rig.text("not read"));
      if (!transport.isRt()) {
        Rig.succeeded(write);
      }
      Rig.succeeded(rig.child.writeAndFlush(Unpooled.EMPTY_BUFFER)); // goes on meanwhile
      Rig.runOnLoop(rig.client, () -> {});
      Difference.WRITE_COMPLETES.check(transport, write.isDone(), true, false);
      rig.child.config().setAutoRead(true);
      Rig.succeeded(write);
      rig.atChild.awaitText("not read");
    }
  }

  @Contract
  void shouldFailWhatIsOutstandingWhenThePeerResetsAndTellEachVoidWrite(Transport transport)
      throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.serverOptions =
          b ->
              b.option(ChannelOption.SO_RCVBUF, 16_384)
                  .childOption(ChannelOption.AUTO_READ, false)
                  .childOption(ChannelOption.SO_LINGER, 0);
      rig.clientOptions = b -> b.option(ChannelOption.SO_SNDBUF, 16_384);
      rig.open();
      int each = 4 << 20; // the first fills all buffers on the way, so none of the others leaves
      List<ChannelFuture> writes = new ArrayList<>();
      rig.client.write(Rig.zeros(each)).addListener(end -> {});
      for (int i = 0; i < 3; i++) {
        writes.add(rig.client.write(Rig.zeros(each)));
        rig.client.write(Rig.zeros(each), rig.client.voidPromise());
      }
      rig.client.flush();
      Rig.runOnLoop(rig.client, () -> {});
      Rig.succeeded(rig.child.close());
      Rig.succeeded(rig.client.closeFuture());
      for (ChannelFuture write : writes) {
        assertThat(Rig.failure(write)).isInstanceOf(IOException.class);
      }
      rig.atClient.awaitEvent(REMOVED);
      // One for each void write, and one for the connection if nothing else has told of it.
      assertThat(rig.atClient.count(EXCEPTION)).isBetween(3, 4);
      assertThat(rig.atClient.failures()).allMatch(IOException.class::isInstance);
      assertThat(rig.atClient.count(READ)).isZero();
    }
  }
}
