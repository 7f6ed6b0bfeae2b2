package io.rtransport.netty.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.NetUtil;
import io.rtransport.core.node.LearntAddresses;
import io.rtransport.core.node.Route;
import io.rtransport.core.rail.NiError;
import io.rtransport.core.rail.NiSelection;
import io.rtransport.core.rail.RailHealth;
import io.rtransport.netty.node.PeerConfig.Rail;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WaysTest {
  private static final long REST_NS = 1_000;
  private static final InetAddress SECOND = address("127.0.0.2");
  private static final InetAddress THIRD = address("127.0.0.3");

  private final RailHealth health = new RailHealth(new SplittableRandom(1));
  private final List<InetAddress> looked = new ArrayList<>();
  private final Ways.Interfaces interfaces =
      new Ways.Interfaces(health, new NiSelection(health::config), looked::add);

  private static InetAddress address(String text) {
    return NetUtil.createInetAddressFromIpAddressString(text);
  }

  private static InetSocketAddress remote(int port) {
    return new InetSocketAddress(NetUtil.LOCALHOST4, port);
  }

  private static Rail rail(InetAddress local, int port) {
    return new Rail(local == null ? null : new InetSocketAddress(local, 0), remote(port));
  }

  private static PeerConfig peer(String name, Rail... rails) {
    return new PeerConfig(name, List.of(rails));
  }

  private void charge(int port) {
    health.onPeerError(NiError.PEER_NI_CONNECT_ERROR, "", remote(port), 0);
  }

  private void down(InetAddress ours) {
    health.onLocalError(NiError.LOCAL_NI_DOWN, "", ours, 0);
  }

  private Ways through(Route... routes) {
    Map<String, PeerConfig> routers =
        Map.of("r1", peer("r1", rail(null, 1)), "r2", peer("r2", rail(THIRD, 2)));
    return Ways.through(List.of(routes), REST_NS, routers, null, interfaces);
  }

  private static Route route(String router, int priority) {
    return new Route("far", router, 1, priority);
  }

  @Test
  void shouldConnectByTheHealthiestPairFirstAndByNoneThatHasFailed() {
    Ways ways =
        Ways.to(peer("beta", rail(null, 1), rail(SECOND, 2), rail(THIRD, 3)), null, interfaces);
    charge(1);
    assertThat(ways.choose(0, Map.of()).rails())
        .containsExactly(rail(SECOND, 2), rail(THIRD, 3), rail(null, 1));
    down(SECOND);
    assertThat(ways.choose(0, Map.of()).rails()).containsExactly(rail(THIRD, 3), rail(null, 1));
    assertThat(ways.nextHop()).isEqualTo("beta");
  }

  @Test
  void shouldKeepANameWithoutAnAddressFirst() {
    Rail name = new Rail(null, InetSocketAddress.createUnresolved("beta.example", 7));
    Ways ways = Ways.to(peer("beta", name, rail(null, 2)), null, interfaces);
    for (int i = 0; i < 2; i++) { // whoever has the turn
      assertThat(ways.choose(0, Map.of()).rails()).containsExactly(name, rail(null, 2));
    }
  }

  @Test
  void shouldConnectFromTheGivenSourceOnlyUnlessItIsDown() {
    PeerConfig beta = peer("beta", rail(null, 1), rail(SECOND, 2), rail(SECOND, 3), rail(THIRD, 4));
    Ways ways = Ways.to(beta, SECOND, interfaces);
    assertThat(ways.choose(0, Map.of()).rails()).containsExactly(rail(SECOND, 2), rail(SECOND, 3));
    assertThat(ways.isSourceDown()).isFalse();
    down(SECOND);
    assertThat(ways.isSourceDown()).isTrue();
    assertThat(ways.choose(0, Map.of())).isNull();
  }

  @Test
  void shouldTakeAnotherRouterForAResendAndWhileOneRests() {
    Ways ways = through(route("r1", 0), route("r2", 1));
    assertThat(ways.choose(0, Map.of()).name()).isEqualTo("r1");
    assertThat(ways.choose(0, Map.of("r1", 1)).name()).isEqualTo("r2");
    assertThat(ways.choose(0, Map.of("r1", 1, "r2", 1)).name()).isEqualTo("r1");
    ways.onNoWay(0);
    assertThat(ways.choose(0, Map.of()).name()).isEqualTo("r2");
    ways.onNoWay(0);
    assertThat(ways.choose(REST_NS - 1, Map.of())).isNull();
    assertThat(ways.choose(REST_NS, Map.of()).name()).isEqualTo("r1");
  }

  @Test
  void shouldChargeASilentRouterAndGiveHealthBackWhenItAnswers() {
    Ways ways = through(route("r1", 0), route("r2", 0));
    assertThat(ways.choose(0, Map.of()).name()).isEqualTo("r1");
    ways.onSilence(NiError.PEER_NI_CONNECT_ERROR, 0);
    assertThat(health.ofPeer("", remote(1)).health(0)).isEqualTo(900);
    assertThat(ways.choose(REST_NS, Map.of()).name()).isEqualTo("r2");
    down(THIRD);
    ways.onSilence(NiError.PEER_NI_CONNECT_ERROR, REST_NS);
    assertThat(health.ofPeer("", remote(2)).health(REST_NS)).as("ours is down").isEqualTo(1_000);
    assertThat(ways.choose(REST_NS, Map.of()).name()).isEqualTo("r1");
    ways.onWay(remote(1), REST_NS);
    assertThat(health.ofPeer("", remote(1)).health(REST_NS)).isEqualTo(1_000);
  }

  @Test
  void shouldChargeNobodyForARouterThatAnswersOrAPeerWithoutAnotherWay() {
    Ways ways = through(route("r1", 0));
    ways.choose(0, Map.of());
    ways.onNoWay(0);
    Ways direct = Ways.to(peer("beta", rail(null, 9)), null, interfaces);
    direct.choose(0, Map.of());
    direct.onSilence(NiError.PEER_NI_CONNECT_ERROR, 0);
    assertThat(health.peerCount()).isZero();
  }

  // ---- addresses that next hops have told

  private static Rail learnt(InetAddress local, int port) {
    return new Rail(local == null ? null : new InetSocketAddress(local, 0), remote(port), true);
  }

  private static List<InetSocketAddress> remotes(int from, int to) {
    return IntStream.range(from, to).mapToObj(WaysTest::remote).toList();
  }

  private static void learn(Ways ways, int from, int to) {
    ways.ofChosen().connected(1, null).onAddresses(remotes(from, to), remotes(from, to));
  }

  @Test
  void shouldConnectByLearntAddressesBehindTheGivenOnes() {
    Ways ways = Ways.to(peer("beta", rail(null, 1), rail(SECOND, 2)), null, interfaces);
    ways.choose(0, Map.of());
    learn(ways, 1, 5); // two of them are given
    charge(1);
    charge(3);
    assertThat(ways.choose(0, Map.of()).rails())
        .as("each kind by health")
        .containsExactly(rail(SECOND, 2), rail(null, 1), learnt(null, 4), learnt(null, 3));
    assertThat(ways.isLearnt(remote(3))).isTrue();
    assertThat(ways.isLearnt(remote(1))).isFalse();
    assertThat(ways.isLearnt(null)).as("of a connection that has none").isFalse();
  }

  @Test
  void shouldConnectByEightAddressesOfWhichAllGivenOnes() {
    Rail[] seven = new Rail[7];
    for (int i = 0; i < 7; i++) {
      seven[i] = rail(null, 1 + i);
      charge(1 + i);
    }
    Ways ways = Ways.to(peer("beta", seven), null, interfaces);
    ways.choose(0, Map.of());
    learn(ways, 8, 8 + LearntAddresses.ADDRESSES_MAX);
    assertThat(ways.choose(0, Map.of()).rails())
        .hasSize(8)
        .contains(seven)
        .last()
        .matches(Rail::isLearnt);
  }

  @Test
  void shouldKeepAPlaceForALearntAddressBesideEightGivenOnes() {
    Rail[] eight = new Rail[8];
    for (int i = 0; i < 8; i++) {
      eight[i] = rail(null, 1 + i);
    }
    Ways ways = Ways.to(peer("beta", eight), null, interfaces);
    charge(3);
    assertThat(ways.choose(0, Map.of()).rails()).containsExactlyInAnyOrder(eight);
    learn(ways, 9, 11);
    charge(9);
    assertThat(ways.choose(0, Map.of()).rails())
        .as("the least healthy ones are left out")
        .hasSize(8)
        .doesNotContain(rail(null, 3))
        .endsWith(learnt(null, 10));
  }

  @Test
  void shouldLeaveByTheGivenSourceToLearntAddressesToo() {
    Ways ways = Ways.to(peer("beta", rail(SECOND, 1), rail(THIRD, 2)), SECOND, interfaces);
    ways.choose(0, Map.of());
    learn(ways, 3, 4);
    assertThat(ways.choose(0, Map.of()).rails())
        .containsExactly(rail(SECOND, 1), learnt(SECOND, 3));
  }

  @Test
  void shouldForgetALearntAddressWhereAStrangerAnswersAndLeaveOutOnceWhatDoesNotAnswer() {
    Ways ways = Ways.to(peer("beta", rail(null, 1)), null, interfaces);
    ways.choose(0, Map.of());
    learn(ways, 2, 4);
    assertThat(ways.onStranger(remote(1), true)).as("given").isFalse();
    assertThat(ways.onStranger(remote(1), false)).as("given").isFalse();
    assertThat(ways.choose(0, Map.of()).rails()).hasSize(3);
    assertThat(ways.onStranger(remote(2), true)).isTrue();
    assertThat(ways.choose(0, Map.of()).rails()).containsExactly(rail(null, 1), learnt(null, 3));
    assertThat(ways.onStranger(remote(3), false)).as("it may be the peer still").isTrue();
    assertThat(ways.choose(0, Map.of()).rails()).containsExactly(rail(null, 1));
    assertThat(ways.choose(0, Map.of()).rails()).hasSize(2);
  }

  @Test
  void shouldLearnOfEachRouterApartAndJudgeItByItsBestAddress() {
    Ways ways = through(route("r1", 0), route("r2", 0));
    assertThat(ways.choose(0, Map.of()).name()).isEqualTo("r1");
    learn(ways, 7, 8);
    assertThat(ways.learnt().get("r2").all()).isEmpty();
    charge(1);
    assertThat(ways.choose(0, Map.of()).name()).as("its turn").isEqualTo("r2");
    assertThat(ways.choose(0, Map.of()).name()).as("7 is well").isEqualTo("r1");
    charge(7);
    assertThat(ways.choose(0, Map.of()).name()).isEqualTo("r2");
    assertThat(ways.choose(0, Map.of()).name()).isEqualTo("r2");
  }

  @Test
  void shouldChooseBesideTheOneInUseAndTakeNoTurn() {
    Ways ways = through(route("r1", 0), route("r2", 0));
    Ways beside = ways.beside();
    assertThat(ways.choose(0, Map.of()).name()).isEqualTo("r1");
    assertThat(beside.chooseBeside(ways, 0).name()).isEqualTo("r2");
    assertThat(ways.isBy(beside)).isFalse();
    assertThat(ways.choose(0, Map.of()).name()).as("its turn").isEqualTo("r2");
    assertThat(ways.isBy(beside)).isTrue();
    assertThat(beside.chooseBeside(ways, 0).name()).isEqualTo("r1");
    beside.onNoWay(0);
    assertThat(beside.isAwake(REST_NS - 1)).isFalse();
    assertThat(beside.chooseBeside(ways, REST_NS - 1)).isNull();
    ways.adopt(through(route("r1", 0)));
    assertThat(beside.isAwake(REST_NS)).as("nothing is chosen").isFalse();
    assertThat(through(route("r1", 0)).hasOthers()).isFalse();
    assertThat(ways.hasOthers()).isTrue();
  }
}
