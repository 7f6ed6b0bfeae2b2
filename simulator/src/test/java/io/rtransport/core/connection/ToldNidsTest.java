package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.connection.EndpointPair.Flying;
import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.rail.LocalNi;
import io.rtransport.core.rail.Nid;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.PacketType;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Interfaces that a target tells its initiator, and targets that lie about them. */
class ToldNidsTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final ConnectionConfig CONFIG = ConnectionConfig.builder().build();
  private static final InetSocketAddress SERVER_2 = Knocks.address(0x0A01_0001, 7_400);
  private static final InetSocketAddress CLIENT_2 = Knocks.address(0x0A01_0002, 7_401);

  private final EndpointPair pair = new EndpointPair();

  /** Challenges that left for addresses where nobody is. */
  private final Map<InetSocketAddress, Integer> challenged = new HashMap<>();

  private Host server;
  private Host client;
  private Peer initiator;

  private void connected(String clientsNetwork, String serversNetwork) {
    server = pair.host().ni(SERVER_2, serversNetwork);
    server.listen();
    client = pair.host().ni(CLIENT_2, clientsNetwork);
    initiator = client.connect(server, CONFIG);
    pair.nowhere =
        (to, bytes) -> {
          assertThat(bytes[1] & 0x1F).isEqualTo(PacketType.PATH_CHALLENGE);
          assertThat(bytes).hasSize(64);
          challenged.merge(to, 1, Integer::sum);
        };
    pair.runFor(SECOND);
  }

  private void tell(String... nids) {
    List<Nid> told = new ArrayList<>();
    for (String nid : nids) {
      told.add(Nid.parse(nid));
    }
    tell(initiator, told);
  }

  private void tell(Peer peer, List<Nid> nids) {
    peer.connection.peerPaths.tell(nids, pair.nowNs);
    peer.flush();
  }

  /** NIDs of a third party's, on the network without a name. */
  private static List<Nid> victims(int from, int count) {
    List<Nid> victims = new ArrayList<>();
    for (int i = from; i < from + count; i++) {
      victims.add(new Nid(Knocks.address(0x0A09_0000 | i, 53), ""));
    }
    return victims;
  }

  private int sum() {
    return challenged.values().stream().mapToInt(Integer::intValue).sum();
  }

  @Test
  void shouldOpenAPathToAnInterfaceThatTheTargetTells() {
    connected("b", "b");

    assertThat(initiator.connection.openPaths()).isEqualTo(0b11);
    assertThat(initiator.connection.remote(1)).isEqualTo(SERVER_2);
    assertThat(initiator.connection.ni(1)).isEqualTo(1);
    assertThat(server.accepted.get(0).connection.remote(1)).isEqualTo(CLIENT_2);
    assertThat(client.count(CounterId.NIDS_REFUSED)).isZero();
  }

  @Test
  void shouldUseANewInterfaceForEachToldAddressAndItsNumberAgain() {
    server = pair.host().ni(SERVER_2, "");
    server.listen();
    client = pair.host();
    for (int i = 0; i < Limits.LOCAL_NIS_MAX - 1; i++) {
      client.ni(Knocks.address(0x0A02_0000 + i, 7_401), "");
    }
    pair.nowhere = (to, bytes) -> challenged.merge(to, 1, Integer::sum);
    initiator = client.connectAndLearn(server);
    pair.runFor(SECOND);
    assertThat(initiator.connection.openPaths()).isEqualTo(0b11);
    assertThat(initiator.connection.ni(1)).isEqualTo(1);
    assertThat(initiator.connection.remote(1)).isEqualTo(SERVER_2);
    tell(initiator, List.of(new Nid(server.address, ""), new Nid(SERVER_2, "")));
    assertThat(initiator.connection.nis()).as("they have paths").isEqualTo(0b11);

    tell(initiator, victims(0, 2));
    assertThat(initiator.connection.nis()).isEqualTo(0b1111);
    pair.runFor(10 * SECOND);
    assertThat(initiator.connection.nis()).isEqualTo(0b11);
    tell(initiator, victims(2, 1));
    assertThat(initiator.connection.nis()).isEqualTo(0b111);
    pair.runFor(10 * SECOND);
    assertThat(challenged).hasSize(3);
    assertThat(challenged.values()).containsOnly(Limits.TOLD_CHALLENGES_MAX);
  }

  @Test
  void shouldCountAToldAddressForWhichNoInterfaceIsLeft() {
    server = pair.host();
    server.listen();
    client = pair.host();
    initiator = client.connectAndLearn(server);
    pair.runFor(SECOND);
    PeerPaths paths = initiator.connection.peerPaths;
    paths.nidUse(NidUse.FROM_NEW_INTERFACE, Limits.LOCAL_NIS_MAX - 1);
    assertThat(paths.freeNi()).isEqualTo(Limits.LOCAL_NIS_MAX - 1);
    paths.nidUse(NidUse.FROM_NEW_INTERFACE, Limits.LOCAL_NIS_MAX);
    assertThat(paths.freeNi()).isEqualTo(-1);
    tell(initiator, victims(0, 1));
    assertThat(client.count(CounterId.NIDS_REFUSED)).isEqualTo(1);
    paths.nidUse(NidUse.NONE, 1);
    tell(initiator, victims(0, 1));
    assertThat(client.count(CounterId.NIDS_REFUSED)).isEqualTo(2);
    assertThat(client.count(CounterId.PATH_CHALLENGES_SENT)).isZero();
  }

  /** A server at a wildcard has a port for each address of its host. */
  @Test
  void shouldOpenAPathByAnInterfaceBeyondThoseThatAreNamed() {
    connected("b", "c");
    PeerPaths paths = server.accepted.get(0).connection.peerPaths;
    assertThat(paths.open(new Pair(Limits.LOCAL_NIS_MAX, CLIENT_2), 1, pair.nowNs)).isTrue();
    assertThat(server.accepted.get(0).connection.openPaths()).isEqualTo(0b11);
  }

  @Test
  void shouldTellUpToSixteenDifferentNids() {
    List<Nid> nids = victims(0, Limits.LOCAL_NIS_MAX);
    assertThat(CONFIG.toBuilder().nids(nids).build().toBuilder().build().nids()).isEqualTo(nids);
    assertThat(CONFIG.toBuilder().nids(nids).build()).isNotEqualTo(CONFIG);
    assertThatThrownBy(() -> CONFIG.toBuilder().nids(victims(0, Limits.LOCAL_NIS_MAX + 1)).build())
        .hasMessageContaining("nids=")
        .hasMessageContaining("valid: 0..16 different ones");
    assertThatThrownBy(() -> CONFIG.toBuilder().nids(List.of(nids.get(0), nids.get(0))).build())
        .hasMessageContaining("valid: 0..16 different ones");
  }

  @Test
  void shouldNotTellAnInitiatorThatKnowsNoRails() {
    pair.hasRails = false;
    connected("b", "b");

    assertThat(initiator.connection.openPaths()).isEqualTo(1);
    assertThat(client.count(CounterId.NIDS_REFUSED)).isZero();
  }

  @Test
  void shouldSkipAnInterfaceOnANetworkThatItIsNotOn() {
    connected("b", "c");

    assertThat(initiator.connection.openPaths()).isEqualTo(1);
    assertThat(client.count(CounterId.NIDS_REFUSED)).isEqualTo(1);
    assertThat(client.count(CounterId.PATH_CHALLENGES_SENT)).isZero();
    assertThat(initiator.peerChanges).isEmpty();
  }

  @Test
  void shouldSkipWhatIsNotOneHostsOfItsFamilyOrNoNid() {
    connected("b", "c");
    tell("224.0.0.1:7", "255.255.255.255:7", "0.0.0.0:7", "[ff02::1]:7", "[fd00::1]:7");
    tell("10.9.0.1:7@b0", "10.9.0.1:7@B", "host:7", "");
    pair.runFor(SECOND);

    assertThat(client.count(CounterId.NIDS_REFUSED)).isEqualTo(1 + 9);
    assertThat(client.count(CounterId.PATH_CHALLENGES_SENT)).isZero();
  }

  @Test
  void shouldTakeALoopbackAddressOnlyWhereItReachedThePeerOnLoopback() {
    connected("b", "c");
    tell("127.0.0.9:7");
    pair.runFor(SECOND);
    assertThat(challenged).hasSize(1);
    initiator.connection.peerPaths.open(new Pair(1, SERVER_2), 1, pair.nowNs);
    initiator.connection.peerPaths.close(0, pair.nowNs);
    tell("127.0.0.8:7");
    pair.runFor(SECOND);

    assertThat(challenged).hasSize(1);
    assertThat(client.count(CounterId.NIDS_REFUSED)).isEqualTo(2);
  }

  @Test
  void shouldChallengeAToldAddressThreeTimesAndNoMore() {
    connected("b", "c");
    initiator.push(10); // it has something to do
    server.accepted.get(0).isAcknowledging = false;
    tell(initiator, victims(0, 1));
    pair.runFor(10 * SECOND);
    tell(initiator, victims(0, 1));
    pair.runFor(10 * SECOND);

    assertThat(challenged).hasSize(1);
    assertThat(challenged.values()).containsOnly(Limits.TOLD_CHALLENGES_MAX);
    assertThat(client.count(CounterId.PATH_CANDIDATES_EXPIRED)).isEqualTo(1);
    assertThat(client.node.endpoint().railHealth().reports())
        .as("it may be a third party's")
        .allMatch(ni -> ni.errors().isEmpty());
  }

  @Test
  void shouldChallengeAToldAddressThreeTimesOverAllInterfaces() {
    connected("", "c"); // two interfaces on the network without a name
    tell(initiator, victims(0, 1));
    pair.runFor(10 * SECOND);

    assertThat(sum()).isEqualTo(Limits.TOLD_CHALLENGES_MAX);
  }

  @Test
  void shouldChallengeEightToldAddressesAndNoMore() {
    connected("b", "c");
    tell(initiator, victims(0, Limits.TOLD_ADDRESSES_MAX));
    assertThat(client.count(CounterId.NIDS_REFUSED)).isEqualTo(1);
    pair.runFor(10 * SECOND);
    assertThat(challenged).hasSize(Limits.TOLD_ADDRESSES_MAX);
    tell(initiator, victims(Limits.TOLD_ADDRESSES_MAX, 1));
    pair.runFor(10 * SECOND);

    assertThat(challenged).hasSize(Limits.TOLD_ADDRESSES_MAX);
    assertThat(client.count(CounterId.NIDS_REFUSED)).isEqualTo(2);
  }

  @Test
  void shouldNotCountAnAddressThatHasAnswered() {
    connected("b", "b");
    List<Nid> nids = victims(0, Limits.TOLD_ADDRESSES_MAX);
    tell(initiator, nids);
    pair.runFor(10 * SECOND);

    assertThat(challenged).hasSize(Limits.TOLD_ADDRESSES_MAX);
    assertThat(initiator.connection.openPaths()).isEqualTo(0b11);
  }

  @Test
  void shouldKnowSixteenNidsAndNoMore() {
    connected("b", "c");
    PeerPaths paths = initiator.connection.peerPaths;
    pair.nowhere = (to, bytes) -> {};
    List<Nid> known = victims(0, Limits.NIDS_MAX + 1);
    for (int i = 0; i < Limits.NIDS_MAX; i++) { // those that have a path need no challenge
      paths.open(new Pair(0, known.get(i).address()), 1, pair.nowNs);
      tell(initiator, known.subList(i, i + 1));
      if (i >= 6) {
        paths.close(2, pair.nowNs);
      }
    }
    assertThat(client.count(CounterId.NIDS_REFUSED)).isEqualTo(1);
    tell(initiator, known.subList(Limits.NIDS_MAX, Limits.NIDS_MAX + 1));
    assertThat(client.count(CounterId.NIDS_REFUSED)).isEqualTo(2);
    assertThat(client.count(CounterId.PATH_CHALLENGES_SENT)).isZero();
  }

  @Test
  void shouldSendSixtyFourChallengesASecondToToldAddressesAndNoMore() {
    connected("b", "c");
    List<Peer> peers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      peers.add(client.connect(server, CONFIG));
    }
    pair.runFor(SECOND);
    for (int i = 0; i < peers.size(); i++) {
      tell(peers.get(i), victims(100 * i, Limits.TOLD_ADDRESSES_MAX));
    }
    pair.runFor(SECOND / 1_000);
    assertThat(sum()).isEqualTo(Limits.TOLD_CHALLENGES_PER_SECOND_MAX);
    pair.runFor(SECOND);
    assertThat(sum())
        .isGreaterThan(Limits.TOLD_CHALLENGES_PER_SECOND_MAX)
        .isLessThanOrEqualTo(2 * Limits.TOLD_CHALLENGES_PER_SECOND_MAX);
  }

  @Test
  void shouldOpenAPathToAnInterfaceThatTheTargetAddsAndCloseItWhenItIsRemoved() {
    connected("b", "c");
    Peer target = server.accepted.get(0);
    Nid added = Nid.parse("10.1.0.1:7500@b");
    server.ni(added.address(), "b");
    assertThat(target.connection.tellNi(true, added, pair.nowNs)).isTrue();
    target.flush();
    pair.runFor(SECOND);
    assertThat(initiator.connection.openPaths()).isEqualTo(0b11);
    assertThat(initiator.connection.remote(1)).isEqualTo(added.address());

    target.connection.tellNi(false, added, pair.nowNs);
    target.flush();
    pair.runFor(SECOND);
    assertThat(initiator.connection.openPaths()).isEqualTo(1);
    assertThat(client.count(CounterId.PATHS_CLOSED)).isEqualTo(1);
    assertThat(client.count(CounterId.NIDS_REFUSED)).isEqualTo(1); // what ACCEPT told
  }

  @Test
  void shouldSayThatThePeerToldAnAddressOrTookOneBackOrThatAPathIsOpen() {
    server = pair.host().ni(SERVER_2, "b");
    server.listen();
    client = pair.host().ni(CLIENT_2, "b");
    List<Integer> saidBefore = new ArrayList<>();
    client.onEstablished = peer -> saidBefore.add(peer.peerChanges.size());
    initiator = client.connect(server, CONFIG);
    pair.runFor(SECOND);
    Peer target = server.accepted.get(0);
    assertThat(saidBefore).as("entries before ESTABLISHED").containsExactly(0);
    assertThat(initiator.peerChanges)
        .as("ACCEPT tells, then a path is open")
        .containsExactly(List.of(SERVER_2), List.of(SERVER_2));
    assertThat(target.peerChanges).as("a path is open").containsExactly(List.of());

    Nid added = Nid.parse("10.1.0.1:7500@b");
    server.ni(added.address(), "b");
    target.connection.tellNi(true, added, pair.nowNs);
    target.flush();
    pair.runFor(SECOND);
    assertThat(initiator.peerChanges)
        .as("it is told, then a path is open")
        .hasSize(4)
        .endsWith(List.of(SERVER_2, added.address()), List.of(SERVER_2, added.address()));
    target.connection.tellNi(false, added, pair.nowNs);
    target.connection.tellNi(true, Nid.parse("10.1.0.1:7500@c"), pair.nowNs); // of no use
    target.flush();
    pair.runFor(SECOND);
    assertThat(initiator.peerChanges).hasSize(5).endsWith(List.of(SERVER_2));
  }

  /** Packets are on their way while each side closes its path. Neither opens it again for them. */
  @Test
  void shouldOpenNoPathAgainForPacketsThatCameByARemovedInterface() {
    connected("b", "b");
    Peer target = server.accepted.get(0);
    Flying toClient = last(f -> f.to() == client && f.ni() == 1);
    Flying toServer = last(f -> f.to() == server && f.ni() == 1);
    target.connection.tellNi(false, new Nid(SERVER_2, "b"), pair.nowNs);
    target.connection.onInterfaceGone(1, pair.nowNs);
    target.flush();
    pair.runFor(SECOND);
    assertThat(initiator.connection.openPaths()).isEqualTo(1);
    assertThat(target.connection.openPaths()).isEqualTo(1);

    long asked = client.count(CounterId.PATH_CHALLENGES_SENT);
    long askedBack = server.count(CounterId.PATH_CHALLENGES_SENT);
    pair.forge(SERVER_2, client, 1, toClient.bytes());
    pair.forge(CLIENT_2, server, 1, toServer.bytes());
    pair.runFor(SECOND);
    assertThat(client.count(CounterId.PATH_CHALLENGES_SENT)).isEqualTo(asked);
    assertThat(server.count(CounterId.PATH_CHALLENGES_SENT)).isEqualTo(askedBack);

    target.connection.tellNi(true, new Nid(SERVER_2, "b"), pair.nowNs);
    target.flush();
    pair.runFor(SECOND);
    assertThat(client.count(CounterId.PATH_CHALLENGES_SENT)).as("told again").isGreaterThan(asked);
    assertThat(target.connection.openPaths()).as("the interface is still gone").isEqualTo(1);
    target.connection.onInterfaceBack(1);
    pair.runFor(SECOND);
    assertThat(initiator.connection.usablePaths()).isEqualTo(0b11);
    assertThat(Integer.bitCount(target.connection.usablePaths())).isEqualTo(2);
  }

  private Flying last(Predicate<Flying> which) {
    return pair.seen.stream().filter(which).reduce((first, next) -> next).orElseThrow();
  }

  @Test
  void shouldTellOneChangeAfterTheOtherInOrder() {
    connected("b", "c");
    Peer target = server.accepted.get(0);
    List<Nid> nids = victims(0, 4);
    for (Nid nid : nids) {
      target.connection.tellNi(true, nid, pair.nowNs);
    }
    for (Nid nid : nids) {
      target.connection.tellNi(false, nid, pair.nowNs);
    }
    Random lost = new Random(1);
    pair.loss = f -> lost.nextInt(3) == 0;
    target.flush();
    pair.runFor(20 * SECOND);

    assertThat(client.count(CounterId.NIDS_REFUSED)).isEqualTo(1);
    pair.loss = f -> false;
    tell(initiator, nids); // all were forgotten
    assertThat(client.count(CounterId.NIDS_REFUSED)).isEqualTo(1);
  }

  @Test
  void shouldTakeOnlyTheVersionThatFollowsTheLast() {
    connected("b", "c");
    PeerPaths paths = initiator.connection.peerPaths;
    long refused = client.count(CounterId.NIDS_REFUSED);
    paths.onChange(true, 2, "10.9.0.1:53", pair.nowNs);
    assertThat(client.count(CounterId.NIDS_REFUSED)).isEqualTo(refused + 1);
    paths.onChange(true, 1, "10.9.0.1:53", pair.nowNs);
    assertThat(client.count(CounterId.NIDS_REFUSED)).isEqualTo(refused + 1);
    paths.onChange(true, 1, "10.9.0.2:53", pair.nowNs);
    assertThat(client.count(CounterId.NIDS_REFUSED)).isEqualTo(refused + 2);
    paths.onChange(false, 2, "10.9.0.1:53", pair.nowNs);
    assertThat(client.count(CounterId.NIDS_REFUSED)).isEqualTo(refused + 2);
    paths.onChange(false, 3, "10.9.0.1:53", pair.nowNs);
    assertThat(client.count(CounterId.NIDS_REFUSED)).isEqualTo(refused + 3);
    paths.onChange(true, 4, "no NID", pair.nowNs);
    assertThat(client.count(CounterId.NIDS_REFUSED)).isEqualTo(refused + 4);
  }

  @Test
  void shouldNotTakeWhatAnInitiatorTells() {
    connected("b", "c");
    Peer target = server.accepted.get(0);
    Nid nid = victims(0, 1).get(0);
    assertThat(initiator.connection.tellNi(true, nid, pair.nowNs)).isFalse();
    target.connection.peerPaths.onChange(true, 1, nid.toString(), pair.nowNs);
    pair.runFor(SECOND);

    assertThat(server.count(CounterId.NIDS_REFUSED)).isEqualTo(1);
    assertThat(challenged).isEmpty();
  }

  @Test
  void shouldCloseNoLastPathThoughItsInterfaceIsRemoved() {
    connected("b", "b");
    PeerPaths paths = initiator.connection.peerPaths;
    paths.close(0, pair.nowNs);
    paths.onChange(false, 1, new Nid(SERVER_2, "b").toString(), pair.nowNs);

    assertThat(initiator.connection.openPaths()).isEqualTo(0b10);
  }

  @Test
  void shouldKeepThirtyTwoChangesWaitingAndNoMore() {
    connected("b", "c");
    Connection target = server.accepted.get(0).connection;
    Nid nid = victims(0, 1).get(0);
    for (int i = 0; i < 32; i++) {
      assertThat(target.tellNi(i % 2 == 0, nid, pair.nowNs)).isTrue();
    }
    assertThat(target.tellNi(true, nid, pair.nowNs)).isFalse();
    server.accepted.get(0).flush();
    pair.runFor(SECOND);
    assertThat(target.tellNi(true, nid, pair.nowNs)).isTrue();
  }

  @Test
  void shouldTellByAddNiWhatDoesNotFitIntoAnAccept() {
    server = pair.host();
    client = pair.host();
    for (int i = 0; i < 10; i++) {
      server.ni(Knocks.address(0x0A63_6301 + i, 10_000), "network-of-many.");
    }
    client.ni(CLIENT_2, "network-of-many.");
    server.listen();
    initiator = client.connect(server, CONFIG);
    pair.runFor(SECOND);

    assertThat(Integer.bitCount(initiator.connection.openPaths())).isEqualTo(8);
    assertThat(server.count(CounterId.PACKETS_NUMBERED_SENT)).isGreaterThanOrEqualTo(2);
    assertThat(client.count(CounterId.NIDS_REFUSED)).isZero();
  }

  @Test
  void shouldTellWhatFitsIntoAnAccept() {
    server = pair.host();
    assertThat(ToldNids.of(server.acceptConfig.nids()).inAccept()).isNull();
    for (int i = 0; i < 10; i++) {
      server.ni(Knocks.address(0x0A63_6363, 10_000 + i), "network-of-many.");
    }
    String told =
        new String(ToldNids.of(server.acceptConfig.nids()).inAccept(), StandardCharsets.US_ASCII);

    assertThat(Nid.parseList(told)).hasSize(7).doesNotContainNull();
    assertThat(told.length()).isBetween(220, 256);
  }

  @Test
  void shouldHaveAsManyInterfacesAsAllowedAndNoMore() {
    Endpoint endpoint = pair.host().node.endpoint();
    endpoint.localNis(Collections.nCopies(Limits.LOCAL_NIS_MAX, LocalNi.UNNAMED));
    List<LocalNi> more = Collections.nCopies(Limits.LOCAL_NIS_MAX + 1, LocalNi.UNNAMED);
    assertThatThrownBy(() -> endpoint.localNis(more)).hasMessageContaining("valid: 1..16");
    assertThatThrownBy(() -> endpoint.localNis(List.of())).hasMessageContaining("valid: 1..16");
  }
}
