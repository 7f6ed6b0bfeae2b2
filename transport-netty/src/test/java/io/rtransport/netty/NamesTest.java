package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.ConnectException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A name with several addresses: all are tried, in turn. */
@Timeout(60)
class NamesTest {
  /** A resolver to which every name is these addresses. */
  private static AddressResolverGroup<InetSocketAddress> names(String... addresses) {
    return RtChannels.everyAddress(
        new AddressResolverGroup<>() {
          @Override
          protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
            return new InetNameResolver(executor) {
              @Override
              protected void doResolve(String name, Promise<InetAddress> promise) {
                promise.setFailure(new UnknownHostException("asked for one address of " + name));
              }

              @Override
              protected void doResolveAll(String name, Promise<List<InetAddress>> promise)
                  throws UnknownHostException {
                List<InetAddress> all = new ArrayList<>();
                for (String address : addresses) {
                  all.add(InetAddress.getByName(address));
                }
                promise.setSuccess(all);
              }
            }.asAddressResolver();
          }
        });
  }

  private static ChannelFuture connect(SocketPair pair, int port, int millis, String... addresses) {
    return pair.client(
            SocketPair.nothing(), b -> b.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, millis))
        .resolver(names(addresses))
        .connect("several.test", port);
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldConnectToTheFirstAddressThatAnswers(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      int port = pair.listen(SocketPair.handlers(inbox)).localAddress().getPort();
      try (DatagramSocket silent =
          new DatagramSocket(new InetSocketAddress(InetAddress.getByName("127.0.0.3"), port))) {
        ChannelFuture connect =
            connect(pair, port, 12_000, "127.0.0.2", "127.0.0.3", "127.0.0.1", "127.0.0.4");
        assertThat(connect.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(connect.cause()).isNull();
        RtChannel client = (RtChannel) connect.channel();
        assertThat(client.remoteAddress()).isEqualTo(new InetSocketAddress("127.0.0.1", port));
        assertThat(client.closeReason()).isNull();
        assertThat(pair.child().remoteAddress()).isEqualTo(client.localAddress());
        client.writeAndFlush(EchoTest.text("found")).sync();
        assertThat(inbox.nextBytes()).asString().isEqualTo("found");
        assertThat(silent.getLocalPort()).isEqualTo(port);
        client.close().sync();
        await().until(() -> LifeCycleTest.endpointSize(pair.clients().next()) == 0);
      }
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldFailWithTheLastFailureAndKeepTheOthers(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind);
        NobodysPort nobody = new NobodysPort();
        DatagramSocket silent =
            new DatagramSocket(
                new InetSocketAddress(
                    InetAddress.getByName("127.0.0.3"), nobody.address().getPort()))) {
      int port = silent.getLocalPort();
      ChannelFuture connect = connect(pair, port, 400, "127.0.0.1", "127.0.0.3");
      assertThat(connect.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(connect.cause())
          .isInstanceOf(ConnectTimeoutException.class)
          .hasMessageContaining("127.0.0.3");
      assertThat(connect.cause().getSuppressed()).hasSize(1);
      assertThat(connect.cause().getSuppressed()[0])
          .isInstanceOf(ConnectException.class)
          .hasMessageContaining("refused")
          .hasMessageContaining("127.0.0.1");
      assertThat(connect.channel().closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
      await().until(() -> LifeCycleTest.endpointSize(pair.clients().next()) == 0);
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldStopTryingWhenItIsClosed(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind);
        DatagramSocket silent =
            new DatagramSocket(new InetSocketAddress(InetAddress.getByName("127.0.0.3"), 0))) {
      ChannelFuture connect =
          connect(pair, silent.getLocalPort(), 200_000, "127.0.0.3", "127.0.0.3", "127.0.0.3");
      await().until(() -> LifeCycleTest.endpointSize(pair.clients().next()) == 1);
      connect.channel().close().sync();
      assertThat(connect.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(connect.isSuccess()).isFalse();
      await().until(() -> LifeCycleTest.endpointSize(pair.clients().next()) == 0);
    }
  }
}
