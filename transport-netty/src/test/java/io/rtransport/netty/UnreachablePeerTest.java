package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelFuture;
import io.netty.util.NetUtil;
import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.connection.CloseCode;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A peer whose socket is gone without a word, as after kill -9: the kernel says so, long before the profile's total. */
class UnreachablePeerTest {
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldEndLongBeforeTheTotalWhenThePeersPortIsGone(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind);
        Relay relay = new Relay()) {
      Inbox atServer = new Inbox();
      InetSocketAddress server = pair.listen(SocketPair.handlers(atServer)).localAddress();
      relay.start(server);
      RtChannel client =
          (RtChannel)
              pair.client(
                      SocketPair.nothing(),
                      b -> b.option(RtChannelOption.PROFILE, BuiltInProfiles.WAN))
                  .connect(relay.address())
                  .sync()
                  .channel();
      client.writeAndFlush(EchoTest.text("through the relay")).sync();
      long totalNs =
          client.config().getOption(RtChannelOption.PROFILE).totalNs(AdpParameters.DEFAULT);
      relay.close();
      long startNs = System.nanoTime();
      ChannelFuture lost = client.writeAndFlush(EchoTest.text("into the void"));

      assertThat(client.closeFuture().await(totalNs / 2, TimeUnit.NANOSECONDS)).isTrue();
      assertThat(client.closeReason().code()).isEqualTo(CloseCode.UNREACHABLE.code());
      assertThat(lost.cause()).isNotNull();
      assertThat(System.nanoTime() - startNs).isLessThan(totalNs / 2);
      pair.child().close().sync();
    }
  }

  /** A socket between the two, which can go away alone. */
  private static final class Relay implements AutoCloseable {
    private final DatagramSocket socket =
        new DatagramSocket(new InetSocketAddress(NetUtil.LOCALHOST4, 0));
    private final Thread thread = new Thread(this::run, "relay");
    private InetSocketAddress server;
    private InetSocketAddress client;

    Relay() throws IOException {}

    void start(InetSocketAddress to) {
      server = to;
      thread.start();
    }

    InetSocketAddress address() {
      return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    private void run() {
      DatagramPacket packet = new DatagramPacket(new byte[65_536], 65_536);
      try {
        while (true) {
          packet.setLength(65_536);
          socket.receive(packet);
          InetSocketAddress from = (InetSocketAddress) packet.getSocketAddress();
          boolean isAnswer = from.equals(server);
          if (!isAnswer) {
            client = from;
          }
          packet.setSocketAddress(isAnswer ? client : server);
          socket.send(packet);
        }
      } catch (IOException e) {
        // It was closed.
      }
    }

    @Override
    public void close() throws InterruptedException {
      socket.close();
      thread.join();
    }
  }
}
