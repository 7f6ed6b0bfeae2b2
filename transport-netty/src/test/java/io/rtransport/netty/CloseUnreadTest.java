package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A channel that is closed while messages of its peer wait to be read. */
@Timeout(60)
class CloseUnreadTest {
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldSayAtOnceThatWhatWasNeverReadWasNotExecuted(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      pair.listen(
          SocketPair.nothing(),
          b ->
              b.option(RtChannelOption.CLOSE_TIMEOUT_MILLIS, 300_000L)
                  .childOption(ChannelOption.AUTO_READ, false));
      RtChannel client =
          pair.connect(
              SocketPair.nothing(), b -> b.option(RtChannelOption.CLOSE_TIMEOUT_MILLIS, 300_000L));
      RtChannel child = pair.child();
      ChannelFuture small = client.write(EchoTest.text("never read"));
      ChannelFuture push =
          client.write(Push.of(EchoTest.text("never read either"), new byte[] {1}));
      ChannelFuture pull = client.writeAndFlush(Pull.of(new byte[0], 100));
      await()
          .until(
              () ->
                  child.eventLoop().submit(() -> inside(child).reading().queue().liveCount()).get()
                      == 3);
      child.close().sync();
      for (ChannelFuture each : new ChannelFuture[] {small, push, pull}) {
        assertThat(each.await(20, TimeUnit.SECONDS)).as("told").isTrue();
        RtException failure = (RtException) each.cause();
        assertThat(failure.outcome()).isEqualTo(Outcome.NOT_EXECUTED);
        assertThat(failure.isFromTransport()).isTrue();
        assertThat(failure.code()).isEqualTo(CloseCode.CLOSING.code());
      }
      assertThat(client.closeFuture().await(20, TimeUnit.SECONDS)).as("closed").isTrue();
    }
  }
}
