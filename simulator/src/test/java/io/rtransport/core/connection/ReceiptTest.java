package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Flying;
import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** The entry RECEIVED: when it says that the peer's transport has a push, and when it does not. */
class ReceiptTest {
  private static final long SETTLE_NS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final ByteBuffer NO_HEADER = ByteBuffer.allocate(0);

  private final EndpointPair pair = new EndpointPair();
  private final Host listening = pair.host();
  private final Host host = pair.host();
  private Peer client;
  private Peer server;

  private void connect(ConnectionConfig config) {
    listening.listen();
    client = host.connect(listening, config);
    pair.runFor(SETTLE_NS);
    server = listening.accepted.get(0);
    server.isAcknowledging = false;
    client.events.clear();
  }

  private void connect() {
    connect(ConnectionConfig.builder().build());
  }

  /** Submits a push; its RSN. */
  private long submit(int length, long tag) {
    long rsn = client.connection.verbs().nextSubmission();
    boolean isTaken =
        client.connection.verbs().submitPush(client, length, length, NO_HEADER, 0, 0, tag);
    assertThat(isTaken).isTrue();
    return rsn;
  }

  private long submitWithReceipt(int length, long tag) {
    long rsn = submit(length, tag);
    assertThat(client.connection.verbs().receipt(rsn)).isTrue();
    return rsn;
  }

  private void settle() {
    client.flush();
    pair.runFor(SETTLE_NS);
  }

  /** Loses the next data packet of the client, once. */
  private Predicate<Flying> loseOne() {
    boolean[] isLost = {false};
    return flying -> {
      boolean isData = flying.to() == listening && flying.type() == PacketType.DATA;
      boolean isNow = isData && !isLost[0];
      isLost[0] |= isData;
      return isNow;
    };
  }

  @Test
  void shouldTellThoughTheApplicationHasNotTakenIt() {
    connect();
    submitWithReceipt(100, 1);
    settle();
    assertThat(server.events).contains("delivered");
    assertThat(client.events).containsExactly("received 1");
    assertThat(client.ends).isEmpty();
    server.connection.verbs().acknowledge(server.lastDelivered);
    server.flush();
    pair.runFor(SETTLE_NS);
    assertThat(client.ends).containsExactly(Outcome.COMPLETED);
    assertThat(client.events).containsExactly("received 1");
  }

  @Test
  void shouldTellOfLongOnesOfEmptyOnesAndOfNoneThatWasNotAsked() {
    connect();
    submitWithReceipt(100_000, 1);
    submit(50, 2);
    submitWithReceipt(0, 3);
    submitWithReceipt(1, 4);
    settle();
    assertThat(client.events).containsExactlyInAnyOrder("received 1", "received 3", "received 4");
  }

  @Test
  void shouldWaitForWhatLeftBefore() {
    connect();
    pair.loss = loseOne();
    submit(100, 1);
    client.flush();
    submitWithReceipt(100, 2);
    client.flush();
    pair.runFor(2 * EndpointPair.DELAY_NS + 1); // the second is there, and acknowledged perhaps
    assertThat(client.events).isEmpty();
    pair.runFor(SETTLE_NS);
    assertThat(client.events).containsExactly("received 2");
  }

  @Test
  void shouldTellBeforeItsEndOrNotAtAll() {
    connect();
    for (int round = 0; round < 20; round++) {
      server.isAcknowledging = round % 2 == 0;
      List<Long> rsns = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        rsns.add(submitWithReceipt(100 + i, 1_000 + 10 * round + i));
        client.flush();
      }
      pair.runFor(SETTLE_NS);
      rsns.forEach(server.connection.verbs()::acknowledge);
      server.flush();
    }
    pair.runFor(SETTLE_NS);
    assertThat(client.ends).hasSize(200);
    assertThat(client.events).isNotEmpty().doesNotHaveDuplicates();
    assertThat(client.receivedLate).isEmpty();
  }

  @Test
  void shouldSayNothingOfOneThatWasGivenUp() {
    connect();
    long rsn = submitWithReceipt(100, 1);
    client.flush();
    assertThat(client.connection.verbs().cancel(rsn)).isTrue();
    long unsent = submitWithReceipt(100, 2);
    assertThat(client.connection.verbs().cancel(unsent)).isTrue();
    settle();
    assertThat(server.events).contains("delivered");
    assertThat(client.events).isEmpty();
  }

  @Test
  void shouldSayNothingAfterTheConnectionsEnd() {
    connect();
    submitWithReceipt(100, 1);
    client.flush();
    client.abort(7, "enough");
    pair.runFor(SETTLE_NS);
    assertThat(client.events).containsExactly("closed");
    assertThat(client.ends).containsExactly(Outcome.UNKNOWN);
  }

  @Test
  void shouldRefuseWhatCanHaveNone() {
    connect();
    ApplicationVerbs verbs = client.connection.verbs();
    long push = submit(100, 1);
    assertThat(verbs.receipt(push + 1)).as("not begun").isFalse();
    long pull = verbs.nextSubmission();
    assertThat(verbs.submitPull(10, NO_HEADER, 0, 0, 2)).isTrue();
    assertThat(verbs.receipt(pull)).as("a pull").isFalse();
    client.flush();
    assertThat(verbs.receipt(push)).as("in packets").isFalse();
    long cancelled = submit(100, 3);
    verbs.cancel(cancelled);
    assertThat(verbs.receipt(cancelled)).as("given up").isFalse();
    pair.runFor(SETTLE_NS);
    client.abort(7, "enough");
    assertThat(verbs.receipt(push)).as("after the end").isFalse();
  }

  @Test
  void shouldTellOfEachWhereNumbersBeginAnew() {
    connect(
        ConnectionConfig.builder()
            .initialNumbers(new InitialNumbers(-3, -3, -3, -3, -3))
            .initialCreditBytes(1 << 20)
            .build());
    pair.loss = loseOne();
    for (int i = 0; i < 4; i++) {
      submitWithReceipt(i % 2 == 0 ? 900 : 20_000, i);
      settle();
    }
    assertThat(client.events)
        .containsExactly("received 0", "received 1", "received 2", "received 3");
    assertThat(client.connection.verbs().nextSubmission()).isOne();
    assertThat(client.connection.window().nextPsn(WindowClass.DATA)).isBetween(1, 1_000);
  }

  @Test
  void shouldTellWithoutOrderToo() {
    listening.acceptConfig = ConnectionConfig.builder().ordered(false).build();
    connect(ConnectionConfig.builder().ordered(false).build());
    for (int i = 0; i < 20; i++) {
      submitWithReceipt(i % 2 == 0 ? 300 : 12_000, i);
    }
    settle();
    assertThat(client.events).hasSize(20).doesNotHaveDuplicates();
    assertThat(client.ends).isEmpty();
  }
}
