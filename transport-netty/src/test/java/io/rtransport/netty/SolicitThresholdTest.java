package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.rtransport.core.parameter.ConnectionConfig.Congestion;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.handler.FaultInjectionHandler;
import io.rtransport.netty.handler.Faults;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** Whether short pushes ask first, over sockets with a loss now and then. */
@Timeout(60)
class SolicitThresholdTest {
  private static final int COUNT = 1_000;
  private static final int LENGTH_BYTES = 4 << 10;
  private static final int DEFAULT_BYTES = 1 << 20;

  /** About 60 of the 3,000 packets. */
  private static final Faults LOSSY = Faults.loss(0.02);

  @ParameterizedTest
  @NioAndEpoll
  void shouldAskAfterALossWhereTheLevelIsSet(TransportKind kind) throws Exception {
    assertThat(asked(kind, 256)).isBetween(COUNT / 2L, (long) COUNT);
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldNotAskByDefault(TransportKind kind) throws Exception {
    assertThat(asked(kind, DEFAULT_BYTES)).isZero();
  }

  /** Pushes that asked, of those that arrived whole and in order. */
  private static long asked(TransportKind kind, int levelBytes) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      Inbox inbox = new Inbox();
      FaultInjectionHandler faults = new FaultInjectionHandler(Faults.NONE, LOSSY, 3);
      pair.listen(SocketPair.handlers(inbox));
      RtChannel client =
          pair.connect(
              faults::addTo,
              b -> {
                b.option(RtChannelOption.CONGESTION, Congestion.FIXED);
                if (levelBytes != DEFAULT_BYTES) {
                  b.option(RtChannelOption.CONGESTED_SOLICIT_THRESHOLD, levelBytes);
                }
              });
      assertThat(client.config().getOption(RtChannelOption.CONGESTED_SOLICIT_THRESHOLD))
          .isEqualTo(levelBytes);
      ChannelFuture last = null;
      for (int i = 0; i < COUNT; i++) {
        last = client.write(Unpooled.wrappedBuffer(TransactionTest.random(LENGTH_BYTES, i)));
      }
      client.flush();
      for (int i = 0; i < COUNT; i++) {
        assertThat(inbox.nextBytes())
            .as("message %d", i)
            .isEqualTo(TransactionTest.random(LENGTH_BYTES, i));
      }
      assertThat(last.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(last.cause()).isNull();
      assertThat(faults.lostCount()).isPositive();
      long asked = client.stats().get().counters().getOrDefault(CounterId.REQUESTS_SOLICITED, 0L);
      client.close().sync();
      return asked;
    }
  }

  @ParameterizedTest
  @NioAndEpoll
  void shouldRefuseLevelsBelow256BytesAndAbove1MiB(TransportKind kind) throws Exception {
    try (SocketPair pair = new SocketPair(kind)) {
      RtServerChannel server = pair.listen(SocketPair.nothing());
      for (int wrong : new int[] {255, DEFAULT_BYTES + 1}) {
        ChannelFuture connect =
            pair.client(
                    SocketPair.nothing(),
                    b -> b.option(RtChannelOption.CONGESTED_SOLICIT_THRESHOLD, wrong))
                .connect(server.localAddress());
        assertThat(connect.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(connect.cause())
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("congestedThresholdBytes=" + wrong)
            .hasMessageContaining("256..1048576");
      }
    }
  }
}
