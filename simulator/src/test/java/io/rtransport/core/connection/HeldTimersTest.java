package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Timers wait for packets that lie unread, but not for ever, and nobody else waits for them. */
class HeldTimersTest {
  private static final long MS = 1_000_000;

  private final EndpointPair pair = new EndpointPair();
  private Peer client;
  private Host clientHost;
  private Host server;

  @BeforeEach
  void connect() {
    server = pair.host();
    server.listen();
    clientHost = pair.host();
    client = clientHost.connect(server, ConnectionConfig.builder().build());
    pair.runFor(MS);
    for (int i = 0; i < 20; i++) {
      client.push(10);
      pair.runFor(5 * MS);
    }
  }

  private long resent() {
    return clientHost.count(CounterId.RETRANSMITS_PROBE)
        + clientHost.count(CounterId.RETRANSMITS_TIMEOUT);
  }

  @Test
  void shouldActAsSoonAsNothingLiesUnread() {
    pair.loss = flying -> flying.to() != server;
    client.mayHaveUnread = true;
    client.push(10);
    pair.runFor(50 * MS);
    assertThat(resent()).isZero();
    client.mayHaveUnread = false;
    pair.runFor(Endpoint.LOOK_AGAIN_NS);
    assertThat(resent()).isPositive();
    assertThat(clientHost.count(CounterId.TIMERS_PUT_OFF)).isPositive();
  }

  @Test
  void shouldActThoughItAllLiesUnreadOnceTheLongestTimeHasPassed() {
    pair.loss = flying -> flying.to() != server;
    client.mayHaveUnread = true;
    client.push(10);
    long firstNs = pair.nowNs;
    while (clientHost.count(CounterId.TIMERS_PUT_OFF) == 0) {
      pair.runFor(Endpoint.LOOK_AGAIN_NS);
      assertThat(pair.nowNs - firstNs).isLessThan(20 * MS);
    }
    pair.runFor(HeldTimers.HELD_NS_MAX - 2 * Endpoint.LOOK_AGAIN_NS);
    assertThat(resent()).isZero();
    pair.runFor(3 * Endpoint.LOOK_AGAIN_NS);
    assertThat(resent()).isPositive();
  }

  @Test
  void shouldNotKeepThePeerWaitingForItsAcknowledgement() {
    Peer target = server.accepted.get(0);
    target.mayHaveUnread = true;
    client.push(10);
    pair.runFor(5 * MS);
    assertThat(client.connection.window().isAllAcknowledged()).isTrue();
    assertThat(resent()).isZero();
  }

  @Test
  void shouldCountTheLongestTimeAnewAfterTimersHaveBeenSettled() {
    client.mayHaveUnread = true;
    for (int i = 0; i < 10; i++) {
      pair.loss = flying -> flying.to() == server;
      client.push(10);
      pair.runFor(60 * MS);
      pair.loss = flying -> false;
      client.push(10); // whose acknowledgement shows the hole before it
      pair.runFor(10 * MS);
      assertThat(client.connection.window().isAllAcknowledged()).isTrue();
    }
    assertThat(resent()).isZero();
    assertThat(clientHost.count(CounterId.TIMERS_PUT_OFF)).isGreaterThan(10);
  }

  @Test
  void shouldMeasureHowLateItsTurnsBegin() {
    assertThat(clientHost.loop.lateness().allowanceNs()).isZero();
    client.push(10);
    long dueNs = clientHost.node.nextDeadlineNs();
    clientHost.node.onTimeout(dueNs + 2 * MS);
    assertThat(clientHost.loop.lateness().allowanceNs()).isBetween(2 * MS, 3 * MS);
  }
}
