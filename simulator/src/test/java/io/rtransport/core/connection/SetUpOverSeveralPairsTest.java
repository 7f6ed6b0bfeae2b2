package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Flying;
import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.AcceptFlyweight;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.ConnectFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.TlvId;
import io.rtransport.core.wire.TlvReader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Set-up over any of several pairs, and strangers who would have data sent to a third party. */
class SetUpOverSeveralPairsTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final ConnectionConfig CONFIG = ConnectionConfig.builder().build();
  private static final InetSocketAddress VICTIM = Knocks.address(0x0A09_0009, 53);

  /** Demands a token of everybody. */
  private static final EndpointConfig DEMANDING = new EndpointConfig(0, 1_024, 64, 0, 64);

  private final EndpointPair pair = new EndpointPair();
  private Host server;
  private Host client;
  private Peer initiator;
  private Peer target;

  /** Two hosts with {@code count} interfaces each, one network after the other. */
  private void hosts(int count, EndpointConfig serverConfig) {
    server = pair.host(serverConfig);
    client = pair.host();
    for (int i = 1; i < count; i++) {
      server.ni(Knocks.address(0x0A00_0001 | i << 16, 7_400), "n" + i);
      client.ni(Knocks.address(0x0A00_0002 | i << 16, 7_401), "n" + i);
    }
    server.listen();
  }

  private void connect(int count) {
    Pair[] pairs = new Pair[count];
    for (int i = 0; i < count; i++) {
      pairs[i] = new Pair(i, server.address(i));
    }
    initiator = client.connect(CONFIG, pairs);
  }

  private void afterwards() {
    target = server.accepted.get(0);
  }

  private List<Flying> seenBy(Host to, int type) {
    return pair.seen.stream().filter(f -> f.to() == to && f.type() == type).toList();
  }

  @Test
  void shouldSendConnectOverEveryPairWithAnAttemptNumberOfItsOwn() {
    hosts(3, EndpointConfig.ofLoop(0));
    pair.loss = f -> true;
    connect(3);
    pair.runFor(150 * MS);

    List<Flying> connects = seenBy(server, PacketType.CONNECT);
    assertThat(connects.stream().map(Flying::ni)).containsExactly(0, 1, 2, 0, 1, 2);
    assertThat(connects.stream().map(f -> connect(f).attempt())).containsExactly(0, 1, 2, 3, 4, 5);
    assertThat(connects.stream().map(f -> connect(f).nonce()).distinct()).hasSize(1);
  }

  private static ConnectFlyweight connect(Flying flying) {
    return new ConnectFlyweight().wrap(ByteBuffer.wrap(flying.bytes()), 0);
  }

  @Test
  void shouldMakeOneConnectionWithAllPairs() {
    hosts(3, EndpointConfig.ofLoop(0));
    connect(3);
    pair.runFor(SECOND);
    afterwards();

    assertThat(server.accepted).hasSize(1);
    assertThat(server.node.size()).isEqualTo(1);
    assertThat(initiator.connection.openPaths()).isEqualTo(0b111);
    assertThat(target.connection.openPaths()).isEqualTo(0b111);
    initiator.push(100_000);
    pair.runFor(SECOND);
    assertThat(initiator.ends).containsExactly(Outcome.COMPLETED);
    assertThat(server.count(CounterId.PATHS_MOVED) + client.count(CounterId.PATHS_MOVED)).isZero();
  }

  @Test
  void shouldConnectOverAnyPairThatWorks() {
    for (int working = 0; working < 3; working++) {
      int only = working;
      pair.hosts.clear();
      hosts(3, EndpointConfig.ofLoop(0));
      pair.loss = f -> f.ni() != only;
      connect(3);
      pair.runFor(SECOND);
      afterwards();

      assertThat(initiator.connection.remote()).isEqualTo(server.address(only));
      assertThat(initiator.connection.ni(0)).isEqualTo(only);
      assertThat(target.connection.remote()).isEqualTo(client.address(only));
      assertThat(target.connection.ni(0)).isEqualTo(only);
      initiator.push(10);
      pair.runFor(SECOND);
      assertThat(initiator.ends).containsExactly(Outcome.COMPLETED);
      pair.loss = f -> false;
      target.isAcknowledging = false;
      initiator.push(10); // it has something to do: the dark pairs are asked again
      pair.runFor(3 * SECOND);
      assertThat(initiator.connection.openPaths()).isEqualTo(0b111);
      assertThat(target.connection.openPaths()).isEqualTo(0b111);
    }
  }

  @Test
  void shouldGiveUpWhenNoPairWorks() {
    hosts(2, EndpointConfig.ofLoop(0));
    pair.loss = f -> true;
    connect(2);
    pair.runFor(10 * SECOND);

    assertThat(initiator.reason.code()).isEqualTo(CloseCode.CONNECT_TIMEOUT.code());
    assertThat(client.node.size()).isZero();
  }

  @Test
  void shouldTakeTheRoundTripOfThePairThatWasConfirmed() {
    hosts(2, EndpointConfig.ofLoop(0));
    pair.loss = f -> f.ni() == 0;
    connect(2);
    pair.runFor(10 * MS);
    afterwards();

    assertThat(initiator.connection.window().path(0).smoothedRttNs())
        .isEqualTo(2 * EndpointPair.DELAY_NS);
    assertThat(target.connection.window().path(0).smoothedRttNs())
        .isEqualTo(2 * EndpointPair.DELAY_NS);
  }

  @Test
  void shouldGiveEachSourceACookieOfItsOwnAndTheSameIdToAll() {
    hosts(3, EndpointConfig.ofLoop(0));
    connect(3);
    pair.runFor(SECOND);

    Set<Long> cookies = new HashSet<>();
    Set<Integer> ids = new HashSet<>();
    for (Flying accept : seenBy(client, PacketType.ACCEPT)) {
      AcceptFlyweight read = new AcceptFlyweight().wrap(ByteBuffer.wrap(accept.bytes()), 0);
      cookies.add(read.cookie());
      ids.add(read.sourceCid());
    }
    assertThat(cookies).hasSize(3);
    assertThat(ids).hasSize(1);
  }

  @Test
  void shouldTakeTheAddressOfTheCookieAndNotThatOfThePacket() {
    hosts(1, EndpointConfig.ofLoop(0));
    List<byte[]> toVictim = new ArrayList<>();
    pair.nowhere = (to, bytes) -> toVictim.add(bytes);
    byte[][] connect = new byte[1][];
    pair.loss =
        f -> {
          connect[0] = f.type() == PacketType.CONNECT ? f.bytes().clone() : connect[0];
          return f.type() == PacketType.ACK && server.accepted.isEmpty();
        };
    connect(1);
    pair.forge(VICTIM, server, connect[0]); // a copy of the same CONNECT: the same handshake
    pair.runFor(MS);
    assertThat(toVictim).hasSize(1).allMatch(bytes -> bytes[1] == PacketType.ACCEPT);
    assertThat(toVictim.get(0).length).isLessThanOrEqualTo(3 * connect[0].length);
    pair.loss = f -> false;
    pair.runFor(SECOND);
    afterwards();

    assertThat(target.connection.remote()).isEqualTo(client.address);
    child(100_000);
    assertThat(toVictim).hasSize(1);
  }

  /** The target sends {@code length} bytes to its peer. */
  private void child(int length) {
    target.push(length);
    pair.runFor(SECOND);
    assertThat(target.ends).containsExactly(Outcome.COMPLETED);
  }

  @Test
  void shouldNotSendToAForgedSourceThoughAPacketWithTheCookieComesFromThere() {
    hosts(1, EndpointConfig.ofLoop(0));
    List<byte[]> toVictim = new ArrayList<>();
    pair.nowhere = (to, bytes) -> toVictim.add(bytes);
    byte[][] ack = new byte[1][];
    pair.loss =
        f -> {
          boolean isConfirmation = f.to() == server && f.type() == PacketType.ACK && ack[0] == null;
          ack[0] = isConfirmation ? f.bytes() : ack[0];
          return isConfirmation;
        };
    connect(1);
    pair.runFor(MS);
    pair.forge(VICTIM, server, ack[0]);
    pair.runFor(MS);
    afterwards();
    assertThat(target.connection.remote()).isEqualTo(client.address);
    child(100_000);
    pair.runFor(10 * SECOND);

    int sum = toVictim.stream().mapToInt(bytes -> bytes.length).sum();
    assertThat(toVictim).allMatch(bytes -> bytes[1] == PacketType.PATH_CHALLENGE);
    assertThat(sum).isLessThanOrEqualTo(3 * ack[0].length);
  }

  @Test
  void shouldAnswerEightSourcesOfAHandshakeAndNoNinth() {
    hosts(1, EndpointConfig.ofLoop(0));
    Map<InetSocketAddress, Integer> answered = new HashMap<>();
    pair.nowhere = (to, bytes) -> answered.merge(to, 1, Integer::sum);
    byte[][] connect = new byte[1][];
    pair.loss =
        f -> {
          connect[0] = f.type() == PacketType.CONNECT ? f.bytes() : connect[0];
          return true;
        };
    connect(1);
    for (int i = 0; i < 8; i++) {
      pair.forge(Knocks.address(0x0A09_0000 | i, 53), server, connect[0]);
    }
    pair.runFor(MS);
    assertThat(answered).hasSize(8);
    assertThat(server.count(CounterId.HALF_OPENS_REFUSED)).isZero();
    pair.forge(VICTIM, server, connect[0]);
    pair.forge(Knocks.address(0x0A09_0000, 53), server, connect[0]);
    pair.runFor(MS);

    assertThat(answered).hasSize(8).doesNotContainKey(VICTIM);
    assertThat(answered.get(Knocks.address(0x0A09_0000, 53))).isEqualTo(2);
    assertThat(server.count(CounterId.HALF_OPENS_REFUSED)).isEqualTo(1);
    assertThat(server.node.size()).isEqualTo(1);
  }

  @Test
  void shouldKeepATokenForThePairThatItsRetryCameBy() {
    hosts(2, DEMANDING);
    connect(2);
    pair.runFor(SECOND);
    afterwards();

    Map<Integer, Set<ByteBuffer>> tokens = new HashMap<>();
    for (Flying flying : seenBy(server, PacketType.CONNECT)) {
      ConnectFlyweight connect = connect(flying);
      TlvReader tlvs =
          new TlvReader()
              .wrap(ByteBuffer.wrap(flying.bytes()), connect.tlvOffset(), connect.tlvLength());
      if (tlvs.find(TlvId.TOKEN)) {
        byte[] token = new byte[tlvs.length()];
        ByteBuffer.wrap(flying.bytes()).get(tlvs.valueOffset(), token);
        tokens.computeIfAbsent(flying.ni(), ni -> new HashSet<>()).add(ByteBuffer.wrap(token));
      }
    }
    assertThat(server.count(CounterId.RETRIES_SENT)).isEqualTo(2);
    assertThat(tokens).containsOnlyKeys(0, 1);
    assertThat(tokens.get(0)).hasSize(1).isNotEqualTo(tokens.get(1));
    assertThat(initiator.connection.openPaths()).isEqualTo(0b11);
    assertThat(target.connection.openPaths()).isEqualTo(0b11);
  }

  @Test
  void shouldConnectWithATokenOverTheSecondPairAlone() {
    hosts(2, DEMANDING);
    pair.loss = f -> f.ni() == 0;
    connect(2);
    pair.runFor(SECOND);
    afterwards();

    assertThat(initiator.connection.remote()).isEqualTo(server.address(1));
    assertThat(target.connection.remote()).isEqualTo(client.address(1));
  }

  @Test
  void shouldTakeOneRetryOfEachPairAndNoSecond() {
    hosts(2, DEMANDING);
    pair.loss = f -> f.type() == PacketType.ACCEPT;
    connect(2);
    pair.runFor(MS);
    long sent = client.count(CounterId.CONNECTS_SENT);
    assertThat(sent).isEqualTo(4);
    assertThat(client.count(CounterId.DROP_STATE)).isZero();
    for (Flying retry : seenBy(client, PacketType.RETRY)) {
      pair.forge(retry.from(), client, retry.ni(), retry.bytes());
    }
    pair.runFor(MS);

    assertThat(client.count(CounterId.CONNECTS_SENT)).isEqualTo(sent);
    assertThat(client.count(CounterId.DROP_STATE)).isEqualTo(2);
  }

  @Test
  void shouldMakeNoSecondHandshakeOfAConnectThatComesLateByAnotherPair() {
    hosts(2, EndpointConfig.ofLoop(0));
    List<Flying> late = new ArrayList<>();
    pair.loss =
        f -> f.to() == server && f.ni() == 1 && f.type() == PacketType.CONNECT && late.add(f);
    connect(2);
    pair.runFor(MS);
    assertThat(server.accepted).hasSize(1);
    server.accepted.get(0).connection.peerPaths.close(1, pair.nowNs); // it is not known by this yet
    pair.forge(late.get(0).from(), server, 1, late.get(0).bytes());
    pair.runFor(MS);

    assertThat(server.node.size()).isEqualTo(1);
    assertThat(server.count(CounterId.DROP_STATE)).isEqualTo(1);
  }

  @Test
  void shouldRefuseAnAnswerFromAPairThatItDidNotAsk() {
    hosts(2, EndpointConfig.ofLoop(0));
    pair.loss = f -> f.to() == client;
    connect(2);
    pair.runFor(MS);
    Flying accept = seenBy(client, PacketType.ACCEPT).get(1);
    pair.forge(accept.from(), client, 0, accept.bytes()); // by the other interface
    pair.forge(VICTIM, client, 1, accept.bytes());
    pair.runFor(MS);
    assertThat(client.count(CounterId.DROP_SOURCE)).isEqualTo(2);
    assertThat(initiator.connection.isEstablished()).isFalse();
    pair.forge(accept.from(), client, 1, accept.bytes());
    pair.runFor(MS);

    assertThat(initiator.connection.isEstablished()).isTrue();
    assertThat(initiator.connection.remote()).isEqualTo(server.address(1));
    assertThat(new ClearHeaderFlyweight().wrap(ByteBuffer.wrap(accept.bytes()), 0).destinationCid())
        .isEqualTo(initiator.connection.cid());
  }
}
