package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.wire.PacketType;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * A peer that dies and comes back under its address: which connections end by that, and which do
 * not.
 */
class IncarnationTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final EndpointPair pair = new EndpointPair();
  private final ConnectionConfig config = ConnectionConfig.builder().build();

  private Host listening() {
    Host server = pair.host();
    server.listen();
    return server;
  }

  @Test
  void shouldEndTheOldIncarnationOnlyWhenTheNewOneIsConfirmed() {
    Host server = listening();
    Host oldClient = pair.host();
    oldClient.connect(server, config);
    pair.runFor(MS);
    Host newClient = pair.restart(oldClient);
    pair.loss = flying -> flying.type() == PacketType.ACK;
    newClient.connect(server, config);
    pair.runFor(MS);
    assertThat(server.accepted).hasSize(1);
    assertThat(server.accepted.get(0).reason).isNull();
    pair.loss = flying -> false;
    pair.runFor(SECOND);
    Peer again = newClient.connect(server, config);
    pair.runFor(SECOND);

    assertThat(again.events).containsExactly("established");
    assertThat(server.accepted.get(0).reason.code()).isEqualTo(CloseCode.PEER_RESTARTED.code());
  }

  @Test
  void shouldNotEndTheNewIncarnationByALateConfirmationOfTheOldOne() {
    Host server = listening();
    Host oldClient = pair.host();
    byte[][] late = new byte[1][];
    pair.loss =
        flying -> {
          boolean isConfirmation = late[0] == null && flying.type() == PacketType.ACK;
          late[0] = isConfirmation ? flying.bytes() : late[0];
          return isConfirmation;
        };
    oldClient.connect(server, config);
    pair.runFor(MS);
    assertThat(late[0]).isNotNull();
    Host newClient = pair.restart(oldClient);
    final Peer young = newClient.connect(server, config);
    pair.runFor(MS);
    pair.inject(newClient, server.address, late[0]);
    pair.runFor(MS);

    assertThat(server.accepted).hasSize(2);
    assertThat(server.accepted.get(0).reason).isNull();
    assertThat(young.events).containsExactly("established");
  }

  @Test
  void shouldNotEndTheNewIncarnationByALateAcceptOfTheOldOne() {
    Host oldServer = listening();
    Host client = pair.host();
    byte[][] late = new byte[1][];
    pair.loss =
        flying -> {
          boolean isAccept = late[0] == null && flying.type() == PacketType.ACCEPT;
          late[0] = isAccept ? flying.bytes() : late[0];
          return isAccept;
        };
    Peer slow = client.connect(oldServer, config);
    pair.runFor(MS);
    assertThat(late[0]).isNotNull();
    Host newServer = pair.restart(oldServer);
    newServer.listen();
    Peer young = client.connect(newServer, config);
    pair.runFor(MS);
    assertThat(young.events).containsExactly("established");
    pair.inject(newServer, client.address, late[0]);
    pair.runFor(MS);

    assertThat(slow.events).as("taken, for it answers").containsExactly("established");
    assertThat(young.reason).isNull();
  }
}
