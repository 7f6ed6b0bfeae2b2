package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * What an application may do from inside a call of its own sink: never is a sublayer ended under
 * its own feet.
 */
class UpcallTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

  private final EndpointPair pair = new EndpointPair();
  private final Peer client = connected();
  private final Peer server = pair.hosts.get(0).accepted.get(0);

  private Peer connected() {
    Host host = pair.host();
    host.listen();
    Peer peer = pair.host().connect(host, ConnectionConfig.builder().build());
    pair.runFor(MS);
    return peer;
  }

  private long abort(long rsn) {
    server.isAcknowledging = false;
    server.abort(999, "enough");
    assertThat(server.reason).as("not before the call is over").isNull();
    return rsn;
  }

  @Test
  void shouldAbortAfterTheCallThatABurstMade() {
    server.onOpen = this::abort;
    client.push(10);
    pair.runFor(MS);

    assertThat(server.reason).isEqualTo(new CloseReason(999, "enough", false));
    assertThat(client.ends).containsExactly(Outcome.UNKNOWN);
  }

  /** The target is established outside a burst, so this flush transmits at once. */
  @Test
  void shouldTellAnEndAfterTheCallInWhichItCame() {
    Host host = pair.host();
    host.listen();
    List<Outcome> inside = new ArrayList<>();
    host.onEstablished =
        peer -> {
          ApplicationVerbs verbs = peer.connection.verbs();
          long rsn = verbs.nextSubmission();
          verbs.submitPush(peer, 0, 10, ByteBuffer.allocate(0), 0, 0, 7, true);
          assertThat(verbs.cancel(rsn)).isTrue();
          peer.flush();
          inside.addAll(peer.ends);
        };
    pair.host().connect(host, ConnectionConfig.builder().build());
    pair.runFor(MS);

    assertThat(host.accepted.get(0).ends).containsExactly(Outcome.NOT_EXECUTED);
    assertThat(inside).isEmpty();
  }

  @Test
  void shouldAbortAfterTheCallThatATimerMade() {
    server.onOpen = rsn -> EndpointPair.LATER;
    client.push(10);
    pair.runFor(MS);
    server.onOpen = this::abort;
    server
        .connection
        .verbs()
        .retryOpen(Integer.toUnsignedLong(server.connection.agreed().rxNumbers().rsn()));
    server.flush();
    pair.runFor(MS);

    assertThat(server.reason).isEqualTo(new CloseReason(999, "enough", false));
    assertThat(client.ends).containsExactly(Outcome.UNKNOWN);
  }
}
