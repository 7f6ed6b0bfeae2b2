package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelFuture;
import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.outcome.CloseCode;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A peer whose socket is gone without a word, as after kill -9: the kernel says so, long before the
 * profile's total.
 */
class UnreachablePeerTest {
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldEndLongBeforeTheTotalWhenThePeersPortIsGone(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox atServer = new Inbox();
      InetSocketAddress server = pair.listen(SocketPair.handlers(atServer)).localAddress();
      RebindingRelay relay = new RebindingRelay(server, Long.MAX_VALUE, Integer.MAX_VALUE);
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
      ChannelFuture lost = client.writeAndFlush(EchoTest.text("into the void"));

      assertThat(client.closeFuture().await(totalNs, TimeUnit.NANOSECONDS)).isTrue();
      assertThat(client.closeReason().code()).isEqualTo(CloseCode.UNREACHABLE.code());
      assertThat(lost.cause()).isNotNull();
      pair.child().close().sync();
    }
  }
}
