package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Flying;
import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.PathDataFlyweight;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A peer whose address changes, and strangers who pretend that it did. */
class PeerMoveTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final InetSocketAddress NEW_PORT = Knocks.address(0x7F00_0001, 9_999);
  private static final InetSocketAddress NEW_HOST = Knocks.address(0x7F00_0009, 9_999);
  private static final InetSocketAddress STRANGE = Knocks.address(0x0A00_0001, 7);

  private final EndpointPair pair = new EndpointPair();
  private final Knocks knocks = new Knocks(1);
  private Host server;
  private Peer client;
  private Peer child;

  /** Whether both sides know rails. */
  boolean hasRails() {
    return true;
  }

  private void connected() {
    pair.hasRails = hasRails();
    server = pair.host();
    server.listen();
    client = pair.host().connect(server, ConnectionConfig.builder().build());
    pair.runFor(SECOND);
    child = server.accepted.get(0);
  }

  @Test
  void shouldFollowThePeerToANewPortAndLoseNothing() {
    connected();
    client.host.address = NEW_PORT;
    client.push(100_000);
    pair.runFor(SECOND);

    assertThat(client.ends).containsExactly(Outcome.COMPLETED);
    assertThat(child.events).containsExactly("established", "delivered");
    assertThat(child.connection.remote()).isEqualTo(NEW_PORT);
    assertThat(child.moves).containsExactly(NEW_PORT);
    assertThat(server.count(CounterId.PATHS_MOVED)).isEqualTo(1);
    assertThat(server.count(CounterId.PATH_CHALLENGES_SENT)).isEqualTo(1);
    assertThat(client.host.count(CounterId.PATH_CHALLENGES_RECEIVED)).isEqualTo(1);
    assertThat(server.count(CounterId.DROP_SOURCE)).isZero();
  }

  @Test
  void shouldFindAPeerThatMovesWhileItOnlyWaitsForTheOthersLastWords() {
    connected();
    pair.loss = flying -> flying.to() == client.host;
    child.push(1_000);
    pair.runFor(MS);
    client.close(CloseCode.NORMAL.code(), "");
    pair.runFor(MS); // its FIN has arrived, and nothing of it is to be resent
    pair.loss = flying -> flying.to() == client.host && PacketType.isNumbered(flying.type());
    pair.runFor(10 * MS);
    client.host.address = NEW_PORT;
    pair.loss = flying -> false;
    pair.runFor(client.connection.config().closeTimeoutNs() / 2);

    assertThat(child.connection.remote()).isEqualTo(NEW_PORT);
    assertThat(client.reason.code()).isEqualTo(CloseCode.NORMAL.code());
    assertThat(child.ends).containsExactly(Outcome.NOT_EXECUTED);
  }

  @Test
  void shouldSendNothingButTheChallengeBeforeTheAnswerAndTheRestToTheOldAddress() {
    connected();
    List<Flying> leaving = new ArrayList<>();
    pair.loss =
        flying -> {
          leaving.add(flying);
          return flying.type() == PacketType.PATH_RESPONSE;
        };
    List<Integer> toOld = new ArrayList<>();
    pair.nowhere = (to, bytes) -> toOld.add(bytes[1] & 0x1F);
    InetSocketAddress old = client.host.address;
    client.host.address = NEW_PORT;
    client.push(100);
    pair.runFor(50 * MS);

    assertThat(child.events).containsExactly("established", "delivered");
    assertThat(child.connection.remote()).isEqualTo(old);
    assertThat(leaving.stream().filter(f -> f.from().equals(server.address)).map(Flying::type))
        .isNotEmpty()
        .containsOnly(PacketType.PATH_CHALLENGE);
    assertThat(toOld).isNotEmpty().doesNotContain(PacketType.PATH_CHALLENGE);
    pair.loss = flying -> false;
    pair.runFor(SECOND);
    assertThat(child.connection.remote()).isEqualTo(NEW_PORT);
    assertThat(client.ends).containsExactly(Outcome.COMPLETED);
  }

  @Test
  void shouldRepeatTheChallengeByItsTimerWhenOnePacketWasAllThatCame() {
    connected();
    client.host.address = NEW_PORT;
    pair.loss = flying -> flying.type() == PacketType.PATH_CHALLENGE && count(10) < 3;
    pair.forge(NEW_PORT, server, ping());
    pair.runFor(SECOND);

    assertThat(server.count(CounterId.PATH_CHALLENGES_SENT)).isEqualTo(3);
    assertThat(child.connection.remote()).isEqualTo(NEW_PORT);
  }

  @Test
  void shouldKeepThePathsStateBehindANewPortAndDropItBehindANewHost() {
    connected();
    client.push(1 << 20);
    pair.runFor(SECOND);
    child.push(1 << 20);
    pair.runFor(SECOND);
    long grown = window(child);
    client.host.address = NEW_PORT;
    client.push(10);
    pair.runFor(10 * MS);
    assertThat(child.connection.remote()).isEqualTo(NEW_PORT);
    assertThat(window(child)).isEqualTo(grown).isGreaterThan(64 * 1_408);

    client.host.address = NEW_HOST;
    client.push(10);
    pair.runFor(10 * MS);
    assertThat(child.connection.remote()).isEqualTo(NEW_HOST);
    assertThat(window(child)).isEqualTo(64 * 1_408);
  }

  @Test
  void shouldAnswerTheOldAddressWithoutAChallengeForThreeRtoAndChallengeItAfterwards() {
    connected();
    final InetSocketAddress old = client.host.address;
    client.host.address = NEW_PORT;
    client.push(10);
    long rtoNs = child.connection.window().retransmissionTimeoutNs();
    pair.runFor(MS);
    assertThat(server.count(CounterId.PATHS_MOVED)).isEqualTo(1);
    pair.forge(old, server, ping());
    pair.runFor(MS);
    assertThat(server.count(CounterId.PATH_CHALLENGES_SENT)).isEqualTo(1);
    pair.runFor(3 * rtoNs);
    pair.forge(old, server, ping());
    pair.runFor(MS);

    assertThat(server.count(CounterId.PATH_CHALLENGES_SENT)).isEqualTo(2);
    assertThat(child.connection.remote()).isEqualTo(NEW_PORT);
  }

  @Test
  void shouldNeverBeCapturedByAForgedAddress() {
    connected();
    final InetSocketAddress peer = child.connection.remote();
    List<byte[]> toStranger = new ArrayList<>();
    pair.nowhere = (to, bytes) -> toStranger.add(bytes);
    for (int i = 0; i < 100; i++) {
      pair.forge(STRANGE, server, ping());
      pair.forge(STRANGE, server, response(STRANGE.hashCode() + i));
      child.push(500);
      pair.runFor(10 * MS);
    }

    assertThat(child.connection.remote()).isEqualTo(peer);
    assertThat(toStranger)
        .isNotEmpty()
        .allMatch(bytes -> bytes[1] == PacketType.PATH_CHALLENGE)
        .hasSizeLessThan(20);
    assertThat(server.count(CounterId.PATH_RESPONSES_REFUSED)).isEqualTo(100);
    assertThat(server.count(CounterId.PATHS_MOVED)).isZero();
    assertThat(child.ends).hasSize(100).containsOnly(Outcome.COMPLETED);
  }

  @Test
  void shouldNotBelieveAResponseFromAnotherAddressThanTheChallenged() {
    connected();
    List<byte[]> challenges = new ArrayList<>();
    pair.nowhere = (to, bytes) -> challenges.add(bytes);
    pair.forge(STRANGE, server, ping());
    pair.runFor(MS);
    long data = new PathDataFlyweight().wrap(ByteBuffer.wrap(challenges.get(0)), 0).data();
    InetSocketAddress victim = Knocks.address(0x0A00_0002, 7);
    pair.forge(victim, server, response(data));
    pair.forge(STRANGE, server, response(data ^ 1));
    pair.runFor(MS);
    assertThat(server.count(CounterId.PATH_RESPONSES_REFUSED)).isEqualTo(2);
    assertThat(server.count(CounterId.PATHS_MOVED)).isZero();

    pair.forge(
        STRANGE, server, response(data)); // who holds the cookie and receives there is the peer
    pair.runFor(MS);
    assertThat(child.connection.remote()).isEqualTo(STRANGE);
  }

  @Test
  void shouldNotListenToAStrangerWithoutTheCookie() {
    connected();
    byte[] ping = knocks.ping(child.connection.cid(), child.connection.cookie() ^ 1);
    pair.forge(STRANGE, server, ping);
    pair.runFor(MS);

    assertThat(server.count(CounterId.DROP_SOURCE)).isEqualTo(1);
    assertThat(server.count(CounterId.PATH_CHALLENGES_SENT)).isZero();
  }

  @Test
  void shouldChallengeTheNextAddressOnceTheOldestHasHadTheTimeToAnswer() {
    connected();
    for (int i = 0; i < Limits.PATH_CANDIDATES_MAX; i++) {
      pair.forge(Knocks.address(0x0A00_0100 | i, 7), server, ping());
    }
    pair.runFor(1_500 * MS);
    assertThat(server.count(CounterId.PATH_CANDIDATES_EXPIRED)).isZero();
    pair.forge(STRANGE, server, ping());
    pair.runFor(MS);
    assertThat(server.count(CounterId.PATH_CANDIDATES_REFUSED)).isZero();
    assertThat(server.count(CounterId.PATH_CANDIDATES_EXPIRED)).isEqualTo(1);
  }

  @Test
  void shouldChallengeFourAddressesAtATimeAndForgetThemAfterThreeSeconds() {
    connected();
    for (int i = 0; i < Limits.PATH_CANDIDATES_MAX; i++) {
      pair.forge(Knocks.address(0x0A00_0100 | i, 7), server, ping());
    }
    pair.runFor(MS);
    assertThat(server.count(CounterId.PATH_CHALLENGES_SENT)).isEqualTo(4);
    assertThat(server.count(CounterId.PATH_CANDIDATES_REFUSED)).isZero();
    pair.forge(STRANGE, server, ping());
    pair.runFor(MS);
    assertThat(server.count(CounterId.PATH_CANDIDATES_REFUSED)).isEqualTo(1);

    pair.runFor(3 * SECOND);
    assertThat(server.count(CounterId.PATH_CANDIDATES_EXPIRED)).isEqualTo(4);
    client.host.address = NEW_PORT;
    client.push(10);
    pair.runFor(SECOND);
    assertThat(child.connection.remote()).isEqualTo(NEW_PORT);
  }

  @Test
  void shouldConfirmAHandshakeThoughTheInitiatorHasMovedMeanwhile() {
    pair.hasRails = hasRails();
    server = pair.host();
    server.listen();
    pair.loss = flying -> flying.type() == PacketType.ACK && client == null;
    Peer moving = pair.host().connect(server, ConnectionConfig.builder().build());
    pair.runFor(MS);
    assertThat(server.accepted).isEmpty();
    client = moving;
    client.host.address = NEW_PORT;
    client.push(10);
    pair.runFor(SECOND);

    assertThat(server.accepted.get(0).connection.remote()).isEqualTo(NEW_PORT);
    assertThat(client.ends).containsExactly(Outcome.COMPLETED);
  }

  @Test
  void shouldCloseAndLeaveNothingAfterAMove() {
    connected();
    client.host.address = NEW_PORT;
    client.push(10);
    pair.runFor(SECOND);
    client.host.address = NEW_HOST;
    client.close(0, "");
    pair.runFor(10 * SECOND);

    assertThat(client.reason.isNormal()).isTrue();
    assertThat(child.reason.isNormal()).isTrue();
    assertThat(server.node.size()).isZero();
    assertThat(client.host.node.size()).isZero();
  }

  @Test
  void shouldFindTheConnectionByItsNewAddressWhenAResetComes() {
    connected();
    client.host.address = NEW_PORT;
    client.push(10);
    pair.runFor(SECOND);
    pair.restart(client.host);
    child.push(10);
    pair.runFor(SECOND);

    assertThat(child.reason.code()).isEqualTo(CloseCode.RESET.code());
    assertThat(server.node.size()).isZero();
  }

  private byte[] ping() {
    return knocks.ping(child.connection.cid(), child.connection.cookie());
  }

  private byte[] response(long data) {
    int cid = child.connection.cid();
    long cookie = child.connection.cookie();
    return hasRails()
        ? knocks.response(cid, cookie, data, 0)
        : knocks.pathData(PacketType.PATH_RESPONSE, cid, cookie, data);
  }

  private static long window(Peer peer) {
    return peer.connection.window().path(0).congestion().windowBytes();
  }

  private long count(int type) {
    return pair.seen.stream().filter(flying -> flying.type() == type).count();
  }
}
