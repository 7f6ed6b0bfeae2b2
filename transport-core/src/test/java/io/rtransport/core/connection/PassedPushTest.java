package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.transaction.Outcome;
import io.rtransport.core.wire.CloseCode;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;

/**
 * Pushes that a sink takes in one call: what the application may say of them from inside it, and
 * which ones they are. In virtual time.
 */
class PassedPushTest {
  private static final long SETTLE_NS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int LENGTH = 64;

  private final EndpointPair pair = new EndpointPair();
  private final Host listening = pair.host();
  private Peer client;
  private Peer server;

  private void connect(LongPredicate onPass) {
    listening.endpoint.acceptor(listening);
    client = pair.host().connect(listening, ConnectionConfig.builder().build());
    pair.runFor(SETTLE_NS);
    server = listening.accepted.get(0);
    server.onPass = onPass;
    server.events.clear();
  }

  private void push() {
    assertThat(client.push(LENGTH)).isTrue();
    pair.runFor(SETTLE_NS);
  }

  /** One that is passed, and of which nothing is said within; answers its RSN. */
  private long pushUndecided() {
    long[] passed = new long[1];
    connect(
        rsn -> {
          passed[0] = rsn;
          return false;
        });
    push();
    return passed[0];
  }

  @Test
  void shouldEndWhatTheApplicationHasTaken() {
    connect(rsn -> true);
    push();
    push();
    assertThat(server.events).containsExactly("passed " + LENGTH, "passed " + LENGTH);
    assertThat(client.ends).containsExactly(Outcome.COMPLETED, Outcome.COMPLETED);
  }

  @Test
  void shouldEndAnEmptyOne() {
    connect(rsn -> true);
    assertThat(client.push(0)).isTrue();
    pair.runFor(SETTLE_NS);
    assertThat(server.events).containsExactly("passed 0");
    assertThat(client.ends).containsExactly(Outcome.COMPLETED);
  }

  @Test
  void shouldWaitForAnAcknowledgementThatComesLater() {
    long passed = pushUndecided();
    assertThat(client.ends).isEmpty();
    server.connection.verbs().acknowledge(passed);
    server.connection.flush(pair.nowNs);
    pair.runFor(SETTLE_NS);
    assertThat(client.ends).containsExactly(Outcome.COMPLETED);
  }

  @Test
  void shouldTakeAnAcknowledgementFromWithin() {
    connect(
        rsn -> {
          server.connection.verbs().acknowledge(rsn);
          return false;
        });
    push();
    assertThat(client.ends).containsExactly(Outcome.COMPLETED);
  }

  @Test
  void shouldTakeTheFirstOfAFailureFromWithinAndAnAcknowledgement() {
    connect(
        rsn -> {
          server.connection.verbs().fail(rsn, 77, "no");
          return true;
        });
    push();
    assertThat(client.ends).containsExactly(Outcome.FAILED);
    server.onPass = rsn -> true;
    push();
    assertThat(client.ends).as("it holds nothing up").hasSize(2).endsWith(Outcome.COMPLETED);
  }

  @Test
  void shouldFailLaterWhatWasLeftOpen() {
    long passed = pushUndecided();
    server.connection.verbs().failByTransport(passed, CloseCode.APPLICATION_ERROR, true);
    server.connection.flush(pair.nowNs);
    pair.runFor(SETTLE_NS);
    assertThat(client.ends).containsExactly(Outcome.UNKNOWN);
  }

  @Test
  void shouldOpenWhatHasAHeaderOrComesInPieces() {
    connect(rsn -> true);
    ByteBuffer header = ByteBuffer.allocate(3);
    client.connection.verbs().submitPush(client, 0, LENGTH, header, 0, 3, 7);
    client.push(2_000);
    pair.runFor(SETTLE_NS);
    assertThat(server.events).containsExactly("delivered", "delivered");
    assertThat(client.ends).containsExactly(Outcome.COMPLETED, Outcome.COMPLETED);
  }

  @Test
  void shouldPassNothingBeforeItsTurn() {
    connect(rsn -> true);
    boolean[] isLost = {false};
    pair.loss =
        flying -> {
          boolean isFirst = flying.to() == listening && !isLost[0];
          isLost[0] |= isFirst;
          return isFirst;
        };
    client.push(1);
    client.push(2);
    client.push(3);
    pair.runFor(TimeUnit.SECONDS.toNanos(1));
    // Those that came before their turn are transactions, which are delivered behind it.
    assertThat(server.events).containsExactly("passed 1", "delivered", "delivered");
    assertThat(client.ends).hasSize(3).containsOnly(Outcome.COMPLETED);
  }
}
