package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.wire.PacketType;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * An acknowledgement leaves when it was said to, though the timer that it waits for be late by its
 * tick.
 */
class AckDelayTest {
  private static final long HOLD_NS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long TICK_NS = TimeUnit.MICROSECONDS.toNanos(300);

  private final EndpointPair pair = new EndpointPair();

  @Test
  void shouldHoldForWhatWasSetAndSayATickMore() {
    EndpointPair.Host listening = pair.host();
    EndpointPair.Host other = pair.host();
    listening.listen();
    listening.node.timerTickNs(TICK_NS);
    listening.acceptConfig = ConnectionConfig.builder().ackDelayNsMax(HOLD_NS).build();
    EndpointPair.Peer client = other.connect(listening, ConnectionConfig.builder().build());
    pair.runFor(TimeUnit.SECONDS.toNanos(1));
    EndpointPair.Peer server = listening.accepted.get(0);

    assertThat(server.connection.agreed().rx().ackDelayNsMax()).isEqualTo(HOLD_NS);
    assertThat(client.connection.agreed().tx().ackDelayNsMax()).isEqualTo(HOLD_NS + TICK_NS);
    assertThat(client.connection.agreed().rx().ackDelayNsMax()).as("no tick").isEqualTo(HOLD_NS);

    server.isAcknowledging = false;
    client.push(100);
    pair.runFor(EndpointPair.DELAY_NS);
    pair.seen.clear();
    pair.runFor(HOLD_NS - 1);
    assertThat(pair.seen).isEmpty();
    pair.runFor(1);
    assertThat(pair.seen).hasSize(1);
    assertThat(pair.seen.get(0).type()).isEqualTo(PacketType.ACK);
    assertThat(pair.seen.get(0).to()).isSameAs(other);
  }
}
