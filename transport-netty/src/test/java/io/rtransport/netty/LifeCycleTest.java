package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.netty.internal.loop.LoopDrivers;
import java.net.ConnectException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connecting and closing, in every order, over real sockets. */
@Timeout(60)
class LifeCycleTest {
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldFailFastWhereNobodyListens(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind);
        NobodysPort nobody = new NobodysPort()) {
      ChannelFuture connect =
          pair.client(
                  SocketPair.nothing(),
                  b -> b.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 300_000))
              .connect(nobody.address());
      assertThat(connect.await(40, TimeUnit.SECONDS)).as("long before the timeout").isTrue();
      assertThat(connect.cause())
          .isInstanceOf(ConnectException.class)
          .hasMessageContaining("refused");
      assertThat(connect.channel().closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldTimeOutWhereSomebodyIsSilent(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind);
        DatagramSocket silent =
            new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      ChannelFuture connect =
          pair.client(
                  SocketPair.nothing(), b -> b.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 300))
              .connect(silent.getLocalSocketAddress());
      assertThat(connect.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(connect.cause())
          .isInstanceOf(ConnectTimeoutException.class)
          .hasMessageContaining("300 ms");
      assertThat(connect.channel().closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldRefuseAPortInUseAndWrongOptions(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      RtServerChannel server = pair.listen(SocketPair.nothing());
      SocketPair second = new SocketPair(kind);
      assertThatThrownBy(
              () ->
                  new ServerBootstrap()
                      .group(second.servers())
                      .channelFactory(RtChannels.server(kind.sockets()))
                      .childHandler(new Inbox())
                      .bind(server.localAddress())
                      .sync())
          .hasMessageContaining("already in use");
      second.close();
      ChannelFuture connect =
          pair.client(SocketPair.nothing(), b -> b.option(RtChannelOption.DATA_WINDOW, 1_000))
              .connect(server.localAddress());
      assertThat(connect.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(connect.cause())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("dataWindowPackets=1000");
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldShowConcreteAddressesAndEventsInOrder(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox atServer = new Inbox();
      Inbox atClient = new Inbox();
      RtServerChannel server = pair.listen(SocketPair.handlers(atServer));
      RtChannel client = pair.connect(SocketPair.handlers(atClient));
      RtChannel child = pair.child();
      assertThat(server.localAddress().getPort()).isPositive();
      assertThat(client.remoteAddress()).isEqualTo(server.localAddress());
      assertThat(client.localAddress().getPort()).isPositive();
      assertThat(child.remoteAddress()).isEqualTo(client.localAddress());
      assertThat(child.localAddress()).isEqualTo(server.localAddress());
      assertThat(child.parent()).isSameAs(server);
      assertThat(client.connect(server.localAddress()).await().cause())
          .isInstanceOf(AlreadyConnectedException.class);
      client.close().sync();
      assertThat(child.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      await()
          .untilAsserted(
              () ->
                  assertThat(atServer.events())
                      .containsExactly("active", "inactive", "unregistered"));
      await()
          .untilAsserted(
              () ->
                  assertThat(atClient.events())
                      .containsExactly("active", "inactive", "unregistered"));
      assertThat(atServer.failures()).isEmpty();
      assertThat(child.closeReason().isNormal()).isTrue();
      assertThat(child.closeReason().isByPeer()).isTrue();
      assertThat(child.writeAndFlush(EchoTest.text("late")).await().cause())
          .isInstanceOf(ClosedChannelException.class);
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldFailWritesBeforeConnect(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Channel client =
          pair.client(SocketPair.nothing(), bootstrap -> {}).register().sync().channel();
      assertThat(client.writeAndFlush(EchoTest.text("early")).await().cause())
          .isInstanceOf(NotYetConnectedException.class);
      client.close().sync();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldSendOnceConnectedWhatWasFlushedBeforeWithFastOpen(TransportKind kind)
      throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      RtServerChannel server = pair.listen(SocketPair.handlers(inbox));
      Bootstrap fast =
          pair.client(
              SocketPair.nothing(), b -> b.option(ChannelOption.TCP_FASTOPEN_CONNECT, true));
      Channel client = fast.register().sync().channel();
      ChannelFuture first = client.writeAndFlush(EchoTest.text("first"));
      client.writeAndFlush(EchoTest.text("second"), client.voidPromise());
      ChannelFuture unflushed = client.write(EchoTest.text("third"));
      client.connect(server.localAddress()).sync();
      assertThat(inbox.nextBytes()).asString().isEqualTo("first");
      assertThat(inbox.nextBytes()).asString().isEqualTo("second");
      first.sync();
      assertThat(unflushed.isDone()).isFalse();
      client.flush();
      unflushed.sync();
      assertThat(inbox.nextBytes()).asString().isEqualTo("third");
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldFailWhatWaitsForAFastOpenThatDoesNotCome(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Bootstrap fast =
          pair.client(
              SocketPair.nothing(), b -> b.option(ChannelOption.TCP_FASTOPEN_CONNECT, true));
      Channel closed = fast.register().sync().channel();
      ByteBuf buffer = EchoTest.text("closed before");
      ChannelFuture first = closed.writeAndFlush(buffer);
      closed.close().sync();
      assertThat(first.await().cause()).isInstanceOf(ClosedChannelException.class);
      assertThat(buffer.refCnt()).isZero();

      Channel refused = fast.register().sync().channel();
      ByteBuf other = EchoTest.text("nobody there");
      ChannelFuture second = refused.writeAndFlush(other);
      try (NobodysPort nobody = new NobodysPort()) {
        assertThat(refused.connect(nobody.address()).await().cause())
            .isInstanceOf(ConnectException.class);
      }
      assertThat(second.await().cause()).isInstanceOf(ClosedChannelException.class);
      assertThat(other.refCnt()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldDrainWhatWasFlushedAndFailTheRest(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox atServer = new Inbox();
      pair.listen(SocketPair.handlers(atServer));
      RtChannel client = pair.connect(SocketPair.nothing());
      byte[] large = TransactionTest.random(3 << 20, 6);
      ChannelFuture flushed = client.writeAndFlush(Unpooled.wrappedBuffer(large));
      ChannelFuture unflushed = client.write(EchoTest.text("never"));
      client.close().sync();
      assertThat(client.isOpen()).isFalse();
      assertThat(unflushed.await().cause()).isInstanceOf(ClosedChannelException.class);
      assertThat(atServer.nextBytes()).isEqualTo(large);
      assertThat(flushed.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(flushed.isSuccess()).isTrue();
      assertThat(pair.child().closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(atServer.waiting()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldCloseWithAReasonThatReachesThePeer(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox atClient = new Inbox();
      pair.listen(SocketPair.nothing());
      RtChannel client = pair.connect(SocketPair.handlers(atClient));
      RtChannel child = pair.child();
      assertThatThrownBy(() -> child.close(255, "reserved")).hasMessageContaining("code=255");
      child.close(256, "shop is closed").sync();
      assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(client.closeReason().code()).isEqualTo(256);
      assertThat(client.closeReason().text()).isEqualTo("shop is closed");
      assertThat(atClient.failures()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldResetWithLingerZero(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox atServer = new Inbox();
      pair.listen(
          SocketPair.handlers(atServer), b -> b.childOption(ChannelOption.AUTO_READ, false));
      RtChannel client =
          pair.connect(SocketPair.nothing(), b -> b.option(ChannelOption.SO_LINGER, 0));
      RtChannel child = pair.child();
      ChannelFuture stuck = client.writeAndFlush(EchoTest.text("nobody reads this"));
      client.close().sync();
      assertThat(stuck.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(stuck.cause()).isNotNull();
      assertThat(child.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(child.closeReason().code()).isEqualTo(CloseCode.ABORTED.code());
      assertThat(atServer.failures()).hasOnlyElementsOfType(ConnectionLostException.class);
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldWaitForTheDrainWithLinger(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox atServer = new Inbox();
      pair.listen(SocketPair.handlers(atServer));
      RtChannel client =
          pair.connect(SocketPair.nothing(), b -> b.option(ChannelOption.SO_LINGER, 10));
      ChannelFuture write = client.writeAndFlush(Unpooled.wrappedBuffer(new byte[3 << 20]));
      client.close().sync();
      assertThat(write.isSuccess()).as("taken before the close is done").isTrue();
      assertThat(client.closeReason().isNormal()).isTrue();
      assertThat(atServer.nextBytes()).hasSize(3 << 20);
      assertThat(pair.child().closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldNotLingerLongerThanAsked(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.nothing(), b -> b.childOption(ChannelOption.AUTO_READ, false));
      RtChannel client =
          pair.connect(
              SocketPair.nothing(),
              b ->
                  b.option(ChannelOption.SO_LINGER, 1)
                      .option(RtChannelOption.CLOSE_TIMEOUT_MILLIS, 300_000L));
      client.writeAndFlush(EchoTest.text("nobody reads this"));
      assertThat(client.close().await(40, TimeUnit.SECONDS)).isTrue(); // nothing else would end it
      assertThat(client.isOpen()).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldKeepChildrenWhenTheServerChannelCloses(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      RtServerChannel server = pair.listen(SocketPair.handlers(new EchoTest.Echo()));
      Inbox inbox = new Inbox();
      RtChannel client = pair.connect(SocketPair.handlers(inbox));
      RtChannel child = pair.child();
      server.close().sync();
      client.writeAndFlush(EchoTest.text("still here")).sync();
      assertThat(inbox.nextBytes()).asString().isEqualTo("still here");
      ChannelFuture second =
          pair.client(SocketPair.nothing(), b -> {}).connect(child.localAddress());
      assertThat(second.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(second.cause()).isInstanceOf(ConnectException.class);
      client.close().sync();
      assertThat(child.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldCloseWhenBothSidesDoAtOnce(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(SocketPair.nothing());
      RtChannel client = pair.connect(SocketPair.nothing());
      RtChannel child = pair.child();
      ChannelFuture one = client.close();
      ChannelFuture two = child.close();
      assertThat(one.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(two.await(20, TimeUnit.SECONDS)).isTrue();
      await().atMost(20, TimeUnit.SECONDS).until(() -> endpointSize(pair.clients().next()) == 0);
      await().atMost(20, TimeUnit.SECONDS).until(() -> endpointSize(pair.servers().next()) == 0);
    }
  }

  static int endpointSize(EventLoop loop)
      throws InterruptedException, ExecutionException, TimeoutException {
    return loop.submit(() -> LoopDrivers.of(loop).endpoint().size()).get(20, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldCancelAConnect(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind);
        DatagramSocket silent =
            new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      ChannelFuture connect =
          pair.client(SocketPair.nothing(), b -> {}).connect(silent.getLocalSocketAddress());
      await().until(() -> connect.cancel(true) || connect.isDone());
      assertThat(connect.isCancelled()).isTrue();
      assertThat(connect.channel().closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      await().atMost(20, TimeUnit.SECONDS).until(() -> endpointSize(pair.clients().next()) == 0);
    }
  }
}
