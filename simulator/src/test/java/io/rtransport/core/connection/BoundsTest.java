package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.ConnectionConfig.Congestion;
import io.rtransport.core.stats.Bound;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a connection says holds it back, one test a bound. */
class BoundsTest {
  private static final long HELD_NS = 3_000;

  private final EndpointPair pair = new EndpointPair();
  private final Host client = pair.host();
  private final Host server = pair.host();

  private Peer connect(ConnectionConfig config) {
    server.acceptConfig = config;
    server.listen();
    Peer peer = client.connect(server, config);
    pair.runFor(10_000_000);
    assertThat(peer.connection.isEstablished()).isTrue();
    return peer;
  }

  private static ConnectionConfig.Builder wide() {
    return ConnectionConfig.builder().initialCreditBytes(2 << 20);
  }

  private static void push(Peer peer, int count, int lengthBytes) {
    for (int i = 0; i < count; i++) {
      assertThat(peer.push(lengthBytes)).isTrue();
    }
  }

  /** What grows from now on while nothing arrives. */
  private Map<Bound, Long> growth(Peer peer) {
    Map<Bound, Long> growth = new EnumMap<>(Bound.class);
    for (Bound bound : Bound.values()) {
      long ns =
          peer.connection.heldNs(bound, pair.nowNs + HELD_NS)
              - peer.connection.heldNs(bound, pair.nowNs);
      if (ns != 0) {
        growth.put(bound, ns);
      }
    }
    return growth;
  }

  @Test
  void shouldNameTheApplicationWhenAllItGaveHasLeftAndIsUnderWay() {
    Peer peer = connect(ConnectionConfig.builder().build());
    push(peer, 1, 100);
    assertThat(growth(peer)).isEqualTo(Map.of(Bound.APPLICATION, HELD_NS));
  }

  @Test
  void shouldCountNothingWhileIdle() {
    Peer peer = connect(ConnectionConfig.builder().build());
    push(peer, 1, 100);
    pair.runFor(1_000_000_000);
    assertThat(growth(peer)).isEmpty();
    assertThat(peer.connection.heldNs(Bound.APPLICATION, pair.nowNs))
        .isBetween(2 * EndpointPair.DELAY_NS, 10_000_000L);
  }

  @Test
  void shouldNameTheWindowWhenThePeerTracksNoMorePackets() {
    ConnectionConfig config = ConnectionConfig.builder().dataWindowPackets(64).build();
    Peer peer = connect(config);
    push(peer, 64, 100);
    assertThat(growth(peer)).isEqualTo(Map.of(Bound.APPLICATION, HELD_NS));
    push(peer, 1, 100);
    assertThat(growth(peer)).isEqualTo(Map.of(Bound.WINDOW, HELD_NS));
  }

  @Test
  void shouldNameTheCongestionWindow() {
    Peer peer = connect(wide().build());
    push(peer, 20, 8_000);
    assertThat(growth(peer)).isEqualTo(Map.of(Bound.CONGESTION, HELD_NS));
  }

  @Test
  void shouldNameTheCreditUntilThePeerRaisesIt() {
    Peer peer = connect(ConnectionConfig.builder().build());
    push(peer, 4, 4_000);
    assertThat(growth(peer)).isEqualTo(Map.of(Bound.APPLICATION, HELD_NS));
    push(peer, 1, 4_000);
    assertThat(growth(peer)).isEqualTo(Map.of(Bound.CREDIT, HELD_NS));
    pair.runFor(100_000_000);
    assertThat(peer.connection.heldNs(Bound.CREDIT, pair.nowNs))
        .isBetween(2 * EndpointPair.DELAY_NS, 50_000_000L);
  }

  @Test
  void shouldNameTheGrantsOfAPeerThatAsksForNothing() {
    Peer peer = connect(ConnectionConfig.builder().build());
    server.accepted.get(0).onOpen = rsn -> EndpointPair.LATER;
    push(peer, 1, 100_000);
    pair.runFor(100_000_000);
    assertThat(growth(peer)).isEqualTo(Map.of(Bound.GRANT, HELD_NS));
  }

  @Test
  void shouldNameTheStoreThatTakesNoMorePackets() {
    Peer peer = connect(wide().congestion(Congestion.FIXED).build());
    push(peer, 150, 8_000);
    assertThat(growth(peer)).isEqualTo(Map.of(Bound.STORE, HELD_NS));
  }

  @Test
  void shouldNameNoBoundWhileThePortIsBusy() {
    Peer peer = connect(ConnectionConfig.builder().build());
    peer.room = 0;
    push(peer, 1, 100);
    assertThat(growth(peer)).isEmpty();
  }

  @Test
  void shouldStopCountingAtTheEnd() {
    Peer peer = connect(ConnectionConfig.builder().build());
    push(peer, 1, 100);
    peer.abort(300, "enough");
    assertThat(growth(peer)).isEmpty();
  }
}
