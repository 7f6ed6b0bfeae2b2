package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The application aborts while it is told something: it is told nothing more but the ends. */
class AbortWhileToldTest {
  private static final long TRIP_NS = TimeUnit.MILLISECONDS.toNanos(20);

  private final EndpointPair pair = new EndpointPair();
  private Peer client;
  private Peer server;

  @BeforeEach
  void connect() {
    Host target = pair.host();
    target.listen();
    client = pair.host().connect(target, ConnectionConfig.builder().build());
    pair.runFor(TRIP_NS);
    server = target.accepted.get(0);
  }

  private void pushThreeInOnePacket() {
    for (int i = 0; i < 3; i++) {
      client.connection.verbs().submitPush(client, 0, 64, ByteBuffer.allocate(0), 0, 0, 7, true);
    }
    client.flush();
  }

  private void abort() {
    server.abort(9, "enough");
  }

  @Test
  void shouldNotReadOn() {
    server.onPass(
        rsn -> {
          abort();
          return false;
        });
    pushThreeInOnePacket();
    pair.runFor(TRIP_NS);
    assertThat(server.events).containsExactly("established", "passed 64", "closed");
    assertThat(server.reason.code()).isEqualTo(9);
    assertThat(client.ends).containsOnly(Outcome.UNKNOWN).hasSize(3);
    assertThat(client.reason).isEqualTo(new CloseReason(9, "enough", true));
  }

  /** A message that is put together, of which bytes were given, is told not whole. */
  @Test
  void shouldStillTellWhatIsOpen() {
    server.onOpen =
        rsn -> {
          abort();
          return rsn;
        };
    pushThreeInOnePacket();
    pair.runFor(TRIP_NS);
    assertThat(server.events).containsExactly("established", "aborted", "closed");
  }

  @Test
  void shouldGiveTheEndsOfItsOwn() {
    server.connection.verbs().submitPush(server, 0, 64, ByteBuffer.allocate(0), 0, 0, 7, true);
    server.onPass(
        rsn -> {
          abort();
          return false;
        });
    pushThreeInOnePacket();
    pair.runFor(TRIP_NS);
    assertThat(server.ends).containsExactly(Outcome.NOT_EXECUTED);
    assertThat(server.events).endsWith("closed");
  }
}
