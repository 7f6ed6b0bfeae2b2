package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The deadline of a transaction ends that transaction, and nothing else. */
class DeadlineTest {
  private static final long WAIT_NS = TimeUnit.MILLISECONDS.toNanos(10);

  private static final int LENGTH = 20_000;

  private final EndpointPair pair = new EndpointPair();
  private final Host listening = pair.host();
  private final Host host = pair.host();
  private Peer client;

  private Peer server() {
    listening.listen();
    client = host.connect(listening, ConnectionConfig.builder().build());
    pair.runFor(WAIT_NS);
    return listening.accepted.get(0);
  }

  private long push(int length, long deadlineNs) {
    long rsn = client.connection.verbs().nextSubmission();
    assertThat(client.push(length)).isTrue();
    assertThat(client.connection.verbs().deadline(rsn, deadlineNs)).isTrue();
    client.flush();
    return rsn;
  }

  @Test
  void shouldGiveUpAtTheDeadlineAndNotBefore() {
    Peer server = server();
    server.onOpen = rsn -> EndpointPair.LATER;
    push(LENGTH, pair.nowNs + WAIT_NS);
    pair.runFor(WAIT_NS - 1);
    assertThat(client.ends).isEmpty();
    assertThat(host.count(CounterId.DEADLINES_EXCEEDED)).isZero();
    pair.runFor(WAIT_NS);
    assertThat(client.ends).containsExactly(Outcome.NOT_EXECUTED);
    assertThat(host.count(CounterId.DEADLINES_EXCEEDED)).isEqualTo(1);
    assertThat(client.connection.isEstablished()).isTrue();
    assertThat(client.connection.transaction().nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldForgetTheDeadlineOfWhatHasEnded() {
    server();
    for (int length : new int[] {0, 10, LENGTH}) {
      long rsn = push(length, pair.nowNs + 100 * WAIT_NS);
      pair.runFor(WAIT_NS);
      assertThat(client.connection.verbs().deadline(rsn, 0)).isFalse();
    }
    assertThat(client.ends).hasSize(3).containsOnly(Outcome.COMPLETED);
    assertThat(client.connection.transaction().nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
    pair.runFor(200 * WAIT_NS);
    assertThat(host.count(CounterId.DEADLINES_EXCEEDED)).isZero();
  }

  @Test
  void shouldLetAPushThatIsWithTheApplicationEndAsItWould() {
    Peer server = server();
    server.isAcknowledging = false;
    long rsn = push(10, pair.nowNs + WAIT_NS);
    pair.runFor(3 * WAIT_NS);
    assertThat(host.count(CounterId.DEADLINES_EXCEEDED)).isEqualTo(1);
    assertThat(client.ends).isEmpty();
    server.connection.verbs().acknowledge(rsn);
    server.flush();
    pair.runFor(WAIT_NS);
    assertThat(client.ends).containsExactly(Outcome.COMPLETED);
  }
}
