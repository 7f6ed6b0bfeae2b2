package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.parameter.ConnectionConfig;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections by their peers' addresses: one at an address is kept otherwise than several. */
class PeerTableTest {
  private final EndpointPair pair = new EndpointPair();
  private final PeerTable<Connection> table =
      new PeerTable<>(new AddressHash(7), Connection::peerCid, Connection::peerIncarnation);
  private final List<Connection> connections = new ArrayList<>();
  private InetSocketAddress address;

  @BeforeEach
  void connect() {
    Host server = pair.host();
    server.listen();
    address = server.address;
    Host client = pair.host();
    for (int i = 0; i < 3; i++) {
      connections.add(client.connect(server, ConnectionConfig.builder().build()).connection);
    }
    pair.runFor(TimeUnit.MILLISECONDS.toNanos(10));
  }

  private Connection found(int index) {
    return table.find(address, connections.get(index).peerCid());
  }

  private List<Connection> others(long incarnation) {
    List<Connection> others = new ArrayList<>();
    table.forEachOther(address, incarnation, others::add);
    return others;
  }

  @Test
  void shouldFindOneOfOneAndOneOfSeveral() {
    assertThat(found(0)).isNull();
    table.add(address, connections.get(0));
    assertThat(found(0)).isSameAs(connections.get(0));
    assertThat(found(1)).isNull();
    table.add(address, connections.get(1));
    table.add(address, connections.get(2));
    for (int i = 0; i < 3; i++) {
      assertThat(found(i)).isSameAs(connections.get(i));
    }
    assertThat(table.find(new InetSocketAddress("127.0.0.1", 1), connections.get(0).peerCid()))
        .isNull();
    assertThat(table.size()).isOne();
  }

  @Test
  void shouldForgetEachAloneAndTheAddressWithTheLast() {
    table.add(address, connections.get(0));
    table.remove(address, connections.get(1)); // which is not here
    assertThat(found(0)).isSameAs(connections.get(0));
    table.add(address, connections.get(1));
    table.remove(address, connections.get(0));
    assertThat(found(0)).isNull();
    assertThat(found(1)).isSameAs(connections.get(1));
    table.remove(address, connections.get(2));
    table.remove(address, connections.get(1));
    assertThat(table.size()).isZero();
    table.add(address, connections.get(2));
    table.remove(address, connections.get(2));
    assertThat(table.size()).isZero();
  }

  @Test
  void shouldNameThoseOfAnotherIncarnation() {
    long incarnation = connections.get(0).peerIncarnation();
    assertThat(others(incarnation + 1)).isEmpty();
    table.add(address, connections.get(0));
    assertThat(others(incarnation)).isEmpty();
    assertThat(others(incarnation + 1)).containsExactly(connections.get(0));
    table.add(address, connections.get(1));
    assertThat(others(incarnation)).isEmpty();
    assertThat(others(incarnation + 1))
        .containsExactlyInAnyOrder(connections.get(0), connections.get(1));
  }
}
