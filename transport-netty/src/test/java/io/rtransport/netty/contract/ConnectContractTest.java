package io.rtransport.netty.contract;

import static io.rtransport.netty.contract.Journal.ACTIVE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.util.NetUtil;
import io.rtransport.netty.NobodysPort;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnresolvedAddressException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Connecting: how it fails, what may be done before it, and the addresses. */
@ExtendWith(ContractCount.class)
@Timeout(60)
class ConnectContractTest {
  @Contract
  void shouldBeRefusedWhereNobodyListens(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport);
        NobodysPort nobody = new NobodysPort()) {
      ChannelFuture connect = rig.clientBootstrap(new Journal()).connect(nobody.address());
      assertThat(Rig.failure(connect))
          .isInstanceOf(ConnectException.class)
          .hasMessageContaining("Connection refused")
          .hasMessageContaining(nobody.address().toString());
      Rig.succeeded(connect.channel().closeFuture());
      assertThat(connect.channel().isOpen()).isFalse();
    }
  }

  @Contract
  void shouldBeRefusedByAServerThatHasClosedThoughItsChildrenLive(Transport transport)
      throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      Rig.succeeded(rig.server.close());
      ChannelFuture connect = rig.clientBootstrap(new Journal()).connect(rig.child.localAddress());
      // NIO closes a listening socket with its next select: until then the kernel may take a
      // connection, and reset it.
      for (int i = 0; i < 100 && transport == Transport.TCP_NIO; i++) {
        if (!Rig.done(connect).isSuccess()) {
          break;
        }
        connect = rig.clientBootstrap(new Journal()).connect(rig.child.localAddress());
      }
      assertThat(Rig.failure(connect))
          .isInstanceOf(
              transport == Transport.TCP_NIO ? SocketException.class : ConnectException.class);
      Rig.succeeded(rig.client.writeAndFlush(Rig.text("still here")));
      rig.atChild.awaitText("still here");
    }
  }

  @Contract
  void shouldTimeOutWhereSomebodyIsSilent(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport);
        SilentPort silent = new SilentPort(transport)) {
      rig.clientOptions = b -> b.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 300);
      ChannelFuture connect = rig.clientBootstrap(new Journal()).connect(silent.address());
      assertThat(Rig.failure(connect))
          .isInstanceOf(ConnectTimeoutException.class)
          .hasMessageContaining("connection timed out after 300 ms")
          .hasMessageContaining(silent.address().toString());
      Rig.succeeded(connect.channel().closeFuture());
    }
  }

  @Contract
  void shouldRefuseASecondConnectWhileTheFirstIsPending(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport);
        SilentPort silent = new SilentPort(transport)) {
      ChannelFuture first = rig.clientBootstrap(new Journal()).connect(silent.address());
      await().until(() -> first.channel().isRegistered());
      Rig.runOnLoop(first.channel(), () -> {});
      assertThat(Rig.failure(first.channel().connect(silent.address())))
          .isInstanceOf(ConnectionPendingException.class);
      assertThat(first.isDone()).isFalse();
      assertThat(first.channel().isOpen()).isTrue();
      Rig.succeeded(first.channel().close());
    }
  }

  @Contract
  void shouldRefuseASecondConnectWhenTheFirstHasSucceeded(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      // That NIO's TCP channel closes over it, and epoll's does not, is Netty's own difference.
      assertThat(Rig.failure(rig.client.connect(rig.server.localAddress())))
          .isInstanceOf(AlreadyConnectedException.class);
    }
  }

  @Contract
  void shouldRefuseAnUnresolvedAddress(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      Bootstrap bootstrap = rig.clientBootstrap(new Journal()).disableResolver();
      ChannelFuture connect =
          bootstrap.connect(InetSocketAddress.createUnresolved("name.invalid", 7400));
      assertThat(Rig.failure(connect)).isInstanceOf(UnresolvedAddressException.class);
      Rig.succeeded(connect.channel().closeFuture());
    }
  }

  @Contract
  void shouldResolveANameAndConnect(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.listen();
      int port = ((InetSocketAddress) rig.server.localAddress()).getPort();
      rig.atClient = new Journal();
      // Netty's resolver takes the first address of a name, IPv4 by default.
      ChannelFuture connect = rig.clientBootstrap(rig.atClient).connect("localhost", port);
      rig.client = Rig.succeeded(connect).channel();
      assertThat(rig.client.remoteAddress())
          .isEqualTo(new InetSocketAddress(NetUtil.LOCALHOST4, port));
    }
  }

  @Contract
  void shouldFailWhatIsFlushedBeforeTheConnectAndConnectAllTheSame(Transport transport)
      throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.listen();
      rig.atClient = new Journal();
      rig.client = Rig.succeeded(rig.clientBootstrap(rig.atClient).register()).channel();
      ByteBuf early = Rig.text("early");
      assertThat(Rig.failure(rig.client.writeAndFlush(early)))
          .isInstanceOf(NotYetConnectedException.class);
      assertThat(early.refCnt()).isZero();
      assertThat(rig.client.isOpen()).isTrue();
      Rig.succeeded(rig.client.connect(rig.server.localAddress()));
      rig.nextChild();
      Rig.succeeded(rig.client.writeAndFlush(Rig.text("late")));
      rig.atChild.awaitText("late");
    }
  }

  @Contract
  void shouldSendWhatWasWrittenBeforeTheConnectAndFlushedAfterIt(Transport transport)
      throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.listen();
      rig.client = Rig.succeeded(rig.clientBootstrap(new Journal()).register()).channel();
      ChannelFuture early = rig.client.write(Rig.text("early"));
      Rig.succeeded(rig.client.connect(rig.server.localAddress()));
      assertThat(early.isDone()).isFalse();
      rig.client.flush();
      Rig.succeeded(early);
      rig.nextChild();
      rig.atChild.awaitText("early");
    }
  }

  /** TCP's kind depends on the socket: over NIO Netty does not know the option. */
  @Contract
  void shouldKeepWhatWasWrittenBeforeTheConnectForAFastOpen(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.listen();
      rig.client = Rig.succeeded(rig.clientBootstrap(new Journal()).register()).channel();
      boolean isKnown = rig.client.config().setOption(ChannelOption.TCP_FASTOPEN_CONNECT, true);
      assertThat(isKnown).isEqualTo(transport != Transport.TCP_NIO);
      ChannelFuture early = rig.client.write(Rig.text("early"));
      Rig.succeeded(rig.client.connect(rig.server.localAddress()));
      rig.client.flush();
      Rig.succeeded(early);
      rig.nextChild();
      rig.atChild.awaitText("early");
    }
  }

  @Contract
  void shouldCloseWhenItsConnectIsCancelled(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport);
        SilentPort silent = new SilentPort(transport)) {
      Journal journal = new Journal();
      ChannelFuture connect = rig.clientBootstrap(journal).connect(silent.address());
      await().until(() -> connect.channel().isRegistered());
      Rig.runOnLoop(connect.channel(), () -> {});
      assertThat(connect.cancel(false)).isTrue();
      Rig.succeeded(connect.channel().closeFuture());
      assertThat(journal.all()).doesNotContain(ACTIVE);
    }
  }

  @Contract
  void shouldFailItsConnectWhenItCloses(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport);
        SilentPort silent = new SilentPort(transport)) {
      ChannelFuture connect = rig.clientBootstrap(new Journal()).connect(silent.address());
      await().until(() -> connect.channel().isRegistered());
      Rig.runOnLoop(connect.channel(), () -> {});
      Rig.succeeded(connect.channel().close());
      assertThat(Rig.failure(connect)).isInstanceOf(ClosedChannelException.class);
    }
  }

  @Contract
  void shouldNotConnectAChannelThatIsClosed(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      Rig.succeeded(rig.client.close());
      assertThat(Rig.failure(rig.client.connect(rig.server.localAddress())))
          .isInstanceOf(ClosedChannelException.class);
    }
  }

  @Contract
  void shouldRefuseTheVoidPromiseForAllButWrites(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      Channel client = rig.client;
      assertThatIllegalArgumentException()
          .isThrownBy(() -> client.connect(rig.server.localAddress(), client.voidPromise()));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> client.close(client.voidPromise()))
          .withMessageContaining("VoidChannelPromise");
      assertThat(client.isActive()).isTrue();
    }
  }

  @Contract
  void shouldHaveNoAddressesBeforeAndConcreteOnesAfter(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.listen();
      rig.client = Rig.succeeded(rig.clientBootstrap(new Journal()).register()).channel();
      assertThat(rig.client.localAddress()).isNull();
      assertThat(rig.client.remoteAddress()).isNull();
      Rig.succeeded(rig.client.connect(rig.server.localAddress()));
      rig.nextChild();
      InetSocketAddress local = (InetSocketAddress) rig.client.localAddress();
      assertThat(local.getAddress()).isEqualTo(NetUtil.LOCALHOST4);
      assertThat(local.getPort()).isPositive();
      assertThat(rig.client.remoteAddress()).isEqualTo(rig.server.localAddress());
      assertThat(rig.child.localAddress()).isEqualTo(rig.server.localAddress());
      assertThat(rig.child.remoteAddress()).isEqualTo(local);
      assertThat(((InetSocketAddress) rig.server.localAddress()).getPort()).isPositive();
      assertThat(rig.server.remoteAddress()).isNull();
    }
  }

  @Contract
  void shouldKeepTheAddressesThatWereAskedForWhenItIsClosed(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      Object local = rig.child.localAddress();
      Object remote = rig.child.remoteAddress();
      Rig.succeeded(rig.child.close());
      assertThat(rig.child.localAddress()).isEqualTo(local);
      assertThat(rig.child.remoteAddress()).isEqualTo(remote);
    }
  }

  @Contract
  void shouldConnectFromTheAddressThatIsGiven(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.listen();
      InetSocketAddress from =
          new InetSocketAddress(InetAddress.getByName("127.0.0.2"), 0); // any port of it
      ChannelFuture connect =
          rig.clientBootstrap(new Journal()).connect(rig.server.localAddress(), from);
      rig.client = Rig.succeeded(connect).channel();
      rig.nextChild();
      assertThat(((InetSocketAddress) rig.client.localAddress()).getAddress())
          .isEqualTo(from.getAddress());
      assertThat(rig.child.remoteAddress()).isEqualTo(rig.client.localAddress());
    }
  }

  @Contract
  void shouldConnectAChannelThatWasBoundFirst(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.listen();
      rig.client = Rig.succeeded(rig.clientBootstrap(new Journal()).register()).channel();
      Rig.succeeded(rig.client.bind(Rig.any()));
      InetSocketAddress bound = (InetSocketAddress) rig.client.localAddress();
      assertThat(bound.getPort()).isPositive();
      Rig.succeeded(rig.client.connect(rig.server.localAddress()));
      assertThat(rig.client.localAddress()).isEqualTo(bound);
    }
  }

  @Contract
  void shouldNotBindAPortInUse(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport);
        Rig second = new Rig(transport)) {
      rig.listen();
      ChannelFuture bind = second.serverBootstrap().bind(rig.server.localAddress());
      assertThat(Rig.failure(bind)).hasMessageContaining("Address already in use");
      Rig.succeeded(bind.channel().closeFuture());
    }
  }

  @Contract
  void shouldNotBindTwice(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.listen();
      Object first = rig.server.localAddress();
      Rig.failure(rig.server.bind(Rig.any()));
      assertThat(rig.server.localAddress()).isEqualTo(first);
      rig.connect();
      rig.nextChild();
      assertThat(rig.child.localAddress()).isEqualTo(first);
    }
  }

  @Contract
  void shouldBindAgainToAPortThatWasGivenUp(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.listen();
      Object address = rig.server.localAddress();
      Rig.succeeded(rig.server.close());
      await() // the system may take a moment
          .until(
              () -> {
                ChannelFuture bind =
                    rig.serverBootstrap().handler(new Journal()).bind((InetSocketAddress) address);
                rig.server = Rig.done(bind).channel();
                return bind.isSuccess();
              });
      assertThat(rig.server.localAddress()).isEqualTo(address);
      rig.connect();
      rig.nextChild();
    }
  }

  @Contract
  void shouldTakeOneConnectionARead(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.serverOptions = b -> b.option(ChannelOption.AUTO_READ, false);
      rig.listen();
      Journal journal = new Journal();
      ChannelFuture connect = rig.clientBootstrap(journal).connect(rig.server.localAddress());
      rig.client = Rig.succeeded(connect).channel(); // though nobody has read it
      rig.client.writeAndFlush(Rig.text("before it is read"));
      Rig.runOnLoop(rig.server, () -> {});
      assertThat(rig.acceptedCount()).isZero();
      rig.server.read();
      rig.nextChild();
      rig.atChild.awaitText("before it is read");
    }
  }

  @Contract
  void shouldWaitAsLongAsNettyDoesForAnAnswer(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.listen();
      Channel client =
          Rig.succeeded(
                  new Bootstrap()
                      .group(rig.clients)
                      .channelFactory(transport.clients())
                      .handler(new Journal())
                      .connect(rig.server.localAddress()))
              .channel();
      assertThat(client.config().getConnectTimeoutMillis()).isEqualTo(30_000);
      Rig.succeeded(client.close());
    }
  }
}
