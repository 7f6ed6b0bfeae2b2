package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.PacketType;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A connection that carries nothing, or has ended: what it costs, and what it still says. */
class QuietConnectionTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final InetSocketAddress OTHER_HOST = Knocks.address(0x7F00_0009, 9_999);
  private static final InetSocketAddress OTHER_PORT = Knocks.address(0x7F00_0001, 9_999);

  private final EndpointPair pair = new EndpointPair();
  private final Host server = pair.host();
  private final Host client = pair.host();

  private Peer connect() {
    server.listen();
    ConnectionConfig config =
        ConnectionConfig.builder().keepalive(true).idleTimeoutNs(60 * SECOND).build();
    Peer peer = client.connect(server, config);
    pair.runFor(SECOND);
    return peer;
  }

  private static int reserved(Host host) {
    return host.loop.store().reservedUnits();
  }

  @Test
  void shouldReserveNoRoomForPacketsWhileItCarriesNothing() {
    Peer peer = connect();
    for (int i = 0; i < 20; i++) {
      pair.runFor(30 * SECOND);
      assertThat(reserved(client) + reserved(server)).as("after %d s", 30 * i).isZero();
    }
    peer.push(100);
    pair.runFor(SECOND);
    assertThat(reserved(client)).isPositive();
    peer.close(CloseCode.NORMAL.code(), "");
    pair.runFor(20 * SECOND);
    assertThat(reserved(client) + reserved(server)).isZero();
    assertThat(peer.connection.verbs().nextSubmission()).isZero();
    peer.connection.window(); // a driver may ask it; it is made, and holds nothing
    assertThat(reserved(client)).isZero();
  }

  @Test
  void shouldMakeNoSublayersForKeepalive() {
    connect();
    Connection target = server.accepted.get(0).connection;
    long answered = client.count(CounterId.PONGS_RECEIVED);
    int[] made = new int[1];
    pair.loss =
        flying -> {
          made[0] += target.sublayers.inUse() == null ? 0 : 1;
          return false;
        };
    pair.runFor(200 * SECOND);
    assertThat(client.count(CounterId.PONGS_RECEIVED)).isGreaterThan(answered);
    assertThat(made[0]).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldMeasureTheWayToAnotherHostAnew(boolean hasCarried) {
    Peer peer = connect();
    Peer child = server.accepted.get(0);
    if (hasCarried) {
      peer.push(10);
      pair.runFor(SECOND);
    }
    boolean[] isLost = new boolean[1];
    pair.loss =
        flying -> {
          boolean isFirst = !isLost[0] && flying.type() == PacketType.PATH_CHALLENGE;
          isLost[0] |= isFirst;
          return isFirst;
        };
    client.address = OTHER_HOST;
    pair.runFor(100 * SECOND);
    assertThat(child.moves).containsExactly(OTHER_HOST);
    assertThat(child.connection.window().path(0).smoothedRttNs())
        .as("the time that the repeated challenge took, and not that of the old way")
        .isGreaterThan(TimeUnit.MILLISECONDS.toNanos(50));
  }

  @Test
  void shouldNotTellOfAMoveAfterItsEnd() {
    Peer peer = connect();
    Peer child = server.accepted.get(0);
    peer.push(10);
    pair.runFor(SECOND);
    pair.loss = flying -> flying.type() == PacketType.CLOSE_ACK;
    peer.close(CloseCode.NORMAL.code(), "");
    for (int i = 0; i < 200 && child.reason == null; i++) {
      pair.runFor(1_000_000);
    }
    assertThat(child.reason).isNotNull();
    client.address = OTHER_PORT;
    pair.runFor(3 * SECOND / 2);
    assertThat(server.count(CounterId.PATHS_MOVED)).as("its CLOSE follows").isEqualTo(1);
    assertThat(child.moves).isEmpty();
  }

  @Test
  void shouldTakeNoSubmissionBeforeItIsEstablishedOrAfterItsEnd() {
    Peer peer = client.connect(server, ConnectionConfig.builder().build()); // nobody listens
    assertThat(peer.push(10)).isFalse();
    pair.runFor(20 * SECOND);
    assertThat(peer.reason).isNotNull();
    assertThat(peer.push(10)).isFalse();
  }

  @Test
  void shouldRefuseANegativeNumberOfBytesTaken() {
    ApplicationVerbs verbs = connect().connection.verbs();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> verbs.taken(0, -1))
        .withMessageStartingWith("bytes=-1 must be");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> verbs.takenOfPull(0, -1))
        .withMessageStartingWith("bytes=-1 must be");
  }
}
