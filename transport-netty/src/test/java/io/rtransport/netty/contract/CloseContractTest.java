package io.rtransport.netty.contract;

import static io.rtransport.netty.contract.Journal.ACTIVE;
import static io.rtransport.netty.contract.Journal.EXCEPTION;
import static io.rtransport.netty.contract.Journal.INACTIVE;
import static io.rtransport.netty.contract.Journal.REMOVED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.adp.DecMode;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtChannelOption;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Closing: by either side, gently and not, of servers and of groups. */
@ExtendWith(ContractCount.class)
@Timeout(60)
class CloseContractTest {
  /** Gives up after 1.05 s: the shortest total above the idle timeout that is asked for here. */
  private static final AdpProfile ABOVE_ONE_SECOND =
      AdpProfile.builder()
          .timeBaseMicros(4)
          .retxTotalTimeout(18)
          .initLowBound(10)
          .initRangeSize(2)
          .range(10, 2, 2, DecMode.DIV_2, 0)
          .build();

  @Contract
  void shouldCloseTwice(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      ChannelFuture first = rig.client.close();
      ChannelFuture second = rig.client.close();
      Rig.succeeded(first);
      Rig.succeeded(second);
      Rig.succeeded(rig.client.close());
      Rig.succeeded(rig.client.closeFuture());
      rig.atClient.awaitEvent(REMOVED);
      assertThat(rig.atClient.count(INACTIVE)).isEqualTo(1);
    }
  }

  @Contract
  void shouldDisconnectByClosing(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      Rig.succeeded(rig.client.disconnect());
      assertThat(rig.client.isOpen()).isFalse();
      rig.atChild.awaitEvent(REMOVED);
    }
  }

  @Contract
  void shouldCloseWhenBothSidesDoAtOnce(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      ChannelFuture one = rig.client.close();
      ChannelFuture two = rig.child.close();
      Rig.succeeded(one);
      Rig.succeeded(two);
      rig.atClient.awaitEvent(REMOVED);
      rig.atChild.awaitEvent(REMOVED);
      assertThat(rig.atClient.failures()).isEmpty();
      assertThat(rig.atChild.failures()).isEmpty();
    }
  }

  @Contract
  void shouldResetWithLingerZero(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.clientOptions = b -> b.option(ChannelOption.SO_LINGER, 0);
      rig.open();
      Rig.succeeded(rig.client.close());
      rig.atChild.awaitEvent(REMOVED);
      assertThat(rig.atChild.life()).containsSubsequence(ACTIVE, EXCEPTION, INACTIVE, REMOVED);
      assertThat(rig.atChild.failures()).hasSize(1);
      assertThat(rig.atChild.failures()).allMatch(IOException.class::isInstance);
      assertThat(rig.atClient.failures()).isEmpty();
    }
  }

  @Contract
  void shouldLingerUntilWhatWasFlushedIsThere(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.clientOptions = b -> b.option(ChannelOption.SO_LINGER, 10);
      rig.open();
      rig.client.writeAndFlush(Rig.zeros(50_000));
      Rig.succeeded(rig.client.close());
      rig.atChild.awaitSize(50_000);
      rig.atChild.awaitEvent(REMOVED);
      assertThat(rig.atChild.failures()).isEmpty();
    }
  }

  @Contract
  void shouldCloseForciblyWithoutAnEventOfItsOwn(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      Rig.runOnLoop(rig.client, () -> rig.client.unsafe().closeForcibly());
      assertThat(rig.client.isOpen()).isFalse();
      assertThat(rig.client.isActive()).isFalse();
      rig.atChild.awaitEvent(REMOVED);
      Rig.runOnLoop(rig.client, () -> {});
      assertThat(rig.atClient.life()).containsExactly(Journal.ADDED, Journal.REGISTERED, ACTIVE);
    }
  }

  @Contract
  void shouldKeepChildrenWhenTheServerChannelCloses(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      Rig.succeeded(rig.server.close());
      Rig.succeeded(rig.client.writeAndFlush(Rig.text("still here")));
      rig.atChild.awaitText("still here");
      Rig.succeeded(rig.child.writeAndFlush(Rig.text("and there")));
      rig.atClient.awaitText("and there");
      ChannelFuture bind =
          Rig.done(rig.serverBootstrap().handler(new Journal()).bind(rig.child.localAddress()));
      Difference.PORT_OF_A_CLOSED_SERVER.check(transport, bind.isSuccess(), true, false);
      bind.channel().close();
      Rig.succeeded(rig.client.close());
      Rig.succeeded(rig.child.closeFuture());
    }
  }

  @Contract
  void shouldGiveItsPortBackWithItsLastChild(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      Rig.succeeded(rig.server.close());
      Rig.succeeded(rig.child.close());
      Rig.succeeded(rig.client.closeFuture());
      await()
          .atMost(20, TimeUnit.SECONDS)
          .until(
              () -> {
                ChannelFuture bind =
                    Rig.done(
                        rig.serverBootstrap()
                            .handler(new Journal())
                            .bind(rig.child.localAddress()));
                bind.channel().close();
                return bind.isSuccess();
              });
    }
  }

  @Contract
  void shouldDeliverTheLastWordBeforeAListenerCloses(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.childHandlers =
          () ->
              Rig.handlers(
                  new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext ctx, Object message) {
                      ctx.fireChannelRead(message);
                      ctx.writeAndFlush(Rig.text("good bye"))
                          .addListener(ChannelFutureListener.CLOSE);
                    }
                  });
      rig.open();
      rig.client.writeAndFlush(Rig.text("hello"));
      rig.atClient.awaitEvent(REMOVED);
      assertThat(rig.atClient.text()).isEqualTo("good bye");
      assertThat(rig.atClient.failures()).isEmpty();
    }
  }

  @Contract
  void shouldCloseWithinAnyEvent(Transport transport) throws Exception {
    for (String event : new String[] {"active", "read", "complete"}) {
      try (Rig rig = new Rig(transport)) {
        rig.childHandlers =
            () ->
                Rig.handlers(
                    new ChannelInboundHandlerAdapter() {
                      @Override
                      public void channelActive(ChannelHandlerContext ctx) {
                        closeIf(ctx, "active");
                        ctx.fireChannelActive();
                      }

                      @Override
                      public void channelRead(ChannelHandlerContext ctx, Object message) {
                        closeIf(ctx, "read");
                        ctx.fireChannelRead(message);
                      }

                      @Override
                      public void channelReadComplete(ChannelHandlerContext ctx) {
                        closeIf(ctx, "complete");
                        ctx.fireChannelReadComplete();
                      }

                      private void closeIf(ChannelHandlerContext ctx, String now) {
                        if (now.equals(event)) {
                          ctx.close();
                        }
                      }
                    });
        rig.listen();
        rig.connect();
        rig.client.writeAndFlush(Rig.text("x"));
        rig.atClient.awaitEvent(REMOVED);
        assertThat(rig.atClient.life()).contains(ACTIVE, INACTIVE);
      }
    }
  }

  @Contract
  void shouldFailAWriteThatTheCloseOvertook(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.serverOptions =
          b ->
              b.option(ChannelOption.SO_RCVBUF, 16_384).childOption(ChannelOption.AUTO_READ, false);
      rig.clientOptions =
          b -> {
            b.option(ChannelOption.SO_SNDBUF, 16_384);
            if (transport.isRt()) { // such buffers lose packets: slow on a busy machine
              b.option(RtChannelOption.CLOSE_TIMEOUT_MILLIS, Rig.LIMIT_SECONDS * 1_000L);
            }
          };
      rig.open();
      int length = 8 << 20; // more than the systems' buffers take
      ChannelFuture flushed = rig.client.writeAndFlush(Rig.zeros(length));
      Rig.runOnLoop(rig.client, () -> {});
      Rig.succeeded(rig.client.close());
      if (!transport.isRt()) {
        assertThat(Rig.failure(flushed)).isInstanceOf(ClosedChannelException.class);
      }
      Difference.CLOSE_DRAINS.check(transport, flushed.isDone(), true, false);
      rig.child.config().setAutoRead(true);
      rig.atChild.awaitEvent(REMOVED);
      assertThat(rig.atChild.size() == length).isEqualTo(transport.isRt());
    }
  }

  @Contract
  void shouldOutliveSilenceOnlyWithKeepalive(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      if (transport.isRt()) {
        rig.clientOptions =
            b ->
                b.option(RtChannelOption.IDLE_TIMEOUT_MILLIS, 1_000L)
                    .option(RtChannelOption.PROFILE, ABOVE_ONE_SECOND);
        rig.serverOptions = b -> b.option(RtChannelOption.PROFILE, ABOVE_ONE_SECOND);
      }
      rig.open();
      boolean isClosed =
          rig.client.closeFuture().await(transport.isRt() ? 20 : 2, TimeUnit.SECONDS);
      Difference.IDLE_TIMEOUT.check(transport, isClosed, false, true);
      if (transport.isRt()) {
        rig.atClient.awaitEvent(REMOVED);
        assertThat(((RtChannel) rig.client).agreed().both().idleTimeoutNs())
            .isGreaterThan(TimeUnit.SECONDS.toNanos(1))
            .isGreaterThanOrEqualTo(
                rig.client
                    .config()
                    .getOption(RtChannelOption.PROFILE)
                    .totalNs(AdpParameters.DEFAULT));
        assertThat(rig.atClient.life())
            .containsExactly(
                Journal.ADDED,
                Journal.REGISTERED,
                ACTIVE,
                EXCEPTION,
                INACTIVE,
                Journal.UNREGISTERED,
                REMOVED);
      }
    }
  }

  @Contract
  void shouldWriteToAndCloseAGroupOfChannels(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      ChannelGroup group = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
      rig.listen();
      List<Journal> journals = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        rig.connect();
        journals.add(rig.atClient);
        group.add(rig.nextChild());
      }
      assertThat(group.size()).isEqualTo(5);
      Rig.succeeded(group.writeAndFlush(Rig.text("to all")));
      for (Journal journal : journals) {
        journal.awaitText("to all");
      }
      Rig.succeeded(rig.client.close());
      await().until(() -> group.size() == 4); // it leaves by itself
      Rig.succeeded(group.close());
      for (Journal journal : journals) {
        journal.awaitEvent(REMOVED);
      }
      await().until(group::isEmpty);
    }
  }

  @Contract
  void shouldPutChildrenOnTheLoopsOfTheChildGroup(Transport transport) throws Exception {
    EventLoopGroup children = new MultiThreadIoEventLoopGroup(1, transport.handlers());
    try (Rig rig = new Rig(transport)) {
      rig.children = children;
      rig.open();
      Channel child = rig.child;
      boolean isOnTheirs = child.eventLoop() == children.next();
      Difference.CHILDS_LOOP.check(transport, isOnTheirs, true, false);
      Rig.succeeded(rig.client.writeAndFlush(Rig.text("to the child")));
      rig.atChild.awaitText("to the child");
      Rig.succeeded(child.close());
    } finally {
      Rig.succeeded(children.shutdownGracefully(0, 10, TimeUnit.SECONDS));
    }
  }
}
