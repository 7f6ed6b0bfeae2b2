package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Flying;
import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.time.DeadlineWheel;
import io.rtransport.core.wire.PacketType;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Set-up, silence and the end of connections, packet by packet, on virtual time. */
class ConnectionLifeTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final EndpointPair pair = new EndpointPair();
  private final ConnectionConfig config = ConnectionConfig.builder().build();

  @Test
  void shouldSetUpInOneRoundTripAndTellBothSides() {
    Host server = listening();
    Peer client = pair.host().connect(server, config);
    pair.runFor(MS);

    assertThat(client.events).containsExactly("established");
    assertThat(server.accepted).hasSize(1);
    assertThat(server.accepted.get(0).events).containsExactly("established");
    assertThat(count(PacketType.CONNECT)).isEqualTo(1);
    assertThat(count(PacketType.ACCEPT)).isEqualTo(1);
  }

  @Test
  void shouldSetUpThoughTheFirstConnectAndTheFirstAcceptAreLost() {
    Host server = listening();
    pair.loss = flying -> isFirst(flying, PacketType.CONNECT) || isFirst(flying, PacketType.ACCEPT);
    Peer client = pair.host().connect(server, config);
    pair.runFor(SECOND);

    assertThat(client.events).containsExactly("established");
    assertThat(server.accepted).hasSize(1);
    assertThat(count(PacketType.CONNECT)).isEqualTo(3);
  }

  @Test
  void shouldSetUpThoughTheConfirmationIsLostBecauseTheFirstDataConfirms() {
    Host server = listening();
    pair.loss = flying -> isFirst(flying, PacketType.ACK);
    Peer client = pair.host().connect(server, config);
    pair.runFor(MS);
    assertThat(server.accepted).isEmpty();
    client.push(100);
    pair.runFor(10 * MS);

    assertThat(server.accepted.get(0).events).containsExactly("established", "delivered");
    assertThat(client.ends).containsExactly(Outcome.COMPLETED);
  }

  @Test
  void shouldConfirmAgainWhenTheConfirmationIsLostAndTheInitiatorHasNothingToSend() {
    Host server = listening();
    pair.loss = flying -> isFirst(flying, PacketType.ACK);
    Peer client = pair.host().connect(server, config);
    pair.runFor(HalfOpen.LIFETIME_NS + SECOND);

    assertThat(server.accepted).hasSize(1);
    assertThat(server.accepted.get(0).push(10)).isTrue();
    pair.runFor(10 * MS);
    assertThat(client.events).containsExactly("established", "delivered");
    assertThat(count(PacketType.PING)).isEqualTo(1);
  }

  @Test
  void shouldLeaveThePayloadOfAnAnswerThatIsNotUsed() {
    Peer client = connected();

    assertThat(client.connection.verbs().respond(99, client, 0, 10)).isFalse();
    pair.runFor(MS);
    assertThat(client.released).isZero();
  }

  @Test
  void shouldGiveUpWhenNobodyAnswersWithinTheConnectTimeout() {
    Host server = listening();
    pair.loss = flying -> true;
    Peer client = pair.host().connect(server, config);
    pair.runFor(config.connectTimeoutNs() - 1);
    assertThat(client.events).isEmpty();
    pair.runFor(1);

    assertThat(client.events).containsExactly("closed");
    assertThat(client.reason.code()).isEqualTo(CloseCode.CONNECT_TIMEOUT.code());
    assertIdle();
  }

  @Test
  void shouldBeRefusedByAnEndpointThatDoesNotListen() {
    Host server = pair.host();
    Peer client = pair.host().connect(server, config);
    pair.runFor(MS);

    assertThat(client.reason.code()).isEqualTo(CloseCode.REJECTED.code());
    assertThat(client.reason.isByPeer()).isTrue();
    assertThat(server.count(CounterId.REJECTS_SENT)).isEqualTo(1);
    assertIdle();
  }

  @Test
  void shouldDemandATokenAboveTheThresholdAndLetAnHonestPeerIn() {
    Host server = pair.host(new EndpointConfig(0, 100, 10, 0, 10));
    server.listen();
    Peer client = pair.host().connect(server, config);
    pair.runFor(MS);

    assertThat(client.events).containsExactly("established");
    assertThat(server.count(CounterId.RETRIES_SENT)).isEqualTo(1);
    assertThat(count(PacketType.CONNECT)).isEqualTo(2);
  }

  @Test
  void shouldForgetAHandshakeThatIsNeverConfirmedAfterFiveSeconds() {
    Host server = listening();
    pair.loss = flying -> flying.type() != PacketType.CONNECT;
    pair.host().connect(server, config);
    pair.runFor(10 * MS);
    assertThat(server.node.size()).isEqualTo(1);
    pair.hosts.remove(1);
    pair.runFor(HalfOpen.LIFETIME_NS);

    assertThat(server.node.size()).isZero();
    assertThat(server.count(CounterId.HALF_OPEN_EXPIRED)).isEqualTo(1);
    assertThat(server.accepted).isEmpty();
  }

  @Test
  void shouldAnswerARepeatedConnectWithTheSameIdAndNeverChangeAConnection() {
    Host server = listening();
    Peer client = pair.host().connect(server, config);
    pair.runFor(MS);
    Flying connect =
        pair.seen.stream().filter(f -> f.type() == PacketType.CONNECT).findFirst().orElseThrow();
    for (int i = 0; i < 5; i++) {
      pair.inject(client.host, server.address, connect.bytes());
    }
    pair.runFor(10 * MS);

    assertThat(server.node.size()).isEqualTo(1);
    assertThat(server.count(CounterId.DROP_STATE)).isEqualTo(5);
    assertThat(client.push(10)).isTrue();
    pair.runFor(10 * MS);
    assertThat(client.ends).containsExactly(Outcome.COMPLETED);
  }

  @Test
  void shouldCloseWithTheReasonOnBothSidesAndNothingLeft() {
    Peer client = connected();
    Peer server = pair.hosts.get(0).accepted.get(0);
    client.push(100_000);
    client.push(10);
    client.close(777, "good bye");
    pair.runFor(100 * MS);

    assertThat(client.ends).containsExactly(Outcome.COMPLETED, Outcome.COMPLETED);
    assertThat(client.reason).isEqualTo(new CloseReason(777, "good bye", false));
    assertThat(server.reason).isEqualTo(new CloseReason(777, "good bye", true));
    assertThat(server.events)
        .containsExactly("established", "delivered", "delivered", "finished", "closed");
    pair.runFor(2 * SECOND);
    assertIdle();
  }

  @Test
  void shouldForgetAPeerThatHasClosedWhenItRepeatsItsCloseNoMoreHoweverLongItsRoundTrip() {
    Host server = listening();
    pair.loss = flying -> flying.to() == server && flying.type() != PacketType.CONNECT;
    Peer client = pair.host().connect(server, config);
    pair.runFor(3 * SECOND);
    pair.loss = flying -> false;
    client.push(100); // confirms, which looks like a round trip of 3 s
    pair.runFor(10 * MS);
    assertThat(server.accepted.get(0).events).containsExactly("established", "delivered");
    assertThat(server.accepted.get(0).connection.window().retransmissionTimeoutNs())
        .isGreaterThan(5 * SECOND);

    client.close(0, "");
    pair.runFor(SECOND);
    assertThat(client.host.node.size()).isZero();
    assertThat(server.node.size()).as("for a CLOSE that is repeated").isOne();
    pair.runFor(5 * SECOND);
    assertThat(server.node.size()).isZero();
  }

  @Test
  void shouldCloseWhenBothSidesCloseAtOnce() {
    Peer client = connected();
    Peer server = pair.hosts.get(0).accepted.get(0);
    client.close(0, "");
    server.close(0, "");
    pair.runFor(100 * MS);

    assertThat(client.reason.isNormal()).isTrue();
    assertThat(server.reason.isNormal()).isTrue();
    pair.runFor(2 * SECOND);
    assertIdle();
  }

  @Test
  void shouldGoOnInOneDirectionWhenTheOtherIsFinished() {
    Peer client = connected();
    Peer server = pair.hosts.get(0).accepted.get(0);
    client.push(100_000);
    client.push(10);
    finish(client);
    assertThat(client.push(10)).isFalse();
    pair.runFor(100 * MS);
    assertThat(server.events).containsExactly("established", "delivered", "delivered", "finished");
    pair.runFor(10 * SECOND); // no close timeout runs
    assertThat(server.push(100_000)).isTrue();
    pair.runFor(100 * MS);
    assertThat(server.ends).containsExactly(Outcome.COMPLETED);
    assertThat(client.ends).containsExactly(Outcome.COMPLETED, Outcome.COMPLETED);
    assertThat(client.events).containsExactly("established", "delivered");
    server.close(777, "good bye");
    pair.runFor(100 * MS);
    assertThat(client.events).containsExactly("established", "delivered", "finished", "closed");
    assertThat(client.reason).isEqualTo(new CloseReason(777, "good bye", true));
    assertThat(server.events).hasSize(5).endsWith("closed");
    pair.runFor(2 * SECOND);
    assertIdle();
  }

  /** The client, whose push the server's application has not acknowledged. */
  private Peer bothFinishedWithAPushOpen() {
    Peer client = connected();
    Peer server = pair.hosts.get(0).accepted.get(0);
    server.isAcknowledging = false;
    client.push(10);
    finish(client);
    finish(server);
    pair.runFor(SECOND);
    return client;
  }

  @Test
  void shouldCloseByItselfOnceBothHaveFinishedAndAllHasEnded() {
    Peer client = bothFinishedWithAPushOpen();
    Peer server = pair.hosts.get(0).accepted.get(0);
    assertThat(client.reason).as("a push has not ended").isNull();
    assertThat(count(PacketType.CLOSE)).isZero();
    server.connection.verbs().acknowledge(server.lastDelivered);
    server.flush();
    pair.runFor(100 * MS);
    assertThat(client.ends).containsExactly(Outcome.COMPLETED);
    assertThat(client.reason.isNormal() && server.reason.isNormal()).isTrue();
    assertThat(client.events).endsWith("finished", "closed");
    assertThat(server.events).endsWith("finished", "closed");
    pair.runFor(2 * SECOND);
    assertIdle();
  }

  @Test
  void shouldCloseWithItsReasonThoughBothHaveOnlyFinishedBefore() {
    Peer client = bothFinishedWithAPushOpen();
    Peer server = pair.hosts.get(0).accepted.get(0);
    client.close(777, "enough");
    pair.runFor(100 * MS);
    server.connection.verbs().acknowledge(server.lastDelivered);
    server.flush();
    pair.runFor(100 * MS);
    assertThat(client.reason).isEqualTo(new CloseReason(777, "enough", false));
    assertThat(server.reason).isEqualTo(new CloseReason(777, "enough", true));
  }

  private void finish(Peer peer) {
    peer.connection.verbs().finish();
    peer.flush();
  }

  @Test
  void shouldCloseThoughEachOfTheLastPacketsIsLostOnce() {
    for (int type :
        List.of(PacketType.CLOSE, PacketType.CLOSE_ACK, PacketType.DATA, PacketType.ACK)) {
      EndpointPair lossy = new EndpointPair();
      Host host = lossy.host();
      host.listen();
      Peer client = lossy.host().connect(host, config);
      lossy.runFor(MS);
      boolean[] isLost = new boolean[1];
      lossy.loss = flying -> flying.type() == type && !isLost[0] && (isLost[0] = true);
      client.close(0, "");
      lossy.runFor(3 * SECOND);

      assertThat(client.reason).as(PacketType.name(type)).isNotNull();
      assertThat(client.reason.isNormal()).as(PacketType.name(type)).isTrue();
      assertThat(host.accepted.get(0).reason.isNormal()).as(PacketType.name(type)).isTrue();
    }
  }

  @Test
  void shouldAbortWhatIsOutstandingAfterTheCloseTimeoutAndSayUnknown() {
    Peer client = connected();
    Peer server = pair.hosts.get(0).accepted.get(0);
    server.isAcknowledging = false;
    client.push(10);
    client.close(0, "");
    pair.runFor(config.closeTimeoutNs() - 1);
    assertThat(client.reason).isNull();
    pair.runFor(10 * MS);

    assertThat(client.ends).containsExactly(Outcome.UNKNOWN);
    assertThat(client.reason.code()).isEqualTo(CloseCode.ABORTED.code());
    assertThat(server.reason.code()).isEqualTo(CloseCode.ABORTED.code());
    assertThat(server.reason.isByPeer()).isTrue();
    pair.runFor(10 * SECOND);
    assertIdle();
  }

  @Test
  void shouldAbortAtOnceAndTellThePeer() {
    Peer client = connected();
    client.abort(999, "now");
    assertThat(client.reason.code()).isEqualTo(999);
    pair.runFor(MS);

    assertThat(pair.hosts.get(0).accepted.get(0).reason)
        .isEqualTo(new CloseReason(999, "now", true));
    pair.runFor(2 * SECOND);
    assertIdle();
  }

  @Test
  void shouldRefuseNewTransactionsAfterClose() {
    Peer client = connected();
    client.close(0, "");

    assertThat(client.push(10)).isFalse();
    pair.runFor(100 * MS);
    assertThat(client.ends).isEmpty();
  }

  @Test
  void shouldEndByResetWhenThePeerHasForgottenUs() {
    Peer client = connected();
    Host server = pair.restart(pair.hosts.get(0));
    client.push(10);
    pair.runFor(10 * MS);

    assertThat(server.count(CounterId.RESETS_SENT)).isPositive();
    assertThat(client.reason.code()).isEqualTo(CloseCode.RESET.code());
    assertThat(client.ends).containsExactly(Outcome.UNKNOWN);
  }

  @Test
  void shouldIgnoreAResetWithTheWrongCookie() {
    Peer client = connected();
    Host server = pair.hosts.get(0);
    LoopResources forger = new LoopResources(1 << 16, 64, new java.util.Random(5));
    int length =
        forger.packets().reset(client.connection.peerCid(), client.connection.peerCookie() ^ 1);
    byte[] reset = new byte[length];
    forger.packets().buffer().get(0, reset);
    pair.inject(server, client.host.address, reset);
    pair.runFor(MS);

    assertThat(client.reason).isNull();
    assertThat(client.host.count(CounterId.DROP_COOKIE)).isEqualTo(1);
  }

  @Test
  void shouldEndBothSidesByRetryExceededWhenTheWireIsCut() {
    Peer client = connected();
    pair.loss = flying -> true;
    client.push(10);
    pair.runFor(config.adpProfile().totalNs(config.adpParameters()) + 2 * SECOND);

    assertThat(client.reason.code()).isEqualTo(CloseCode.RETRY_EXCEEDED.code());
    assertThat(client.ends).containsExactly(Outcome.UNKNOWN);
    assertThat(client.released).isEqualTo(1);
  }

  @Test
  void shouldFindADeadPeerByPingWhileATransactionIsOpen() {
    Peer client = connected();
    pair.hosts.get(0).accepted.get(0).isAcknowledging = false;
    client.push(10);
    pair.runFor(100 * MS); // received and acknowledged by RT, not by the application
    pair.loss = flying -> true;
    long totalNs = config.adpProfile().totalNs(config.adpParameters());
    // What it heard last is at most that old, and the first PING leaves a quarter of the total
    // later.
    pair.runFor(totalNs + totalNs / 4 - 100 * MS);
    assertThat(client.reason).isNull();
    pair.runFor(100 * MS);

    assertThat(client.reason.code()).isEqualTo(CloseCode.RETRY_EXCEEDED.code());
    assertThat(client.host.count(CounterId.PINGS_SENT)).isPositive();
    assertThat(client.host.node.size()).isZero();
  }

  @Test
  void shouldStayUpWhileASlowApplicationKeepsATransactionOpen() {
    Peer client = connected();
    pair.hosts.get(0).accepted.get(0).isAcknowledging = false;
    client.push(10);
    pair.runFor(60 * SECOND);

    assertThat(client.reason).isNull();
    assertThat(client.host.count(CounterId.PONGS_RECEIVED)).isBetween(10L, 100L);
  }

  @Test
  void shouldEndASilentConnectionAtTheIdleTimeoutAndNotBefore() {
    Peer client = connected();
    pair.runFor(SECOND); // the confirmation has been answered
    pair.loss = flying -> true;
    pair.runFor(client.connection.agreed().both().idleTimeoutNs() - 2 * SECOND);
    assertThat(client.reason).isNull();
    pair.runFor(2 * SECOND);

    assertThat(client.reason.code()).isEqualTo(CloseCode.IDLE_TIMEOUT.code());
    assertThat(client.host.node.size()).isZero();
    assertThat(pair.hosts.get(0).node.size()).isZero();
  }

  @Test
  void shouldSendNothingWhileIdleAndKeepAliveOnlyWhenAsked() {
    Peer client = connected();
    pair.runFor(SECOND);
    int before = pair.seen.size();
    pair.runFor(250 * SECOND);
    assertThat(pair.seen).hasSize(before);
    assertThat(client.reason).isNull();

    EndpointPair kept = new EndpointPair();
    Host server = kept.host();
    server.listen();
    Peer keeping = kept.host().connect(server, ConnectionConfig.builder().keepalive(true).build());
    kept.runFor(1_000 * SECOND);
    assertThat(keeping.reason).isNull();
    assertThat(server.accepted.get(0).reason).isNull();
  }

  @Test
  void shouldBeginAndEndToKeepAliveWhileItLives() {
    Peer client = connected();
    Peer accepted = pair.hosts.get(0).accepted.get(0);
    pair.runFor(250 * SECOND); // of the 300 that an idle connection has
    accepted.connection.verbs().keepalive(true);
    accepted.flush();
    pair.runFor(1_000 * SECOND);
    assertThat(accepted.reason).isNull();
    assertThat(client.reason).isNull();
    accepted.connection.verbs().keepalive(false);
    accepted.flush();
    pair.runFor(301 * SECOND);
    assertThat(accepted.reason.code()).isEqualTo(CloseCode.IDLE_TIMEOUT.code());
    assertThat(client.reason.code()).isEqualTo(CloseCode.IDLE_TIMEOUT.code());
  }

  @Test
  void shouldKeepAliveWhenItWasAskedToBeforeItWasSetUp() {
    Host server = listening();
    Peer client = pair.host().connect(server, config);
    client.connection.verbs().keepalive(true);
    pair.runFor(1_000 * SECOND);
    assertThat(client.reason).isNull();
    assertThat(server.accepted.get(0).reason).isNull();
  }

  private Host listening() {
    Host server = pair.host();
    server.listen();
    return server;
  }

  private Peer connected() {
    Host server = listening();
    Peer client = pair.host().connect(server, config);
    pair.runFor(MS);
    assertThat(server.accepted).hasSize(1);
    return client;
  }

  private void assertIdle() {
    for (Host host : pair.hosts) {
      assertThat(host.node.size()).as("connections of %s", host.address).isZero();
      assertThat(host.node.nextDeadlineNs()).isEqualTo(DeadlineWheel.NONE);
    }
  }

  private long count(int type) {
    return pair.seen.stream().filter(flying -> flying.type() == type).count();
  }

  private boolean isFirst(Flying flying, int type) {
    return flying.type() == type && count(type) == 1;
  }
}
