package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** IPv6, and one server on several addresses. */
@Timeout(60)
class AddressesTest {
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldEchoOverIpv6(TransportKind kind) throws Exception {
    assumeTrue(
        NetworkInterface.getByInetAddress(NetUtil.LOCALHOST6) != null,
        "this machine has no IPv6 loopback");
    try (SocketPair pair = new SocketPair(kind)) {
      RtServerChannel server = bind(pair, kind, NetUtil.LOCALHOST6);
      assertThat(echo(pair, server)).isEqualTo("over " + server.localAddress());
      server.close().sync();
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldAnswerFromEachAddressThatItIsBoundTo(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      RtServerChannel first = bind(pair, kind, InetAddress.getByName("127.0.0.1"));
      RtServerChannel second = bind(pair, kind, InetAddress.getByName("127.0.0.2"));
      assertThat(echo(pair, first)).isEqualTo("over " + first.localAddress());
      assertThat(echo(pair, second)).isEqualTo("over " + second.localAddress());
      first.close().sync();
      second.close().sync();
    }
  }

  private static RtServerChannel bind(SocketPair pair, TransportKind kind, InetAddress address)
      throws Exception {
    return (RtServerChannel)
        new ServerBootstrap()
            .group(pair.servers())
            .channelFactory(RtChannels.server(kind.sockets()))
            .childHandler(
                new ChannelInitializer<RtChannel>() {
                  @Override
                  protected void initChannel(RtChannel child) {
                    child.pipeline().addLast(new EchoTest.Echo());
                  }
                })
            .bind(new InetSocketAddress(address, 0))
            .sync()
            .channel();
  }

  private static String echo(SocketPair pair, RtServerChannel server) throws Exception {
    Inbox inbox = new Inbox();
    RtChannel client =
        (RtChannel)
            pair.client(SocketPair.handlers(inbox), options -> {})
                .connect(server.localAddress())
                .sync()
                .channel();
    assertThat(client.remoteAddress()).isEqualTo(server.localAddress());
    client.writeAndFlush(EchoTest.text("over " + server.localAddress())).sync();
    String answer = new String(inbox.nextBytes(), java.nio.charset.StandardCharsets.UTF_8);
    client.close().sync();
    return answer;
  }
}
