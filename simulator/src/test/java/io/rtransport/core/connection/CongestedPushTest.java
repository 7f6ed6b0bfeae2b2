package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.ConnectionConfig.Congestion;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.core.wire.PacketType;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A push below the threshold asks first where the path is congested as it is about to leave. */
class CongestedPushTest {
  private static final int COUNT = 1_000;
  private static final int LENGTH_BYTES = 4 << 10;

  /** Pushes that credit covers at once, when a few have been delivered: these have left. */
  private static final int ON_THE_WAY_MAX = 32;

  private final EndpointPair net = new EndpointPair();
  private final Host server = net.host();
  private final Host client = net.host();
  private long deliveredAtLoss = -1;
  private long askedAtLoss;

  /** Queues all pushes at once and lets them end. */
  private Peer push(Congestion congestion, int levelBytes, boolean isLossy) {
    ConnectionConfig config =
        ConnectionConfig.builder()
            .congestion(congestion)
            .congestedThresholdBytes(levelBytes)
            .outstandingMax(2 * COUNT)
            .build();
    server.acceptConfig = config;
    server.listen();
    Peer peer = client.connect(server, config);
    net.runFor(TimeUnit.MILLISECONDS.toNanos(10));
    net.loss =
        flying -> {
          if (!isLossy
              || deliveredAtLoss >= 0
              || flying.to() != server
              || flying.type() != PacketType.DATA
              || peer.ends.size() < 10) {
            return false;
          }
          deliveredAtLoss = peer.ends.size();
          askedAtLoss = asked();
          return true;
        };
    for (int i = 0; i < COUNT; i++) {
      peer.connection
          .verbs()
          .submitPush(peer, 0, LENGTH_BYTES, ByteBuffer.allocate(0), 0, 0, 7, true);
    }
    peer.flush();
    net.runFor(TimeUnit.SECONDS.toNanos(5));
    assertThat(peer.ends).hasSize(COUNT).containsOnly(Outcome.COMPLETED);
    return peer;
  }

  private long asked() {
    return client.count(CounterId.REQUESTS_SOLICITED);
  }

  @Test
  void shouldAskFromALossOn() {
    push(Congestion.FIXED, 256, true);
    assertThat(askedAtLoss).as("before it").isZero();
    long leastAsked = COUNT - deliveredAtLoss - ON_THE_WAY_MAX;
    assertThat(asked()).isBetween(leastAsked, COUNT - deliveredAtLoss);
  }

  @Test
  void shouldNotAskWhereNothingIsLostAndThereIsRoom() {
    push(Congestion.FIXED, 256, false);
    assertThat(asked()).isZero();
  }

  @Test
  void shouldAskWhereTheCongestionWindowAloneIsFull() {
    push(Congestion.AIMD, 256, false);
    assertThat(asked()).isPositive();
  }

  /** The burst has room for no more than a push whose source then has nothing. */
  @Test
  void shouldAskAtOnceForAPushBehindOneThatIsNotReady() {
    ConnectionConfig config =
        ConnectionConfig.builder()
            .congestion(Congestion.AIMD)
            .ordered(false)
            .solicitThresholdBytes(100_000)
            .initialCreditBytes(1 << 20)
            .congestedThresholdBytes(256)
            .build();
    server.acceptConfig = config;
    server.listen();
    Peer peer = client.connect(server, config);
    net.runFor(TimeUnit.MILLISECONDS.toNanos(10));
    PayloadSource empty =
        new PayloadSource() {
          @Override
          public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
            return 0;
          }
        };
    ByteBuffer header = ByteBuffer.allocate(0);
    peer.connection.verbs().submitPush(empty, 1, 99_000, header, 0, 0, 7, true);
    peer.connection.verbs().submitPush(peer, 0, 200_000, header, 0, 0, 7, true);
    peer.flush();
    net.runFor(1);
    assertThat(asked()).isEqualTo(1);
  }

  @Test
  void shouldNotAskUnlessTheLevelIsSet() {
    push(Congestion.AIMD, ConnectionConfig.builder().build().congestedThresholdBytes(), true);
    assertThat(asked()).isZero();
    assertThat(deliveredAtLoss).isPositive();
  }

  @Test
  void shouldNotAskUpToTheLevel() {
    push(Congestion.FIXED, LENGTH_BYTES, true);
    assertThat(asked()).isZero();
    assertThat(deliveredAtLoss).isPositive();
  }

  @Test
  void shouldAskAboveTheLevelBySoLittleAsAByte() {
    push(Congestion.FIXED, LENGTH_BYTES - 1, true);
    assertThat(asked()).isPositive();
  }

  @Test
  void shouldTakeLevelsFromWhatReadyPushesCarryTo1MiB() {
    for (int bytes : new int[] {256, 1 << 20}) {
      ConnectionConfig config = ConnectionConfig.builder().congestedThresholdBytes(bytes).build();
      assertThat(config.congestedThresholdBytes()).isEqualTo(bytes);
    }
    assertThatThrownBy(() -> ConnectionConfig.builder().congestedThresholdBytes(255).build())
        .hasMessageContaining("congestedThresholdBytes=255")
        .hasMessageContaining("256..1048576");
    assertThatThrownBy(
            () -> ConnectionConfig.builder().congestedThresholdBytes((1 << 20) + 1).build())
        .hasMessageContaining("congestedThresholdBytes=1048577");
  }
}
