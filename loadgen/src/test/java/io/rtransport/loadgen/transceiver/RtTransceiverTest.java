package io.rtransport.loadgen.transceiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.rtransport.command.SocketKind;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Completion;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Gso;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Op;
import io.rtransport.loadgen.workload.Session;
import io.rtransport.loadgen.workload.SizeMix;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtChannels;
import io.rtransport.netty.RtServerChannel;
import io.rtransport.netty.control.AdpSettings;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RtTransceiverTest {
  private static final TransceiverSettings SHARING =
      new TransceiverSettings(
          Op.IDLE,
          new SizeMix(new int[] {64}, 1),
          1,
          2,
          1_408,
          Gso.OFF,
          64,
          true,
          Completion.COMPLETED,
          SocketKind.NIO,
          false,
          0,
          AdpSettings.NONE,
          null,
          0,
          true,
          1,
          null,
          null);

  private static final Session.Listener NO_LISTENER =
      new Session.Listener() {
        @Override
        public void onCompleted(long sequence) {}

        @Override
        public void onCompletedThrough(long sequence) {}

        @Override
        public void onFailed(long sequence) {}

        @Override
        public void onBatchEnd() {}

        @Override
        public void onRoom() {}

        @Override
        public void onClosed(String reason) {}
      };

  /**
   * A socket that is bound to no peer hears anybody: what no --insecure allows is bound to
   * loopback.
   */
  @Test
  void shouldHearNoOtherAddressThanTheOneThatLeadsToItsServer() throws Exception {
    RtTransceiver client = new RtTransceiver(SHARING);
    EventLoopGroup group = client.loops(1);
    Set<InetSocketAddress> clients = ConcurrentHashMap.newKeySet();
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(group)
            .channelFactory(RtChannels.server(NioDatagramChannel::new))
            .childHandler(
                new ChannelInitializer<RtChannel>() {
                  @Override
                  protected void initChannel(RtChannel channel) {
                    clients.add(channel.remoteAddress());
                  }
                });
    try {
      RtServerChannel server =
          (RtServerChannel) bootstrap.bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
      for (int i = 0; i < 2; i++) {
        assertThat(
                client
                    .connect(group.next(), List.of(server.localAddress()), i, NO_LISTENER)
                    .await(20, TimeUnit.SECONDS))
            .isTrue();
      }
      await().until(() -> !clients.isEmpty());
      assertThat(clients).as("one socket").hasSize(1);
      int port = clients.iterator().next().getPort();
      // Refused while a socket listens on every address with that port.
      try (DatagramSocket other = new DatagramSocket(new InetSocketAddress("127.0.0.2", port))) {
        assertThat(other.getLocalPort()).isEqualTo(port);
      }
    } finally {
      group.shutdownGracefully(50, 20_000, TimeUnit.MILLISECONDS).sync();
    }
  }
}
