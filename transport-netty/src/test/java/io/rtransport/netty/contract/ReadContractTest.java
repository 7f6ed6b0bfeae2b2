package io.rtransport.netty.contract;

import static io.rtransport.netty.contract.Journal.COMPLETE;
import static io.rtransport.netty.contract.Journal.INACTIVE;
import static io.rtransport.netty.contract.Journal.READ;
import static io.rtransport.netty.contract.Journal.REMOVED;
import static io.rtransport.netty.contract.Journal.UNWRITABLE;
import static io.rtransport.netty.contract.Journal.WRITABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MaxMessagesRecvByteBufAllocator;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Reading: on demand, in batches, and on other threads. TCP's reads are made as long as the
 * messages here, so that both sides count the same things.
 */
@ExtendWith(ContractCount.class)
@Timeout(60)
class ReadContractTest {
  private static final int LENGTH = 8;

  /** Each read brings one message. */
  private static FixedRecvByteBufAllocator oneMessage() {
    return new FixedRecvByteBufAllocator(LENGTH);
  }

  private static void onDemand(ServerBootstrap bootstrap) {
    bootstrap
        .childOption(ChannelOption.RECVBUF_ALLOCATOR, oneMessage())
        .childOption(ChannelOption.AUTO_READ, false);
  }

  private static void writeMessages(Rig rig, int count) {
    for (int i = 0; i < count; i++) {
      rig.client.write(Unpooled.buffer().writeLong(i));
    }
    rig.client.flush();
  }

  private static void assertMessages(Journal journal, int count) {
    journal.awaitSize(count * LENGTH);
    ByteBuf bytes = Unpooled.wrappedBuffer(journal.bytes());
    for (int i = 0; i < count; i++) {
      assertThat(bytes.readLong()).isEqualTo(i);
    }
  }

  @Contract
  void shouldReadOneForEachRead(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.serverOptions = ReadContractTest::onDemand;
      rig.open();
      writeMessages(rig, 5);
      Rig.succeeded(rig.child.writeAndFlush(Rig.text("the other way goes on")));
      rig.atClient.awaitText("the other way goes on");
      for (int i = 0; i < 5; i++) {
        assertThat(rig.atChild.count(READ)).isEqualTo(i);
        rig.child.read();
        rig.atChild.awaitSize((i + 1) * LENGTH);
        Rig.runOnLoop(rig.child, () -> {});
        int complete = i + 1;
        await().until(() -> rig.atChild.count(COMPLETE) == complete);
      }
      assertMessages(rig.atChild, 5);
      assertThat(rig.atChild.all()).containsSubsequence(READ, COMPLETE, READ, COMPLETE);
    }
  }

  @Contract
  void shouldReadAllWhenAutoReadIsSwitchedOn(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.serverOptions = ReadContractTest::onDemand;
      rig.open();
      writeMessages(rig, 40);
      rig.child.read();
      rig.atChild.awaitSize(LENGTH);
      rig.child.config().setAutoRead(true);
      assertMessages(rig.atChild, 40);
    }
  }

  @Contract
  void shouldStopWhereAHandlerSwitchesAutoReadOff(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      AtomicInteger read = new AtomicInteger();
      rig.serverOptions = b -> b.childOption(ChannelOption.RECVBUF_ALLOCATOR, oneMessage());
      rig.childHandlers =
          () ->
              Rig.handlers(
                  new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext ctx, Object message) {
                      if (read.incrementAndGet() == 3) {
                        ctx.channel().config().setAutoRead(false);
                      }
                      ctx.fireChannelRead(message);
                    }
                  });
      rig.open();
      writeMessages(rig, 10);
      rig.atChild.awaitSize(3 * LENGTH);
      Rig.succeeded(rig.child.writeAndFlush(Rig.text("meanwhile")));
      rig.atClient.awaitText("meanwhile");
      Rig.runOnLoop(rig.child, () -> {});
      assertThat(rig.atChild.count(READ)).isEqualTo(3);
      rig.child.config().setAutoRead(true);
      assertMessages(rig.atChild, 10);
    }
  }

  /**
   * On the loop and on another thread, long after the batch in which it was asked for more. Epoll's
   * TCP gives that one message all the same where it is another thread.
   */
  @Contract
  void shouldReadNothingAfterAutoReadIsSwitchedOffFromOutside(Transport transport)
      throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.serverOptions = b -> b.childOption(ChannelOption.RECVBUF_ALLOCATOR, oneMessage());
      rig.open();
      String heard = "";
      int read = 0;
      int written = 0;
      for (boolean isOnLoop : new boolean[] {false, true}) {
        writeMessages(rig, 1);
        rig.atChild.awaitSize(++read * LENGTH);
        await().until(() -> rig.atChild.all().get(rig.atChild.all().size() - 1).equals(COMPLETE));
        Rig.runOnLoop(rig.child, () -> {}); // now it has asked for the next one
        if (isOnLoop) {
          Rig.runOnLoop(rig.child, () -> rig.child.config().setAutoRead(false));
        } else {
          rig.child.config().setAutoRead(false);
          Rig.runOnLoop(rig.child, () -> {}); // till then it may read what has come already
        }
        Rig.runOnLoop(rig.client, () -> writeMessages(rig, 3));
        written += 4;
        Rig.succeeded(rig.child.writeAndFlush(Rig.text("meanwhile ")));
        heard += "meanwhile ";
        rig.atClient.awaitText(heard);
        Rig.runOnLoop(rig.child, () -> {});
        read += transport == Transport.TCP_EPOLL && !isOnLoop ? 1 : 0;
        assertThat(rig.atChild.size()).isEqualTo(read * LENGTH);
        rig.child.read();
        rig.atChild.awaitSize(++read * LENGTH);
        Rig.runOnLoop(rig.child, () -> {});
        assertThat(rig.atChild.size()).isEqualTo(read * LENGTH);
        rig.child.config().setAutoRead(true);
        read = written;
        rig.atChild.awaitSize(read * LENGTH);
      }
    }
  }

  @Contract
  void shouldReadOnFromReadComplete(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.serverOptions = ReadContractTest::onDemand;
      rig.childHandlers =
          () ->
              Rig.handlers(
                  new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelActive(ChannelHandlerContext ctx) {
                      ctx.read();
                      ctx.fireChannelActive();
                    }

                    @Override
                    public void channelReadComplete(ChannelHandlerContext ctx) {
                      ctx.read();
                      ctx.fireChannelReadComplete();
                    }
                  });
      rig.open();
      writeMessages(rig, 200);
      assertMessages(rig.atChild, 200);
    }
  }

  @Contract
  void shouldBoundABatchByMaxMessagesPerRead(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      FixedRecvByteBufAllocator three = oneMessage();
      three.maxMessagesPerRead(3);
      rig.serverOptions = b -> b.childOption(ChannelOption.RECVBUF_ALLOCATOR, three);
      rig.open();
      writeMessages(rig, 100);
      assertMessages(rig.atChild, 100);
      await().until(() -> rig.atChild.all().get(rig.atChild.all().size() - 1).equals(COMPLETE));
      int inBatch = 0;
      int inBatches = 0;
      for (String event : rig.atChild.all()) {
        if (event.equals(READ)) {
          inBatch++;
          inBatches++;
          assertThat(inBatch).isLessThanOrEqualTo(3);
        } else {
          inBatch = 0;
        }
      }
      assertThat(inBatches).isEqualTo(100);
    }
  }

  @Contract
  void shouldHaveABatchSizeThatFitsWhatAReadBrings(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      MaxMessagesRecvByteBufAllocator allocator = rig.child.config().getRecvByteBufAllocator();
      Difference.BATCH_SIZE.check(transport, allocator.maxMessagesPerRead(), 16, 4_096);
    }
  }

  @Contract
  void shouldReadAllThatCameBeforeTheClose(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.serverOptions = ReadContractTest::onDemand;
      rig.open();
      writeMessages(rig, 5);
      rig.client.close();
      for (int i = 0; i < 5; i++) {
        rig.child.read();
        int least = (i + 1) * LENGTH; // epoll's TCP reads all at once when the peer has closed
        await().until(() -> rig.atChild.size() >= least);
      }
      rig.child.read(); // NIO's TCP finds the end only so
      rig.atChild.awaitEvent(REMOVED);
      assertMessages(rig.atChild, 5);
      assertThat(rig.atChild.life())
          .containsExactly(
              Journal.ADDED,
              Journal.REGISTERED,
              Journal.ACTIVE,
              INACTIVE,
              Journal.UNREGISTERED,
              REMOVED);
      assertThat(rig.atChild.failures()).isEmpty();
    }
  }

  @Contract
  void shouldEndTheBatchInWhichAHandlerClosesTheChannel(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.serverOptions = b -> b.childOption(ChannelOption.RECVBUF_ALLOCATOR, oneMessage());
      rig.childHandlers =
          () ->
              Rig.handlers(
                  new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext ctx, Object message) {
                      ctx.fireChannelRead(message);
                      ctx.close();
                    }
                  });
      rig.open();
      writeMessages(rig, 3);
      rig.atChild.awaitEvent(REMOVED);
      assertThat(rig.atChild.all()).containsSubsequence(READ, COMPLETE, INACTIVE);
      assertThat(rig.atChild.count(READ)).isEqualTo(1);
      assertThat(rig.atChild.count(COMPLETE)).isEqualTo(1);
    }
  }

  @Contract
  void shouldHoldThePeerBackWhileNothingIsRead(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.serverOptions =
          b ->
              b.option(ChannelOption.SO_RCVBUF, 64 << 10)
                  .childOption(ChannelOption.AUTO_READ, false);
      rig.clientOptions = b -> b.option(ChannelOption.SO_SNDBUF, 64 << 10);
      rig.open();
      int count = 12_000; // of 1 KiB: more than either transport keeps on its way
      AtomicInteger done = new AtomicInteger();
      for (int i = 0; i < count; i++) {
        rig.client
            .write(Rig.zeros(1_024))
            .addListener(end -> done.addAndGet(end.isSuccess() ? 1 : 0));
      }
      rig.client.flush();
      Rig.succeeded(rig.child.writeAndFlush(Rig.text("meanwhile")));
      assertThat(rig.client.isWritable()).isFalse();
      assertThat(done.get()).isLessThan(count);
      rig.child.config().setAutoRead(true);
      rig.atChild.awaitSize(count * 1_024);
      await().atMost(20, TimeUnit.SECONDS).until(() -> done.get() == count);
      rig.atClient.awaitEvent(WRITABLE);
      assertThat(rig.atClient.life()).containsSubsequence(UNWRITABLE, WRITABLE);
      assertThat(rig.client.isWritable()).isTrue();
    }
  }

  @Contract
  @SuppressWarnings("deprecation") // Netty advises against it; many applications do it
  void shouldRunHandlersOnTheExecutorTheyWereGiven(Transport transport) throws Exception {
    EventExecutorGroup executors = new DefaultEventExecutorGroup(2);
    try (Rig rig = new Rig(transport).open()) {
      Journal elsewhere = new Journal();
      Set<Thread> threads = ConcurrentHashMap.newKeySet();
      List<Boolean> onLoop = Collections.synchronizedList(new ArrayList<>());
      Rig.runOnLoop(
          rig.child,
          () -> {
            rig.child.pipeline().remove("journal");
            rig.child
                .pipeline()
                .addLast(
                    executors,
                    new ChannelInboundHandlerAdapter() {
                      @Override
                      public void channelRead(ChannelHandlerContext ctx, Object message) {
                        threads.add(Thread.currentThread());
                        onLoop.add(ctx.channel().eventLoop().inEventLoop());
                        ByteBuf copy = ((ByteBuf) message).copy();
                        ctx.fireChannelRead(message);
                        ctx.writeAndFlush(copy);
                      }
                    },
                    elsewhere);
          });
      writeMessages(rig, 300);
      assertMessages(elsewhere, 300);
      rig.atClient.awaitSize(300 * LENGTH);
      assertMessages(rig.atClient, 300);
      assertThat(onLoop).doesNotContain(true);
      assertThat(threads).hasSize(1);
      assertThat(elsewhere.eventsElsewhere()).isZero();
      Rig.succeeded(rig.client.close());
      elsewhere.awaitEvent(REMOVED);
      assertThat(elsewhere.life())
          .containsExactly(Journal.ADDED, INACTIVE, Journal.UNREGISTERED, REMOVED);
    } finally {
      Rig.succeeded(executors.shutdownGracefully(0, 10, TimeUnit.SECONDS));
    }
  }

  @Contract
  void shouldEchoBothWaysAtOnce(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      ChannelFuture toChild = null;
      ChannelFuture toClient = null;
      for (int i = 0; i < 500; i++) {
        toChild = rig.client.writeAndFlush(Unpooled.buffer().writeLong(i));
        toClient = rig.child.writeAndFlush(Unpooled.buffer().writeLong(i));
      }
      Rig.succeeded(toChild);
      Rig.succeeded(toClient);
      assertMessages(rig.atChild, 500);
      assertMessages(rig.atClient, 500);
    }
  }
}
