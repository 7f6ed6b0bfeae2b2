package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.outcome.SendFailure;
import io.rtransport.core.rail.Cause;
import io.rtransport.core.rail.NiError;
import io.rtransport.core.rail.NiReport;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.PacketType;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the system says of packets that it does not send, and who loses health for it. */
class PathTroubleTest extends TwoPaths {
  /** Whether the system has refused a packet on the second path since it was told. */
  private boolean isRefused;

  @Test
  void shouldEndOnlyWhenEveryOpenPathIsRefused() {
    connected();
    target.isAcknowledging = false;
    initiator.push(10);
    pair.runFor(MS);
    pair.loss = f -> true;
    for (int i = 0; i < 20; i++) {
      initiator.onSendFailed(1, SendFailure.NO_LISTENER);
      pair.runFor(20 * MS);
    }
    assertThat(initiator.reason).isNull();
    assertThat(client.count(CounterId.UNREACHABLE_HINTS)).isEqualTo(20);
    for (int i = 0; i < 50 && initiator.reason == null; i++) {
      initiator.onSendFailed(0, SendFailure.NO_LISTENER);
      pair.runFor(20 * MS);
    }

    assertThat(initiator.reason.code()).isEqualTo(CloseCode.UNREACHABLE.code());
  }

  @ParameterizedTest
  @EnumSource(names = {"NO_LISTENER", "NO_WAY"})
  void shouldAskAPathThatIsReportedAndKeepItIfItAnswers(SendFailure failure) {
    connected();
    initiator.push(10);
    pair.runFor(50 * MS);
    pair.seen.clear();

    initiator.onSendFailed(1, failure);
    initiator.flush();
    initiator.onSendFailed(1, failure); // is asked already
    initiator.flush();
    pair.runFor(10 * MS);

    assertThat(seenBy(server, PacketType.PING)).hasSize(1).allMatch(f -> isOver(f, 1));
    assertThat(usablePaths()).isEqualTo(0b11);
    assertThat(client.count(CounterId.PATHS_SUSPECTED)).isZero();
    assertThat(serverHealth().health()).as("anybody can forge it").isEqualTo(1_000);
    NiError error =
        failure == SendFailure.NO_WAY ? NiError.PEER_NI_UNREACHABLE : NiError.PEER_NI_NO_LISTENER;
    assertThat(serverHealth().errors()).isEqualTo(Map.of(error, 2L));
  }

  @Test
  void shouldSuspectAPathThatIsReportedAndDoesNotAnswer() {
    connected();
    initiator.push(10);
    pair.runFor(50 * MS);
    pair.loss = flying -> isOver(flying, 1);

    initiator.onSendFailed(1, SendFailure.NO_LISTENER);
    for (int i = 0; i < 20; i++) {
      initiator.push(10);
      pair.runFor(MS);
    }

    assertThat(usablePaths()).isEqualTo(0b01);
    assertThat(initiator.ends).hasSize(21).containsOnly(Outcome.COMPLETED);
  }

  @Test
  void shouldChargeTheInterfacesOfAPeerThatAnswersOnNoPath() {
    connected();
    initiator.push(10);
    pair.runFor(10 * MS);
    assertThat(serverHealth().health()).isEqualTo(1_000);
    pair.loss = flying -> true;

    initiator.push(10);
    for (int i = 0; i < 60 && initiator.reason == null; i++) {
      pair.runFor(SECOND);
    }

    assertThat(initiator.reason.code()).isEqualTo(CloseCode.RETRY_EXCEEDED.code());
    assertThat(serverHealth().errors()).isEqualTo(Map.of(NiError.PEER_NI_UNREACHABLE, 1L));
    assertThat(serverHealth().health()).isEqualTo(900);
    pair.runFor(60 * SECOND); // then the connections are forgotten
    assertThat(client.node.endpoint().railHealth().reports())
        .allMatch(ni -> ni.pathCount() == 0 && !ni.isLocal());
  }

  // ---- why a path is silent

  /** Pushes something each millisecond, so that the connection knows which path works. */
  private void pushFor(long millis) {
    for (int i = 0; i < millis; i++) {
      initiator.push(10);
      pair.runFor(MS);
      if (isRefused) {
        isRefused = false;
        initiator.onSendFailed(1, SendFailure.REFUSED);
      }
    }
  }

  @Test
  void shouldChargeOurInterfaceForAPortThatHasNoRoom() {
    connected();
    pushFor(50);
    pair.loss = flying -> isOver(flying, 1); // what it holds has not left
    pushFor(1);
    initiator.room = 0b01;
    pushFor(600);

    assertThat(usablePaths()).isEqualTo(0b01);
    assertThat(clientHealth().charges()).isEqualTo(Map.of(Cause.LOCAL_TIMEOUT, 1L));
    assertThat(clientHealth().timeouts()).isEqualTo(Map.of(Cause.LOCAL_TIMEOUT, 1L));
    assertThat(serverHealth().charges()).isEmpty();
    assertThat(serverHealth().timeouts()).isEmpty();

    initiator.room = -1;
    pair.loss = flying -> false;
    pushFor(2_000);
    assertThat(usablePaths()).isEqualTo(0b11);
    assertThat(clientHealth().health()).isEqualTo(1_000);
    assertThat(initiator.ends).hasSize(2_651).containsOnly(Outcome.COMPLETED);
  }

  @Test
  void shouldNotBlameAPortThatHasRoomAgain() {
    connected();
    pushFor(50);
    initiator.room = 0b01;
    pushFor(20);
    initiator.room = -1;
    pair.loss = flying -> isOver(flying, 1);
    pushFor(600);

    assertThat(clientHealth().charges()).isEmpty();
    assertThat(serverHealth().charges()).isEqualTo(Map.of(Cause.REMOTE_TIMEOUT, 1L));
  }

  @Test
  void shouldChargeBothInterfacesIfTheSystemTakesNothing() {
    connected();
    pushFor(50);
    pair.loss =
        flying -> {
          isRefused |= isOver(flying, 1) && flying.to() == server;
          return isOver(flying, 1);
        };
    pushFor(600);

    assertThat(usablePaths()).isEqualTo(0b01);
    assertThat(clientHealth().charges()).isEqualTo(Map.of(Cause.NETWORK_TIMEOUT, 1L));
    assertThat(serverHealth().charges()).isEqualTo(Map.of(Cause.NETWORK_TIMEOUT, 1L));
    assertThat(clientHealth().timeouts()).isEqualTo(Map.of(Cause.NETWORK_TIMEOUT, 1L));
    assertThat(serverHealth().timeouts()).isEqualTo(Map.of(Cause.NETWORK_TIMEOUT, 1L));
  }

  @Test
  void shouldCountATimeoutAgainAfterEachPathTimeout() {
    connected();
    pushFor(50);
    pair.loss = flying -> isOver(flying, 1);
    pushFor(240);
    assertThat(serverHealth().timeouts()).as("a pause").isEmpty();
    long pathTimeoutMillis = (10_000 - 2 * 100) / 3; // by the default knobs
    pushFor(100); // silence-charged-millis is over
    assertThat(serverHealth().timeouts()).isEqualTo(Map.of(Cause.REMOTE_TIMEOUT, 1L));
    pushFor(pathTimeoutMillis - 100);
    assertThat(serverHealth().timeouts()).isEqualTo(Map.of(Cause.REMOTE_TIMEOUT, 1L));
    pushFor(100);
    assertThat(serverHealth().timeouts()).isEqualTo(Map.of(Cause.REMOTE_TIMEOUT, 2L));
    assertThat(clientHealth().timeouts()).isEqualTo(Map.of(Cause.REMOTE_TIMEOUT, 2L));
    assertThat(clientHealth().charges()).as("ours is not to blame").isEmpty();
  }

  @Test
  void shouldNotBlameRefusalsOfOldForASilence() {
    connected();
    pushFor(50);
    pair.seen.clear();
    initiator.onSendFailed(1, SendFailure.REFUSED);
    assertThat(seenBy(server, PacketType.PING)).as("it asks nobody").isEmpty();
    pair.loss = flying -> isOver(flying, 1);
    pushFor(600);

    assertThat(clientHealth().charges()).isEmpty();
    assertThat(serverHealth().charges()).isEqualTo(Map.of(Cause.REMOTE_TIMEOUT, 1L));
  }

  @Test
  void shouldTakeReportsOfAConnectionWithOnePath() {
    hosts();
    initiator = client.connect(server, CONFIG);
    pair.runFor(SECOND);
    for (SendFailure failure : SendFailure.values()) {
      initiator.onSendFailed(0, failure);
    }
    initiator.push(10);
    pair.runFor(SECOND);
    assertThat(initiator.ends).containsExactly(Outcome.COMPLETED);
  }

  // ---- pairs that do not open

  @Test
  void shouldChargeAPairThatDoesNotOpenOnceAndUseItWhenItDoes() {
    hosts();
    pair.loss = flying -> isOver(flying, 1);
    connect();
    pair.runFor(SECOND);
    target = server.accepted.get(0);
    assertThat(serverHealth().errors()).isEqualTo(Map.of(NiError.PEER_NI_CONNECT_ERROR, 1L));
    assertThat(serverHealth().health()).isEqualTo(900);
    assertThat(serverHealth().pathCount()).isZero();
    pushFor(1_000); // which asks again
    assertThat(serverHealth().errors()).isEqualTo(Map.of(NiError.PEER_NI_CONNECT_ERROR, 1L));

    pair.loss = flying -> false;
    pushFor(3_000);
    assertThat(usablePaths()).isEqualTo(0b11);
    assertThat(serverHealth().health()).isEqualTo(1_000);
  }

  @Test
  void shouldChargeEveryPairOfAnAttemptThatNobodyAnswers() {
    hosts();
    pair.loss = flying -> true;
    connect();
    pair.runFor(60 * SECOND);
    assertThat(initiator.reason.code()).isEqualTo(CloseCode.CONNECT_TIMEOUT.code());
    assertThat(client.node.endpoint().railHealth().reports().stream().filter(ni -> !ni.isLocal()))
        .hasSize(2)
        .allMatch(ni -> ni.errors().equals(Map.of(NiError.PEER_NI_CONNECT_ERROR, 1L)));
  }

  @Test
  void shouldChargeAPairWhoseTargetRefuses() {
    server = pair.host();
    server.listen();
    pair.host().ni(SERVER_2, "b"); // another one, that accepts nothing
    client = pair.host().ni(CLIENT_2, "b");
    pair.loss = flying -> flying.to() == client && isOver(flying, 0);
    connect();
    pair.runFor(5 * MS);
    pair.loss = flying -> false;
    pair.runFor(SECOND);
    assertThat(initiator.connection.isEstablished()).isTrue();
    assertThat(serverHealth().errors()).containsEntry(NiError.PEER_NI_CONNECTION_REJECTED, 1L);
    assertThat(serverHealth().health()).isEqualTo(900);
  }

  @Test
  void shouldChargeNobodyForASingleAddressThatDoesNotAnswer() {
    hosts();
    pair.loss = flying -> true;
    initiator = client.connect(server, CONFIG);
    pair.runFor(60 * SECOND);
    assertThat(initiator.reason.code()).isEqualTo(CloseCode.CONNECT_TIMEOUT.code());
    assertThat(client.node.endpoint().railHealth().reports()).isEmpty();
  }

  private int usablePaths() {
    return initiator.connection.sublayers.inUse().window.usablePaths();
  }

  private NiReport clientHealth() {
    return health(true);
  }

  private NiReport serverHealth() {
    return health(false);
  }

  /** Returns the report of the second interface of ours, or of the peer's. */
  private NiReport health(boolean isLocal) {
    return client.node.endpoint().railHealth().reports().stream()
        .filter(ni -> ni.isLocal() == isLocal && ni.name().endsWith("@b"))
        .findFirst()
        .orElseThrow();
  }
}
