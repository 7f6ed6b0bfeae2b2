package io.rtransport.demo.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.demo.protocol.ErrorCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who gives a place up, and to whom, when all places of a store are taken. */
class UploadSharesTest {
  private static final int PLACES = FileStore.UPLOADS_MAX;
  private static final int HALF = PLACES / 2;

  @TempDir Path root;
  private FileStore store;
  private int names;

  /** One connection of a host, with the uploads that it began, the oldest first. */
  private final class Connection {
    private final InetAddress address;
    private final List<Upload> uploads = new ArrayList<>();

    Connection(String address) throws UnknownHostException {
      this.address = InetAddress.getByName(address);
    }

    Connection begin(int count) throws IOException {
      for (int i = 0; i < count; i++) {
        uploads.add(store.begin(address, this, StoreName.of("f" + names++), 1));
      }
      return this;
    }

    int held() {
      return (int) uploads.stream().filter(upload -> upload.file().isOpen()).count();
    }

    void assertRefused() {
      assertThatThrownBy(() -> begin(1))
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.code()).isSameAs(ErrorCode.BUSY));
    }
  }

  @BeforeEach
  void open() throws IOException {
    store = FileStore.open(root);
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  private List<Connection> connections(String address, int count, int uploadsOfEach)
      throws IOException {
    List<Connection> connections = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      connections.add(new Connection(address).begin(uploadsOfEach));
    }
    return connections;
  }

  private static int held(List<Connection> connections) {
    return connections.stream().mapToInt(Connection::held).sum();
  }

  @Test
  void shouldTakePlacesFromTheHostWithTheMostHoweverManyConnectionsItHas() throws IOException {
    List<Connection> greedy = connections("10.0.0.1", 64, PLACES / 64);
    Connection honest = new Connection("10.0.0.2").begin(HALF);

    honest.assertRefused();
    assertThat(honest.held()).isEqualTo(HALF);
    assertThat(greedy).as("each gave as many as another").allMatch(each -> each.held() == 2);
    assertThat(greedy).allMatch(each -> each.uploads.get(0).file().isOpen());
  }

  @Test
  void shouldTakeTheYoungestOfTheLargestConnectionOfTheLargestHost() throws IOException {
    List<Connection> largestHost = connections("10.0.0.1", 3, 50);
    Connection largestOfIt = new Connection("10.0.0.1").begin(52);
    Connection largestOfAll = new Connection("10.0.0.2").begin(PLACES - 202);
    assertThat(largestOfAll.held()).isGreaterThan(largestOfIt.held());

    new Connection("10.0.0.3").begin(1);

    assertThat(held(largestHost)).isEqualTo(150);
    assertThat(largestOfAll.held()).isEqualTo(PLACES - 202);
    assertThat(largestOfIt.held()).isEqualTo(51);
    assertThat(largestOfIt.uploads.get(51).file().isOpen()).isFalse();
  }

  @Test
  void shouldLetNoHostTakeFromOneThatHasAsManyOrOneMore() throws IOException {
    Connection one = new Connection("10.0.0.1").begin(HALF - 1);
    List<Connection> other = connections("10.0.0.2", HALF / 2, 2);
    Connection third = new Connection("10.0.0.3").begin(1);
    one.assertRefused(); // 127 beside 128
    third.uploads.get(0).abandon();
    one.begin(1);
    one.assertRefused(); // 128 beside 128
    other.get(0).assertRefused();

    assertThat(one.held()).isEqualTo(HALF);
    assertThat(held(other)).isEqualTo(HALF);
  }

  @Test
  void shouldTakeFromAHostThatHasTwoMore() throws IOException {
    Connection one = new Connection("10.0.0.1").begin(HALF - 1);
    List<Connection> other = connections("10.0.0.2", HALF + 1, 1);
    one.begin(1);

    assertThat(one.held()).isEqualTo(HALF);
    assertThat(held(other)).isEqualTo(HALF);
  }

  @Test
  void shouldShareAHostsPartAmongItsConnections() throws IOException {
    Connection first = new Connection("10.0.0.1").begin(HALF);
    Connection other = new Connection("10.0.0.2").begin(HALF);
    Connection second = new Connection("10.0.0.1").begin(HALF / 2);

    second.assertRefused();
    assertThat(first.held()).isEqualTo(HALF / 2);
    assertThat(other.held()).as("what the first host shares is its own").isEqualTo(HALF);
  }

  @Test
  void shouldTakeFromTheNextConnectionWhereTheLargestHasOnlyWholeFiles() throws IOException {
    List<Connection> greedy = connections("10.0.0.1", HALF, 2);
    Connection incomplete = greedy.get(HALF / 2);
    for (Connection connection : greedy) {
      if (connection != incomplete) {
        connection.uploads.forEach(Upload::giveWay); // as little to be had as one that is whole
      }
    }
    Connection honest = new Connection("10.0.0.2").begin(2);

    assertThat(incomplete.held()).isZero();
    honest.assertRefused();
  }

  @Test
  void shouldTakeTheAddressesOfAnIpv6NetworkForOneHost() throws IOException {
    List<Connection> greedy = new ArrayList<>();
    for (int i = 0; i < PLACES; i++) {
      greedy.add(new Connection("2001:db8:0:7::" + Integer.toHexString(i)).begin(1));
    }
    new Connection("2001:db8:0:7:ffff:ffff:ffff:ffff").assertRefused();
    Connection honest = new Connection("2001:db8:0:8::1").begin(HALF);

    honest.assertRefused();
    assertThat(held(greedy)).isEqualTo(HALF);
  }
}
