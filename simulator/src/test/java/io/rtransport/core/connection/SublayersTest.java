package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SublayersTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final EndpointPair pair = new EndpointPair();
  private final Host server = pair.host();
  private final Host client = pair.host();
  private final ConnectionConfig config =
      ConnectionConfig.builder().keepalive(true).idleTimeoutNs(60 * SECOND).build();

  private Peer connect() {
    server.listen();
    Peer peer = client.connect(server, config);
    pair.runFor(SECOND);
    assertThat(peer.events).containsExactly("established");
    return peer;
  }

  private static boolean hasSublayers(Peer peer) {
    return peer.connection.sublayers.inUse() != null;
  }

  @Test
  void shouldHoldNoneWhileNothingWasCarriedThoughItIsKeptAlive() {
    Peer initiator = connect();
    Peer target = server.accepted.get(0);
    int packets = pair.seen.size();
    for (int i = 0; i < 100; i++) {
      pair.runFor(3 * SECOND);
      assertThat(hasSublayers(initiator)).isFalse();
      assertThat(hasSublayers(target)).isFalse();
    }
    assertThat(pair.seen.size()).isGreaterThan(packets); // five minutes of PING and PONG
    assertThat(initiator.connection.isEstablished()).isTrue();
    assertThat(target.connection.isEstablished()).isTrue();
  }

  @Test
  void shouldKeepThemFromTheFirstMessageOn() {
    Peer initiator = connect();
    Peer target = server.accepted.get(0);
    pair.runFor(SECOND);
    assertThat(initiator.push(100)).isTrue();
    pair.runFor(SECOND);
    assertThat(target.events).contains("delivered");
    assertThat(initiator.ends).containsExactly(Outcome.COMPLETED);
    assertThat(hasSublayers(initiator)).isTrue();
    assertThat(hasSublayers(target)).isTrue();
    pair.runFor(100 * SECOND);
    assertThat(initiator.push(100)).isTrue();
    pair.runFor(SECOND);
    assertThat(initiator.ends).containsExactly(Outcome.COMPLETED, Outcome.COMPLETED);
  }

  @Test
  void shouldCloseWithoutHavingCarriedAnything() {
    Peer initiator = connect();
    Peer target = server.accepted.get(0);
    initiator.close(CloseCode.NORMAL.code(), "");
    pair.runFor(10 * SECOND);
    assertThat(initiator.reason.code()).isEqualTo(CloseCode.NORMAL.code());
    assertThat(target.reason.code()).isEqualTo(CloseCode.NORMAL.code());
    assertThat(server.node.size() + client.node.size()).isZero();
  }
}
