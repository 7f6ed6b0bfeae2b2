package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.connection.EndpointPair.Flying;
import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.PathDataFlyweight;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Several paths in one connection: how they are opened, moved and closed, and what they carry. */
class PathsTest extends TwoPaths {
  private static final InetSocketAddress NEW_PORT = Knocks.address(0x0A01_0002, 9_999);
  private static final InetSocketAddress STRANGE = Knocks.address(0x0A00_0009, 7);
  private static final Predicate<Flying> NOTHING = flying -> false;

  private final Knocks knocks = new Knocks(1);

  @Test
  void shouldOpenTheSecondPairOnBothSides() {
    connected();

    assertThat(initiator.connection.openPaths()).isEqualTo(0b11);
    assertThat(target.connection.openPaths()).isEqualTo(0b11);
    assertThat(initiator.connection.remote(1)).isEqualTo(SERVER_2);
    assertThat(initiator.connection.ni(1)).isEqualTo(1);
    assertThat(target.connection.remote(1)).isEqualTo(CLIENT_2);
    assertThat(target.connection.ni(1)).isEqualTo(1);
    for (Peer peer : List.of(initiator, target)) {
      assertThat(peer.connection.peerPaths.path(1).id()).isEqualTo(1);
      assertThat(peer.connection.peerPaths.path(0).counterpart()).isZero();
      assertThat(peer.host.count(CounterId.PATHS_OPENED)).isEqualTo(1);
      assertThat(peer.host.count(CounterId.PATHS_MOVED)).isZero();
    }
    // The target has it from the response, the initiator from the first packet that says it.
    assertThat(target.connection.peerPaths.path(1).counterpart()).isEqualTo(1);
    target.push(10);
    pair.runFor(10 * MS);
    assertThat(initiator.connection.peerPaths.path(1).counterpart()).isEqualTo(1);
  }

  @Test
  void shouldOpenWithinAFewRoundTrips() {
    hosts();
    connect();
    pair.runFor(10 * MS);

    assertThat(initiator.connection.openPaths()).isEqualTo(0b11);
    assertThat(server.accepted.get(0).connection.openPaths()).isEqualTo(0b11);
  }

  @Test
  void shouldPadTheChallengeThatOpensAndAnswerWithNoMoreThanCame() {
    connected();

    assertThat(seenBy(server, PacketType.PATH_CHALLENGE)).hasSize(1);
    assertThat(seenBy(server, PacketType.PATH_CHALLENGE).get(0).bytes()).hasSize(64);
    assertThat(pair.seen.stream().filter(f -> f.type() == PacketType.PATH_RESPONSE))
        .isNotEmpty()
        .allMatch(f -> f.bytes().length == 32);
    assertThat(seenBy(client, PacketType.PATH_CHALLENGE))
        .isNotEmpty()
        .allMatch(f -> f.bytes().length == 32);
  }

  @Test
  void shouldHaveOnePathWithAPeerThatKnowsNoRails() {
    pair.hasRails = false;
    connected();

    assertThat(initiator.connection.openPaths()).isEqualTo(1);
    assertThat(target.connection.openPaths()).isEqualTo(1);
    assertThat(pair.seen).noneMatch(f -> f.bytes().length == 64);
    assertThat(client.count(CounterId.PATHS_MOVED) + server.count(CounterId.PATHS_MOVED)).isZero();
  }

  @Test
  void shouldTellNoMoreInAResponseToAShortChallenge() {
    connected();
    List<byte[]> answers = new ArrayList<>();
    pair.nowhere = (to, bytes) -> answers.add(bytes);
    Connection connection = target.connection;
    for (int length : new int[] {28, 31, 32, 64}) {
      pair.forge(
          STRANGE, server, knocks.challenge(connection.cid(), connection.cookie(), 1, length));
      pair.runFor(MS);
    }

    assertThat(answers.stream().filter(b -> b[1] == PacketType.PATH_RESPONSE).map(b -> b.length))
        .containsExactly(28, 28, 32, 32);
  }

  @Test
  void shouldSendNoMoreThanThreeTimesWhatCame() {
    connected();
    int[] out = {0};
    pair.nowhere = (to, bytes) -> out[0] += bytes.length;
    byte[] ping = knocks.ping(target.connection.cid(), target.connection.cookie());
    pair.forge(STRANGE, server, ping);
    pair.runFor(10 * SECOND);

    assertThat(out[0]).isGreaterThan(ping.length).isLessThanOrEqualTo(3 * ping.length);
  }

  @Test
  void shouldSendNoMoreThanThreeTimesWhatCameResponsesIncluded() {
    connected();
    int[] out = {0};
    pair.nowhere = (to, bytes) -> out[0] += bytes.length;
    Connection connection = target.connection;
    pair.forge(STRANGE, server, knocks.challenge(connection.cid(), connection.cookie(), 1, 32));
    pair.runFor(10 * SECOND);

    assertThat(out[0]).isEqualTo(3 * 32);
  }

  @Test
  void shouldMovePathOneWhilePathZeroStays() {
    connected();
    client.moreAddresses.set(0, NEW_PORT);
    initiator.connection.ping(5, 1, pair.nowNs); // the window would use the path
    initiator.flush();
    pair.runFor(SECOND);

    assertThat(target.connection.openPaths()).isEqualTo(0b11);
    assertThat(target.connection.remote(0)).isEqualTo(client.address);
    assertThat(target.connection.remote(1)).isEqualTo(NEW_PORT);
    assertThat(server.count(CounterId.PATHS_MOVED)).isEqualTo(1);
    assertThat(server.count(CounterId.PATHS_OPENED)).isEqualTo(1);
    assertThat(server.count(CounterId.PATH_RESPONSES_REFUSED)).isZero();
  }

  @Test
  void shouldMovePathZeroWhilePathOneStays() {
    connected();
    client.address = NEW_PORT;
    initiator.push(10);
    pair.runFor(SECOND);

    assertThat(target.connection.remote(0)).isEqualTo(NEW_PORT);
    assertThat(target.connection.remote(1)).isEqualTo(CLIENT_2);
    assertThat(initiator.ends).containsExactly(Outcome.COMPLETED);
  }

  @Test
  void shouldNotTakeTheChallengeOfAPairThatIsBeingOpenedForAMove() {
    // The target's challenge overtakes its response, so that the initiator has no path to name.
    hosts();
    List<Flying> held = new ArrayList<>();
    pair.loss =
        f ->
            f.to() == client
                && f.type() == PacketType.PATH_RESPONSE
                && held.isEmpty()
                && held.add(f);
    connect();
    pair.runFor(10 * MS);
    assertThat(server.count(CounterId.PATHS_MOVED)).isZero();
    assertThat(server.count(CounterId.PATH_RESPONSES_REFUSED)).isEqualTo(1);
    assertThat(server.accepted.get(0).connection.remote()).isEqualTo(client.address);
    pair.runFor(SECOND);

    assertThat(initiator.connection.openPaths()).isEqualTo(0b11);
    assertThat(server.accepted.get(0).connection.openPaths()).isEqualTo(0b11);
  }

  @Test
  void shouldOpenEightPathsAndNoNinth() {
    connected();
    PeerPaths paths = target.connection.peerPaths;
    for (int i = 2; i < Limits.PATHS_MAX; i++) {
      assertThat(paths.open(elsewhere(i), i, pair.nowNs)).isTrue();
    }
    assertThat(server.count(CounterId.PATHS_REFUSED)).isZero();
    assertThat(paths.open(elsewhere(8), 8, pair.nowNs)).isFalse();
    assertThat(server.count(CounterId.PATHS_REFUSED)).isEqualTo(1);
    assertThat(target.connection.openPaths()).isEqualTo(0xFF);
  }

  @Test
  void shouldUseEachPathIdOnceAndOpenNoneAfterTheLast() {
    connected();
    PeerPaths paths = target.connection.peerPaths;
    for (int id = 2; id <= 255; id++) {
      assertThat(paths.open(elsewhere(id), id, pair.nowNs)).isTrue();
      assertThat(paths.path(2).id()).isEqualTo(id);
      paths.close(2, pair.nowNs);
      target.flush();
    }
    assertThat(paths.open(elsewhere(256), 7, pair.nowNs)).isFalse();
    assertThat(server.count(CounterId.PATHS_REFUSED)).isEqualTo(1);
    assertThat(server.count(CounterId.PATHS_CLOSED)).isEqualTo(254);
  }

  @Test
  void shouldCloseAnyPathButTheLast() {
    connected();
    PeerPaths paths = target.connection.peerPaths;
    paths.close(0, pair.nowNs);
    assertThat(target.connection.openPaths()).isEqualTo(0b10);
    assertThat(target.connection.remote()).isEqualTo(CLIENT_2);
    paths.close(1, pair.nowNs);
    assertThat(target.connection.openPaths()).isEqualTo(0b10);
    assertThat(paths.inTurn(0)).isEqualTo(1);
    assertThat(paths.inTurn(1)).isEqualTo(1);
  }

  @Test
  void shouldUseTheIndexOfPathZeroAgainUnderANewId() {
    connected();
    PeerPaths paths = target.connection.peerPaths;
    paths.close(0, pair.nowNs);
    assertThat(paths.open(elsewhere(3), 3, pair.nowNs)).isTrue();

    assertThat(paths.path(0).id()).isEqualTo(2);
    assertThat(target.connection.remote(0)).isEqualTo(elsewhere(3).remote());
    assertThat(target.connection.peerPaths.stateOf(0, client.address, pair.nowNs))
        .isEqualTo(PairState.UNKNOWN);
    target.push(10); // its sublayers are made anew
    pair.runFor(MS);
    assertThat(target.connection.openPaths() & 0b11).isEqualTo(0b11);
  }

  @Test
  void shouldTakeTheOpenPathsInTurn() {
    connected();
    PeerPaths paths = target.connection.peerPaths;
    paths.open(elsewhere(2), 2, pair.nowNs);
    paths.open(elsewhere(3), 3, pair.nowNs);
    paths.close(2, pair.nowNs);

    assertThat(List.of(0, 1, 2, 3, 4).stream().map(paths::inTurn)).containsExactly(0, 1, 3, 0, 1);
  }

  private static Pair elsewhere(int n) {
    return new Pair(0, Knocks.address(0x0A02_0000 | n, 7));
  }

  @Test
  void shouldAskThreeTimesWhileThereIsNothingToDoAndOnAndOnWhileThereIs() {
    hosts();
    pair.loss = f -> isOver(f, 1);
    connect();
    pair.runFor(10 * SECOND);
    assertThat(client.count(CounterId.PATH_CHALLENGES_SENT)).isEqualTo(3);
    target = server.accepted.get(0);
    target.isAcknowledging = false;
    initiator.push(10);
    pair.runFor(10 * SECOND);
    assertThat(client.count(CounterId.PATH_CHALLENGES_SENT)).isGreaterThan(10);
    pair.loss = NOTHING;
    pair.runFor(2 * SECOND);

    assertThat(initiator.connection.openPaths()).isEqualTo(0b11);
    assertThat(target.connection.openPaths()).isEqualTo(0b11);
  }

  @Test
  void shouldFindTheConnectionByTheAddressOfAnyOpenPathWhenAResetComes() {
    connected();
    Connection connection = target.connection;
    byte[] reset = reset(connection.peerCid(), connection.peerCookie());
    pair.forge(STRANGE, server, reset);
    pair.runFor(MS);
    assertThat(target.reason).isNull();
    pair.forge(CLIENT_2, server, reset);
    pair.runFor(MS);

    assertThat(target.reason.code()).isEqualTo(CloseCode.RESET.code());
    assertThat(server.node.size()).isZero();
  }

  @Test
  void shouldNotFindTheConnectionByAnAddressThatItHasLeft() {
    connected();
    Connection connection = target.connection;
    connection.peerPaths.close(1, pair.nowNs);
    pair.forge(CLIENT_2, server, reset(connection.peerCid(), connection.peerCookie()));
    pair.runFor(MS);
    assertThat(target.reason).isNull();
    pair.forge(client.address, server, reset(connection.peerCid(), connection.peerCookie()));
    pair.runFor(MS);

    assertThat(target.reason.code()).isEqualTo(CloseCode.RESET.code());
  }

  private byte[] reset(int cid, long cookie) {
    ByteBuffer packet = ByteBuffer.allocate(32).put((byte) 1).put((byte) PacketType.RESET);
    packet.putShort((short) 32).position(16).putInt(cid).putLong(cookie);
    return Knocks.sealed(packet.array());
  }

  @Test
  void shouldEndTheConnectionOfADeadIncarnationThatHadAnOpenPathToTheAddress() {
    connected();
    pair.runFor(SECOND);
    Host again = pair.restart(client);
    again.address = CLIENT_2; // and reaches the server from there
    again.connect(server, CONFIG);
    pair.runFor(SECOND);

    assertThat(target.reason.code()).isEqualTo(CloseCode.PEER_RESTARTED.code());
  }

  @Test
  void shouldRepeatCloseOnAnotherPathWhenTheBestIsDead() {
    connected();
    pair.loss = f -> isOver(f, 0) && !PacketType.isNumbered(f.type()) && f.type() != PacketType.ACK;
    initiator.close(0, "");
    pair.runFor(2 * SECOND);

    assertThat(initiator.reason.isNormal()).isTrue();
    assertThat(target.reason.isNormal()).isTrue();
    assertThat(seenBy(server, PacketType.CLOSE).stream().map(Flying::ni)).startsWith(0, 1);
    assertThat(seenBy(client, PacketType.CLOSE_ACK).stream().map(Flying::ni)).startsWith(1);
  }

  @Test
  void shouldAskForLifeOnAnotherPathAtEachRepetition() {
    connected();
    target.isAcknowledging = false;
    initiator.push(10);
    pair.runFor(10 * MS);
    pair.seen.clear();
    pair.loss = f -> isOver(f, 0);
    pair.runFor(20 * SECOND);

    assertThat(pair.seen.stream().filter(f -> f.type() == PacketType.PING).map(Flying::ni))
        .startsWith(0)
        .contains(1);
    assertThat(pair.seen.stream().filter(f -> f.type() == PacketType.PONG).map(Flying::ni))
        .isNotEmpty()
        .containsOnly(1);
    assertThat(initiator.reason).isNull();
    assertThat(target.reason).isNull();
  }

  @Test
  void shouldAnswerAPingOnItsOwnPath() {
    connected();
    for (int index = 0; index < 2; index++) {
      pair.seen.clear();
      initiator.connection.ping(7, index, pair.nowNs);
      initiator.flush();
      pair.runFor(MS);
      assertThat(seenBy(client, PacketType.PONG).stream().map(Flying::ni)).containsExactly(index);
    }
  }

  @Test
  void shouldLearnTheCounterpartFromAPacketUnlessAnotherPathHasIt() {
    connected();
    PeerPaths paths = target.connection.peerPaths;
    InetSocketAddress third = elsewhere(3).remote();
    paths.open(elsewhere(3), OpenPath.UNKNOWN_ID, pair.nowNs);
    pair.forge(third, server, ping(1));
    pair.runFor(MS);
    assertThat(paths.path(2).counterpart()).isEqualTo(OpenPath.UNKNOWN_ID);
    pair.forge(third, server, ping(9));
    pair.runFor(MS);
    assertThat(paths.path(2).counterpart()).isEqualTo(9);
    pair.forge(third, server, ping(10));
    pair.runFor(MS);
    assertThat(paths.path(2).counterpart()).isEqualTo(9);
  }

  private byte[] ping(int pathId) {
    byte[] ping = knocks.ping(target.connection.cid(), target.connection.cookie());
    ping[20] = (byte) pathId;
    return Knocks.sealed(ping);
  }

  @Test
  void shouldDropAResponseThatAnswersNoChallengeOfAPairThatIsOpened() {
    hosts();
    pair.loss = f -> isOver(f, 1);
    connect();
    pair.runFor(50 * MS);
    Connection connection = initiator.connection;
    long data =
        new PathDataFlyweight()
            .wrap(ByteBuffer.wrap(seenBy(server, PacketType.PATH_CHALLENGE).get(0).bytes()), 0)
            .data();
    byte[] wrong = knocks.response(connection.cid(), connection.cookie(), data ^ 1, -1);
    byte[] right = knocks.response(connection.cid(), connection.cookie(), data, -1);
    pair.forge(SERVER_2, client, 1, wrong);
    pair.forge(SERVER_2, client, 0, right); // by another interface than its challenge
    pair.forge(STRANGE, client, 1, right);
    pair.runFor(MS);
    assertThat(client.count(CounterId.PATH_RESPONSES_REFUSED)).isEqualTo(3);
    assertThat(connection.openPaths()).isEqualTo(1);
    pair.forge(SERVER_2, client, 1, right);
    pair.runFor(MS);
    assertThat(connection.openPaths()).isEqualTo(0b11);
  }

  @Test
  void shouldCheckThePairsThatItIsGiven() {
    hosts();
    List<Pair> nine = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      nine.add(elsewhere(i));
    }
    assertThat(client.node.connect(CONFIG, nine.subList(0, 8), pair.nowNs)).isNotNull();
    assertThatThrownBy(() -> client.node.connect(CONFIG, nine, pair.nowNs))
        .hasMessageContaining("valid: 1..8");
    assertThatThrownBy(() -> client.node.connect(CONFIG, List.of(), pair.nowNs))
        .hasMessageContaining("valid: 1..8");
    assertThatThrownBy(
            () -> client.node.connect(CONFIG, List.of(new Pair(2, SERVER_2)), pair.nowNs))
        .hasMessageContaining("ni=2");
  }
}
