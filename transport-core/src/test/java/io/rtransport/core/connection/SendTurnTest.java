package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.connection.ConnectionConfig.Congestion;
import io.rtransport.core.connection.EndpointPair.Flying;
import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.transaction.Outcome;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** However far its window is open, a connection leaves the others of its event loop their turn. In virtual time. */
class SendTurnTest {
  private static final long SETTLE_NS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final int TURN_BYTES = EndpointConfig.ofLoop(0).sendTurnBytes();
  private static final int LENGTH = 8_000;
  private static final int PUSHES = 100;
  private static final int WARM_UPS = 20;

  /** What the last burst of a turn may add to it: 96 KiB and a datagram, or its 64 packets. */
  private static final int OVER_BYTES = 96 * 1024 + 65_507;

  private final EndpointPair pair = new EndpointPair();
  private final Host listening = pair.host();
  private final Host host = pair.host(EndpointConfig.ofLoop(0), new LoopResources(new Random(7)));

  private Peer connect(boolean isMtuDiscovered) {
    listening.endpoint.acceptor(listening);
    ConnectionConfig config =
        ConnectionConfig.builder()
            .congestion(Congestion.FIXED)
            .pathMtuDiscovered(isMtuDiscovered)
            .dataWindowPackets(1_024)
            .requestWindowPackets(1_024)
            .initialCreditBytes(1 << 20)
            .build();
    listening.acceptConfig = config;
    Peer peer = host.connect(listening, config);
    pair.runFor(SETTLE_NS);
    // Credit grows, and the path is searched, where much is sent.
    for (int i = 0; i < WARM_UPS; i++) {
      submit(peer);
      peer.connection.flush(pair.nowNs);
      pair.runFor(SETTLE_NS);
    }
    peer.ends.clear();
    assertThat(peer.connection.datagramLengthBytes()).isEqualTo(isMtuDiscovered ? 65_507 : 1_408);
    return peer;
  }

  /** 800 KB, of which nothing leaves yet. */
  private static void submit(Peer peer) {
    for (int i = 0; i < PUSHES; i++) {
      boolean isTaken =
          peer.connection
              .verbs()
              .submitPush(peer, 0, LENGTH, ByteBuffer.allocate(0), 0, 0, 7, true);
      assertThat(isTaken).isTrue();
    }
  }

  private static int bytesOf(List<Flying> flown) {
    return flown.stream().mapToInt(flying -> flying.bytes().length).sum();
  }

  @Test
  void shouldRefuseATurnOutsideItsRange() {
    for (int bytes : new int[] {1, 1 << 30}) {
      assertThat(new EndpointConfig(0, 1, 1, 0, 1, bytes).sendTurnBytes()).isEqualTo(bytes);
    }
    for (int bytes : new int[] {0, (1 << 30) + 1}) {
      assertThatThrownBy(() -> new EndpointConfig(0, 1, 1, 0, 1, bytes))
          .hasMessage("sendTurnBytes=" + bytes + " must be in 1..1073741824");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldLeaveTheRestForTheNextTurn(boolean isMtuDiscovered) {
    Peer peer = connect(isMtuDiscovered);
    submit(peer);
    pair.seen.clear();
    peer.connection.flush(pair.nowNs);
    assertThat(bytesOf(pair.seen))
        .isBetween(TURN_BYTES, TURN_BYTES + OVER_BYTES)
        .isLessThan(PUSHES * LENGTH);
    assertThat(host.endpoint.nextDeadlineNs()).isEqualTo(pair.nowNs + 1);

    pair.runFor(1); // nothing was acknowledged meanwhile: the window was open all the time
    assertThat(bytesOf(pair.seen)).isGreaterThan(PUSHES * LENGTH);
    assertThat(host.endpoint.nextDeadlineNs()).isGreaterThan(pair.nowNs + 1);
    pair.runFor(SETTLE_NS);
    assertThat(peer.ends).hasSize(PUSHES).containsOnly(Outcome.COMPLETED);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldTakeTurnsWithTheOthersOfItsEventLoop(boolean isMtuDiscovered) {
    List<Peer> peers = List.of(connect(isMtuDiscovered), connect(isMtuDiscovered));
    peers.forEach(SendTurnTest::submit);
    pair.seen.clear();
    peers.forEach(peer -> peer.connection.flush(pair.nowNs));
    pair.runFor(1);
    int ofOne = 0;
    int last = 0;
    int changes = 0;
    for (Flying flying : pair.seen) {
      int cid = ClearHeaderFlyweight.peekDestinationCid(ByteBuffer.wrap(flying.bytes()), 0, 64);
      changes += cid == last ? 0 : 1;
      ofOne = cid == last ? ofOne + flying.bytes().length : flying.bytes().length;
      last = cid;
      assertThat(ofOne).isLessThanOrEqualTo(TURN_BYTES + OVER_BYTES);
    }
    assertThat(changes).isEqualTo(4); // each twice
    assertThat(bytesOf(pair.seen)).isGreaterThan(2 * PUSHES * LENGTH);
    pair.runFor(SETTLE_NS);
    peers.forEach(peer -> assertThat(peer.ends).hasSize(PUSHES).containsOnly(Outcome.COMPLETED));
  }
}
