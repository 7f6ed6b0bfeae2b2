package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;

/**
 * Pushes that are given out whole: which ones they are, what the application may say of them before
 * the next is asked for and later, and what it may do besides. In virtual time.
 */
class PassedPushTest {
  private static final long SETTLE_NS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int LENGTH = 64;

  private final EndpointPair pair = new EndpointPair();
  private final Host listening = pair.host();
  private Peer client;
  private Peer server;

  private void connect(LongPredicate onPass) {
    listening.listen();
    client = pair.host().connect(listening, ConnectionConfig.builder().build());
    pair.runFor(SETTLE_NS);
    server = listening.accepted.get(0);
    server.onPass(onPass);
    server.events.clear();
  }

  private void push() {
    assertThat(client.push(LENGTH)).isTrue();
    pair.runFor(SETTLE_NS);
  }

  /** Three in one packet. */
  private void pushThree() {
    for (int i = 0; i < 3; i++) {
      client.connection.verbs().submitPush(client, 0, LENGTH, ByteBuffer.allocate(0), 0, 0, 7);
    }
    client.flush();
    pair.runFor(SETTLE_NS);
  }

  private long creditUsedBytes() {
    return server.connection.solicitation().creditUsedBytes();
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
    server.flush();
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
    server.onPass(rsn -> true);
    push();
    assertThat(client.ends).as("it holds nothing up").hasSize(2).endsWith(Outcome.COMPLETED);
  }

  @Test
  void shouldFailLaterWhatWasLeftOpen() {
    long passed = pushUndecided();
    server.connection.verbs().failByTransport(passed, CloseCode.APPLICATION_ERROR, true);
    server.flush();
    pair.runFor(SETTLE_NS);
    assertThat(client.ends).containsExactly(Outcome.UNKNOWN);
  }

  @Test
  void shouldPassTheHeaderTooAndOpenWhatComesInPieces() {
    connect(rsn -> true);
    ByteBuffer header = ByteBuffer.allocate(3);
    client.connection.verbs().submitPush(client, 0, LENGTH, header, 0, 3, 7);
    client.push(2_000);
    pair.runFor(SETTLE_NS);
    assertThat(server.events).containsExactly("passed " + LENGTH + ", header 3", "delivered");
    assertThat(client.ends).containsExactly(Outcome.COMPLETED, Outcome.COMPLETED);
    assertThat(creditUsedBytes()).isZero();
  }

  @Test
  void shouldOpenWhatIsLongerThanWhatIsTakenWhole() {
    connect(rsn -> true);
    server.connection.verbs().takesWhole(LENGTH);
    client.push(LENGTH);
    client.push(LENGTH + 1);
    client.push(0);
    pair.runFor(SETTLE_NS);
    assertThat(server.events).containsExactly("passed " + LENGTH, "delivered", "passed 0");
  }

  /** What is said while a packet is read counts for the next message of that packet. */
  @Test
  void shouldOpenAgainFromTheMessageOnOverWhichNoneIsTakenWholeAnyMore() {
    connect(
        rsn -> {
          server.connection.verbs().takesWhole(-1);
          return true;
        });
    pushThree();
    assertThat(server.events).containsExactly("passed " + LENGTH, "delivered", "delivered");
    assertThat(client.ends).hasSize(3).containsOnly(Outcome.COMPLETED);
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

  @Test
  void shouldHoldTheCreditOfWhatIsNotTaken() {
    long passed = pushUndecided();
    assertThat(creditUsedBytes()).as("its bytes, and no header").isEqualTo(LENGTH);
    server.connection.verbs().taken(passed, 30);
    assertThat(creditUsedBytes()).isEqualTo(LENGTH - 30);
    server.connection.verbs().taken(passed, 1_000);
    assertThat(creditUsedBytes()).isZero();
    assertThat(client.ends).isEmpty();
    server.connection.verbs().acknowledge(passed);
    server.flush();
    pair.runFor(SETTLE_NS);
    assertThat(client.ends).containsExactly(Outcome.COMPLETED);
    assertThat(creditUsedBytes()).isZero();
  }

  @Test
  void shouldCountWhatIsTakenFromWithin() {
    connect(
        rsn -> {
          server.connection.verbs().taken(rsn, 30);
          return false;
        });
    push();
    assertThat(creditUsedBytes()).isEqualTo(LENGTH - 30);
  }

  @Test
  void shouldGiveTheCreditBackWithAnEndOfEitherKind() {
    connect(rsn -> true);
    push();
    assertThat(creditUsedBytes()).isZero();
    server.onPass(
        rsn -> {
          server.connection.verbs().fail(rsn, 77, "no");
          return false;
        });
    push();
    assertThat(creditUsedBytes()).isZero();
    long[] passed = {0};
    server.onPass(
        rsn -> {
          passed[0] = rsn;
          return false;
        });
    push();
    server.connection.verbs().fail(passed[0], 77, "no");
    assertThat(creditUsedBytes()).isZero();
  }

  /** What a message makes end is told before the next message of the same packet. */
  @Test
  void shouldTellWhatEndsMeanwhileBeforeTheNext() {
    List<Integer> endsAtRead = new ArrayList<>();
    connect(
        rsn -> {
          endsAtRead.add(server.ends.size());
          long own = server.connection.verbs().nextSubmission();
          server.connection.verbs().submitPush(server, 0, 9, ByteBuffer.allocate(0), 0, 0, 8);
          return server.connection.verbs().cancel(own);
        });
    pushThree();
    assertThat(endsAtRead).containsExactly(0, 1, 2);
    assertThat(server.ends).hasSize(3).containsOnly(Outcome.NOT_EXECUTED);
    assertThat(client.ends).hasSize(3).containsOnly(Outcome.COMPLETED);
  }

  /** Its packets are somebody else's by then. */
  @Test
  void shouldReadNoMoreOfABurstOverWhichTheApplicationBrokeOff() {
    connect(
        rsn -> {
          throw new IllegalStateException("a defect");
        });
    assertThatThrownBy(this::pushThree).hasMessage("a defect");
    assertThat(server.events).containsExactly("passed " + LENGTH);
    server.onPass(rsn -> true);
    server.host.node.receiveComplete(server.connection, pair.nowNs);
    assertThat(server.events).containsExactly("passed " + LENGTH);
    server.host.node.endByDefect(server.connection, pair.nowNs);
    pair.runFor(SETTLE_NS);
    assertThat(server.events).containsExactly("passed " + LENGTH, "closed");
    assertThat(client.ends).hasSize(3).containsOnly(Outcome.UNKNOWN);
  }
}
