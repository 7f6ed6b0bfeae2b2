package io.rtransport.netty.contract;

import static io.rtransport.netty.contract.Journal.ACTIVE;
import static io.rtransport.netty.contract.Journal.ADDED;
import static io.rtransport.netty.contract.Journal.COMPLETE;
import static io.rtransport.netty.contract.Journal.EXCEPTION;
import static io.rtransport.netty.contract.Journal.INACTIVE;
import static io.rtransport.netty.contract.Journal.READ;
import static io.rtransport.netty.contract.Journal.REGISTERED;
import static io.rtransport.netty.contract.Journal.REMOVED;
import static io.rtransport.netty.contract.Journal.UNREGISTERED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import io.rtransport.netty.NobodysPort;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The life of a channel: which events come, in which order, and on which thread. */
@ExtendWith(ContractCount.class)
@Timeout(60)
class LifeCycleContractTest {
  // Above 0, for with 0 a loop of Netty's may end without having closed its channels.
  private static final int QUIET_MILLIS = 10;

  private static final String[] WHOLE_LIFE = {
    ADDED, REGISTERED, ACTIVE, INACTIVE, UNREGISTERED, REMOVED
  };

  private static void assertWholeLife(Journal journal) {
    journal.awaitEvent(REMOVED);
    assertThat(journal.life()).containsExactly(WHOLE_LIFE);
    assertThat(journal.eventsElsewhere()).isZero();
  }

  @Contract
  void shouldTellOfAWholeLifeWhenTheClientCloses(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      Rig.succeeded(rig.client.close());
      assertWholeLife(rig.atClient);
      assertWholeLife(rig.atChild);
    }
  }

  @Contract
  void shouldTellOfAWholeLifeWhenTheChildCloses(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      Rig.succeeded(rig.child.close());
      assertWholeLife(rig.atChild);
      assertWholeLife(rig.atClient);
    }
  }

  @Contract
  void shouldReadBetweenActiveAndInactiveAndCompleteEachBatch(Transport transport)
      throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      rig.client.writeAndFlush(Rig.text("hello"));
      rig.atChild.awaitText("hello");
      rig.atChild.awaitEvent(COMPLETE);
      Rig.succeeded(rig.client.close());
      rig.atChild.awaitEvent(REMOVED);
      assertThat(rig.atChild.life()).containsExactly(WHOLE_LIFE);
      assertThat(rig.atChild.all()).containsSubsequence(ACTIVE, READ, COMPLETE, INACTIVE);
      assertThat(rig.atChild.failures()).isEmpty();
    }
  }

  @Contract
  void shouldTellOfTheServerChannelsLifeAndItsAccepts(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      rig.atServer.awaitEvent(COMPLETE);
      Rig.succeeded(rig.server.close());
      rig.atServer.awaitEvent(REMOVED);
      assertThat(rig.atServer.all())
          .containsExactly(
              ADDED, REGISTERED, ACTIVE, READ, COMPLETE, INACTIVE, UNREGISTERED, REMOVED);
    }
  }

  @Contract
  void shouldNeverBeActiveWhenTheConnectFails(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport);
        NobodysPort nobody = new NobodysPort()) {
      Journal journal = new Journal();
      ChannelFuture connect = rig.clientBootstrap(journal).connect(nobody.address());
      Rig.failure(connect);
      Rig.succeeded(connect.channel().closeFuture());
      journal.awaitEvent(REMOVED);
      assertThat(journal.all()).containsExactly(ADDED, REGISTERED, UNREGISTERED, REMOVED);
    }
  }

  @Contract
  void shouldCompleteTheConnectBeforeItIsActive(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.listen();
      Journal journal = new Journal();
      ChannelFuture registered = Rig.succeeded(rig.clientBootstrap(journal).register());
      Channel client = registered.channel();
      Rig.runOnLoop(
          client,
          () ->
              client
                  .connect(rig.server.localAddress())
                  .addListener(
                      done ->
                          journal.note(
                              client.isActive() ? "connected, active" : "connected, not active")));
      journal.awaitEvent(ACTIVE);
      assertThat(journal.all()).containsExactly(ADDED, REGISTERED, "connected, active", ACTIVE);
      Rig.succeeded(client.close());
    }
  }

  @Contract
  void shouldCompleteTheCloseBeforeItIsInactive(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      Journal journal = rig.atClient;
      rig.client.closeFuture().addListener(done -> journal.note("closeFuture"));
      Rig.runOnLoop(
          rig.client,
          () ->
              rig.client.close(rig.client.newPromise().addListener(done -> journal.note("close"))));
      journal.awaitEvent(REMOVED);
      assertThat(journal.all())
          .containsSubsequence("closeFuture", "close", INACTIVE, UNREGISTERED, REMOVED);
    }
  }

  /** What a channel says of itself during each event. */
  private static final class States extends ChannelInboundHandlerAdapter {
    private final Journal journal;

    States(Journal journal) {
      this.journal = journal;
    }

    private void note(ChannelHandlerContext ctx, String event) {
      Channel channel = ctx.channel();
      journal.note(
          event
              + (channel.isRegistered() ? " registered" : "")
              + (channel.isOpen() ? " open" : "")
              + (channel.isActive() ? " active" : "")
              + (channel.isWritable() ? " writable" : ""));
    }

    @Override
    public void channelRegistered(ChannelHandlerContext ctx) {
      note(ctx, "at registered:");
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      note(ctx, "at active:");
      ctx.fireChannelActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      note(ctx, "at inactive:");
    }

    @Override
    public void channelUnregistered(ChannelHandlerContext ctx) {
      note(ctx, "at unregistered:");
    }
  }

  @Contract
  void shouldSayOfItselfWhatEachEventSays(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      Journal atChild = new Journal();
      Journal atClient = new Journal();
      rig.childHandlers = () -> Rig.handlers(new States(atChild));
      rig.clientHandlers = () -> Rig.handlers(new States(atClient));
      rig.listen();
      rig.connect();
      atChild.awaitEvent("at active: registered open active writable");
      Rig.succeeded(rig.client.close());
      atClient.awaitEvent("at unregistered:");
      atChild.awaitEvent("at unregistered:");
      assertThat(atClient.all())
          .containsExactly(
              "at registered: registered open writable",
              "at active: registered open active writable",
              "at inactive: registered",
              "at unregistered:");
      assertThat(atChild.all())
          .containsExactly(
              "at registered: registered open active writable",
              "at active: registered open active writable",
              "at inactive: registered",
              "at unregistered:");
    }
  }

  /** Throws at each message, before the journal. */
  private static final class Thrower extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
      throw new IllegalStateException("not this one");
    }
  }

  @Contract
  void shouldGiveAHandlersExceptionToTheNextHandlerAndGoOn(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.childHandlers =
          () ->
              Rig.handlers(
                  new Thrower(),
                  new ChannelInboundHandlerAdapter() {
                    @Override
                    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                      ctx.fireExceptionCaught(cause); // on to the journal, which takes it
                    }
                  });
      rig.open();
      Rig.succeeded(rig.client.writeAndFlush(Rig.text("x")));
      rig.atChild.awaitEvent(EXCEPTION);
      assertThat(rig.atChild.failures())
          .first()
          .isInstanceOf(IllegalStateException.class)
          .hasToString("java.lang.IllegalStateException: not this one");
      assertThat(rig.child.isActive()).isTrue();
      Rig.succeeded(rig.child.writeAndFlush(Rig.text("still here")));
      rig.atClient.awaitText("still here");
    }
  }

  @Contract
  void shouldEndAFailedBufferOnlyWhereItsSenderWaitsForTheApplication(Transport transport)
      throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.childHandlers = () -> Rig.handlers(new Thrower());
      rig.open();
      Rig.runOnLoop(rig.child, () -> rig.child.pipeline().remove("journal")); // nobody takes it
      ChannelFuture write = Rig.done(rig.client.writeAndFlush(Rig.text("x")));
      Difference.EXCEPTION_AT_THE_TAIL.check(transport, write.isSuccess(), true, false);
      if (transport.isRt()) {
        Rig.succeeded(rig.client.closeFuture());
      } else {
        Rig.succeeded(rig.child.writeAndFlush(Rig.text("still here")));
        rig.atClient.awaitText("still here");
      }
    }
  }

  @Contract
  void shouldCloseAChannelWhoseInitializerThrows(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.childHandlers =
          () -> {
            throw new IllegalStateException("no handlers for you");
          };
      rig.listen();
      rig.connect();
      rig.atClient.awaitEvent(REMOVED);
      assertThat(rig.atClient.life()).containsExactly(WHOLE_LIFE);
    }
  }

  @Contract
  void shouldRunAnInitializerOnceAndTakeItOut(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      AtomicInteger runs = new AtomicInteger();
      ChannelInitializer<Channel> initializer =
          new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
              runs.incrementAndGet();
              channel
                  .pipeline()
                  .addAfter(channel.pipeline().context(this).name(), "mine", new Journal());
            }
          };
      rig.childHandlers = () -> Rig.handlers(initializer);
      rig.open();
      assertThat(runs).hasValue(1);
      assertThat(rig.child.pipeline().get("mine")).isNotNull();
      assertThat(rig.child.pipeline().context(initializer)).isNull();
      assertThat(((Journal) rig.child.pipeline().get("mine")).life())
          .containsExactly(ADDED, REGISTERED, ACTIVE);
    }
  }

  @Contract
  void shouldTellAHandlerThatComesLateOfNothingBeforeIt(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      Journal late = new Journal();
      rig.client.pipeline().addLast(late);
      late.awaitEvent(ADDED);
      assertThat(late.all()).containsExactly(ADDED);
      rig.client.pipeline().remove(late);
      late.awaitEvent(REMOVED);
      assertThat(late.all()).containsExactly(ADDED, REMOVED);
    }
  }

  @Contract
  void shouldCarryUserEventsAndAttributes(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      AttributeKey<String> key = AttributeKey.valueOf("contract.attribute");
      rig.serverOptions = b -> b.childAttr(key, "child's").attr(key, "server's");
      rig.clientOptions = b -> b.attr(key, "client's");
      rig.open();
      assertThat(rig.server.attr(key).get()).isEqualTo("server's");
      assertThat(rig.child.attr(key).get()).isEqualTo("child's");
      assertThat(rig.client.attr(key).get()).isEqualTo("client's");
      assertThat(rig.child.parent()).isSameAs(rig.server);
      assertThat(rig.client.parent()).isNull();
      assertThat(rig.client.id()).isNotEqualTo(rig.child.id());
      rig.client.pipeline().fireUserEventTriggered("ping");
      rig.atClient.awaitEvent("user event ping");
    }
  }

  @Contract
  void shouldReadNothingWhileItIsDeregistered(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      Rig.succeeded(rig.child.deregister());
      rig.atChild.awaitEvent(UNREGISTERED);
      assertThat(rig.child.isRegistered()).isFalse();
      assertThat(rig.child.isOpen()).isTrue();
      assertThat(rig.child.isActive()).isTrue();
      rig.client.writeAndFlush(Rig.text("later"));
      Rig.runOnLoop(rig.client, () -> {});
      // A second connection's message gets through: so the first one's has had its time.
      Channel first = rig.child;
      Journal atFirst = rig.atChild;
      rig.connect();
      rig.nextChild();
      rig.client.writeAndFlush(Rig.text("now"));
      rig.atChild.awaitText("now");
      assertThat(atFirst.size()).isZero();
      Rig.succeeded(first.eventLoop().register(first));
      atFirst.awaitText("later");
      assertThat(atFirst.failures()).isEmpty();
      assertThat(atFirst.life())
          .containsExactly(ADDED, REGISTERED, ACTIVE, UNREGISTERED, REGISTERED);
      Rig.succeeded(first.close());
    }
  }

  @Contract
  void shouldEndChannelsWithTheirGroupAndTellTheirPeers(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      rig.clients.shutdownGracefully(QUIET_MILLIS, 10_000, TimeUnit.MILLISECONDS);
      Rig.succeeded(rig.client.closeFuture());
      rig.atClient.awaitEvent(UNREGISTERED);
      assertThat(rig.atClient.life()).containsSubsequence(ACTIVE, INACTIVE, UNREGISTERED);
      Rig.succeeded(rig.child.closeFuture());
      rig.atChild.awaitEvent(REMOVED);
      assertThat(rig.atChild.life()).containsExactly(WHOLE_LIFE);
    }
  }

  @Contract
  void shouldEndAServersChildrenWithItsGroupAndTellTheirPeers(Transport transport)
      throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      rig.servers.shutdownGracefully(QUIET_MILLIS, 10_000, TimeUnit.MILLISECONDS);
      Rig.succeeded(rig.server.closeFuture());
      Rig.succeeded(rig.child.closeFuture());
      Rig.succeeded(rig.client.closeFuture());
      rig.atClient.awaitEvent(REMOVED);
      assertThat(rig.atClient.life()).containsExactly(WHOLE_LIFE);
    }
  }

  @Contract
  void shouldConnectOnFromAHandlerOnItsOwnLoop(Transport transport) throws Exception {
    try (Rig back = new Rig(transport);
        Rig front = new Rig(transport)) {
      back.listen();
      front.childHandlers =
          () ->
              Rig.handlers(
                  new ChannelInboundHandlerAdapter() {
                    private Channel onward;

                    @Override
                    public void channelActive(ChannelHandlerContext ctx) {
                      new Bootstrap()
                          .group(ctx.channel().eventLoop())
                          .channelFactory(transport.clients())
                          .option(ChannelOption.AUTO_READ, true)
                          .handler(new ChannelInboundHandlerAdapter())
                          .connect(back.server.localAddress())
                          .addListener(
                              (ChannelFutureListener)
                                  connected -> {
                                    onward = connected.channel();
                                    ctx.read();
                                  });
                      ctx.fireChannelActive();
                    }

                    @Override
                    public void channelRead(ChannelHandlerContext ctx, Object message) {
                      onward.writeAndFlush(message);
                      ctx.read();
                    }

                    @Override
                    public void channelInactive(ChannelHandlerContext ctx) {
                      onward.close();
                      ctx.fireChannelInactive();
                    }
                  });
      front.serverOptions = b -> b.childOption(ChannelOption.AUTO_READ, false);
      front.open();
      front.client.writeAndFlush(Rig.text("through both"));
      back.nextChild();
      back.atChild.awaitText("through both");
      Rig.succeeded(front.client.close());
      back.atChild.awaitEvent(REMOVED);
      await().untilAsserted(() -> assertThat(back.atChild.failures()).isEqualTo(List.of()));
    }
  }
}
