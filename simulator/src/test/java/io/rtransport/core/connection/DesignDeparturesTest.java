package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.congestion.Aimd;
import io.rtransport.core.congestion.SwiftWindow;
import io.rtransport.core.connection.EndpointPair.Flying;
import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.NumberedHeaderFlyweight;
import io.rtransport.core.wire.PacketType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Where RT does something else than its own first design pages (docs/reference/departures.md). */
class DesignDeparturesTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

  private final EndpointPair pair = new EndpointPair();
  private final Host serverHost = pair.host();
  private final Host clientHost = pair.host();

  private Peer connected(ConnectionConfig config) {
    serverHost.listen();
    Peer client = clientHost.connect(serverHost, config);
    pair.runFor(MS);
    pair.seen.clear();
    return client;
  }

  private static boolean isAckRequested(Flying flying) {
    return flying.type() == PacketType.DATA
        && new NumberedHeaderFlyweight().wrap(ByteBuffer.wrap(flying.bytes()), 0).isAckRequested();
  }

  /** An acknowledgement is due at once; the answer, which leaves in the same turn, carries it. */
  @Test
  void shouldTransmitBeforeItAcknowledges() {
    Peer client = connected(ConnectionConfig.builder().build());
    boolean[] isLost = new boolean[1];
    pair.loss = flying -> flying.to() == serverHost && !isLost[0] && (isLost[0] = true);
    client.push(100);
    pair.runFor(100 * MS);
    assertThat(clientHost.count(CounterId.RETRANSMITS_PROBE)).isEqualTo(1);
    assertThat(pair.seen).anyMatch(f -> f.to() == serverHost && isAckRequested(f));
    assertThat(client.ends).containsExactly(Outcome.COMPLETED);
    List<Integer> answers = new ArrayList<>();
    pair.seen.stream().filter(f -> f.to() == clientHost).forEach(f -> answers.add(f.type()));
    assertThat(answers).containsExactly(PacketType.DATA);
  }

  @Test
  void shouldControlCongestionByDelayUnlessToldOtherwise() {
    Peer client = connected(ConnectionConfig.builder().build());
    assertThat(client.connection.window().path(0).congestion()).isInstanceOf(SwiftWindow.class);
    Peer other =
        connected(ConnectionConfig.builder().congestion(ConnectionConfig.Congestion.AIMD).build());
    assertThat(other.connection.window().path(0).congestion()).isInstanceOf(Aimd.class);
  }
}
