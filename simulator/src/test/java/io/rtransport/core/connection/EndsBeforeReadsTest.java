package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.parameter.ConnectionConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * An application hears that its push was taken before it is given what the peer's application sent
 * once it had taken it, though both came in one packet. In virtual time.
 */
class EndsBeforeReadsTest {
  private static final long SETTLE_NS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int LENGTH = 64;

  @Test
  void shouldTellTheEndOfAPushBeforeItsAnswerInTheSamePacketIsRead() {
    EndpointPair pair = new EndpointPair();
    Host listening = pair.host();
    listening.listen();
    Peer client = pair.host().connect(listening, ConnectionConfig.builder().build());
    pair.runFor(SETTLE_NS);
    Peer server = listening.accepted.get(0);
    List<Integer> endsAtRead = new ArrayList<>();
    server.onPass(rsn -> server.push(LENGTH));
    client.onPass(rsn -> endsAtRead.add(client.ends.size()));
    for (int i = 0; i < 3; i++) {
      client.push(LENGTH);
      pair.runFor(SETTLE_NS);
    }
    assertThat(endsAtRead).containsExactly(1, 2, 3);
  }
}
