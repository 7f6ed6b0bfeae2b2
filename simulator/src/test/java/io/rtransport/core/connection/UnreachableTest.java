package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.PacketType;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What ICMP's word that nothing listens may do, and what not. */
class UnreachableTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

  private final EndpointPair pair = new EndpointPair();
  private Peer client;
  private Host server;
  private long refused;

  @BeforeEach
  void connect() {
    server = pair.host();
    server.listen();
    client = pair.host().connect(server, ConnectionConfig.builder().build());
    pair.runFor(MS);
    client.push(10);
    pair.runFor(10 * MS);
    assertThat(client.ends).containsExactly(Outcome.COMPLETED);
    client.ends.clear();
  }

  private long pings() {
    return client.connection.counters().value(CounterId.PINGS_SENT);
  }

  /** The peer is gone: the network refuses each PING, up to {@code refusalsMax}. */
  private void runRefused(long durationNs, int refusalsMax) {
    for (long at = 0; at < durationNs && client.reason == null; at += MS) {
      pair.runFor(MS);
      if (refused < Math.min(pings(), refusalsMax)) {
        refused++;
        client.onUnreachable();
      }
    }
  }

  @Test
  void shouldEndSoonWhenEachOfThreePingsIsRefused() {
    pair.hosts.remove(server);
    client.push(100);
    client.onUnreachable();
    assertThat(pings()).isEqualTo(1);
    runRefused(2_000 * MS, Integer.MAX_VALUE);
    assertThat(client.reason).isNotNull();
    assertThat(client.reason.code()).isEqualTo(CloseCode.UNREACHABLE.code());
    assertThat(client.ends).containsExactly(Outcome.UNKNOWN);
    assertThat(pings()).isEqualTo(Liveness.UNREACHABLE_PINGS_MAX);
  }

  /**
   * Returns how long it takes until the client doubts that its peer lives, ms; −1: it ends first.
   */
  private long doubtMs(int refusalsMax) {
    for (long ms = 0; client.reason == null; ms++) {
      if (client.connection.isInDoubt(pair.nowNs)) {
        return ms;
      }
      runRefused(MS, refusalsMax);
    }
    return -1;
  }

  @Test
  void shouldDoubtAPeerLongBeforeItsConnectionEnds() {
    assertThat(client.connection.isInDoubt(pair.nowNs)).isFalse();
    pair.hosts.remove(server);
    client.push(100);
    client.onUnreachable();
    assertThat(doubtMs(Integer.MAX_VALUE)).isBetween(45L, 55L);
  }

  @Test
  void shouldDoubtASilentPeerLater() {
    pair.hosts.remove(server);
    client.push(100);
    long quarterMs = client.connection.agreed().both().livenessTotalNs() / 4 / MS;
    assertThat(doubtMs(0)).isBetween(quarterMs + 235, quarterMs + 260);
  }

  @Test
  void shouldDoubtNoMoreOnceThePeerIsHeard() {
    pair.hosts.remove(server);
    client.push(100);
    client.onUnreachable();
    assertThat(doubtMs(Integer.MAX_VALUE)).isPositive();
    pair.hosts.add(server);
    pair.runFor(200 * MS);
    assertThat(client.connection.isInDoubt(pair.nowNs)).isFalse();
    assertThat(client.ends).containsExactly(Outcome.COMPLETED);
  }

  @Test
  void shouldNotEndByTwoRefusals() {
    pair.hosts.remove(server);
    client.push(100);
    client.onUnreachable();
    runRefused(900 * MS, Liveness.UNREACHABLE_PINGS_MAX - 1);
    assertThat(refused).isEqualTo(Liveness.UNREACHABLE_PINGS_MAX - 1);
    assertThat(client.reason).isNull();
  }

  @Test
  void shouldLetNoForgerEndAConnectionWhosePeerLives() {
    for (int i = 0; i < 2_000; i++) {
      client.onUnreachable();
      client.onUnreachable();
      pair.runFor(MS);
    }
    assertThat(client.reason).isNull();
    assertThat(pings()).as("no more than one a tenth of a second").isBetween(10L, 21L);
    assertThat(pair.seen.stream().filter(flying -> flying.type() == PacketType.PONG)).isNotEmpty();
    client.push(100);
    pair.runFor(10 * MS);
    assertThat(client.ends).containsExactly(Outcome.COMPLETED);
  }
}
