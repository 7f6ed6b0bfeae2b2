package io.rtransport.netty.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.NetUtil;
import io.rtransport.core.rail.DownNi;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which interfaces are a node's, or its peers'. */
class UsedInterfacesTest {
  private final List<InetSocketAddress> listening = new ArrayList<>();
  private final PeerConfig beta =
      new PeerConfig(
          "beta",
          List.of(
              new PeerConfig.Rail(null, InetSocketAddress.createUnresolved("beta.example", 7_400)),
              new PeerConfig.Rail(at(2, 0), at(12, 7_400))));
  private final PeerConfig alsoThere =
      new PeerConfig("also-there", List.of(new PeerConfig.Rail(at(0, 0), at(12, 7_400))));
  private int more;
  private final UsedInterfaces used =
      new UsedInterfaces(
          () -> listening, Map.of("beta", beta, "also-there", alsoThere), () -> more++);

  /** Returns an address; 0 for the wildcard. */
  private static InetSocketAddress at(int last, int port) {
    String text = last == 0 ? "0.0.0.0" : "10.0.0." + last;
    InetAddress address = NetUtil.createInetAddressFromIpAddressString(text);
    return new InetSocketAddress(address, port);
  }

  private NodeInterface ours(int last) {
    return used.of(new DownNi(true, "", at(last, 0)));
  }

  private NodeInterface peers(int last, int port) {
    return used.of(new DownNi(false, "", at(last, port)));
  }

  @Test
  void shouldUseWhereItListensAndWhatItsRailsName() {
    assertThat(ours(1)).isNull();
    listening.add(at(1, 7_000));
    listening.add(at(0, 7_001)); // a wildcard names no interface
    assertThat(ours(1)).isEqualTo(new NodeInterface(true, at(1, 0), List.of()));
    assertThat(ours(2)).isEqualTo(new NodeInterface(true, at(2, 0), List.of()));
    assertThat(ours(3)).isNull();
    assertThat(ours(0)).as("of a rail without an address of ours").isNull();
    listening.clear();
    assertThat(ours(1)).isNull();
  }

  @Test
  void shouldNameAllPeersThatHaveTheAddress() {
    assertThat(peers(12, 7_400))
        .isEqualTo(new NodeInterface(false, at(12, 7_400), List.of("also-there", "beta")));
    assertThat(peers(12, 7_401)).as("another port").isNull();
    assertThat(peers(13, 7_400)).isNull();
    assertThat(ours(12)).as("not ours").isNull();
    assertThat(peers(2, 0)).as("not a peer's").isNull();
  }

  @Test
  void shouldLearnFromConnectionsWhatTheyUseAndSayIfThatIsMore() {
    used.add("beta", List.of(at(4, 0).getAddress()), List.of(at(14, 7_400)));
    assertThat(more).isEqualTo(1);
    used.add("beta", List.of(at(4, 0).getAddress()), List.of(at(14, 7_400)));
    assertThat(more).as("nothing new").isEqualTo(1);
    used.add("beta", List.of(at(4, 0).getAddress()), List.of(at(15, 7_400)));
    assertThat(more).isEqualTo(2);
    assertThat(ours(4)).isNotNull();
    assertThat(peers(14, 7_400))
        .isEqualTo(new NodeInterface(false, at(14, 7_400), List.of("beta")));
    assertThat(peers(15, 7_400)).isNotNull();
  }

  @Test
  void shouldRememberTheLastAddressesOnly() {
    for (int i = 0; i < UsedInterfaces.SEEN_MAX; i++) {
      used.add("beta", List.of(), List.of(at(20, 1 + i)));
    }
    assertThat(peers(20, 1)).isNotNull();
    used.add("beta", List.of(), List.of(at(20, 1))); // used again, so it is not the oldest
    used.add("beta", List.of(), List.of(at(20, 99)));
    assertThat(peers(20, 1)).isNotNull();
    assertThat(peers(20, 2)).isNull();
    assertThat(peers(20, 3)).isNotNull();
  }

  @Test
  void shouldUseNothingOfANetworkWithAName() {
    listening.add(at(1, 7_000));
    assertThat(used.of(new DownNi(true, "net0", at(1, 0)))).isNull();
    assertThat(used.of(new DownNi(false, "net0", at(12, 7_400)))).isNull();
  }
}
