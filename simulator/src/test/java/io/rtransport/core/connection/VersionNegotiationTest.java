package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.ConnectFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.VersionNegotiationFlyweight;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a CONNECT of another version is told, and what a client believes of such an answer. */
class VersionNegotiationTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final InetSocketAddress ELSEWHERE = Knocks.address(0x0A00_0001, 9);

  private final EndpointPair pair = new EndpointPair();
  private final Knocks knocks = new Knocks(1);
  private final List<byte[]> answers = new ArrayList<>();

  private Host listening() {
    Host server = pair.host();
    server.listen();
    pair.nowhere = (to, bytes) -> answers.add(bytes);
    return server;
  }

  @Test
  void shouldTellAConnectOfAnotherVersionWhichOneIsSpoken() {
    Host server = listening();
    byte[] connect = knocks.connectOfVersion(2);
    pair.forge(ELSEWHERE, server, connect);
    pair.runFor(MS);

    assertThat(answers).hasSize(1);
    ByteBuffer answer = ByteBuffer.wrap(answers.get(0));
    ConnectFlyweight asked = new ConnectFlyweight().wrap(ByteBuffer.wrap(connect), 0);
    VersionNegotiationFlyweight told = new VersionNegotiationFlyweight().wrap(answer, 0);
    assertThat(answer.get(1)).isEqualTo((byte) PacketType.VERSION_NEGOTIATION);
    assertThat(answer.getInt(4)).isEqualTo(asked.sourceCid());
    assertThat(answer.getLong(8)).isEqualTo(asked.cookie());
    assertThat(told.nonce()).isEqualTo(asked.nonce());
    assertThat(told.count()).isEqualTo(1);
    assertThat(told.versionAt(0)).isEqualTo(1);
    assertThat(server.node.size()).isZero();
    assertThat(server.count(CounterId.DROP_VERSION)).isEqualTo(1);
    assertThat(server.count(CounterId.VERSION_NEGOTIATIONS_SENT)).isEqualTo(1);
  }

  @Test
  void shouldNotAnswerWhatIsNoWholeConnect() {
    Host server = listening();
    byte[] damaged = knocks.connectOfVersion(2);
    damaged[100] ^= 1;
    byte[] ofNobody = knocks.connectOfVersion(2);
    ByteBuffer.wrap(ofNobody).putInt(32, 0);
    byte[] addressed = knocks.connectOfVersion(2);
    ByteBuffer.wrap(addressed).putInt(4, 7);
    byte[] data = knocks.connectOfVersion(2);
    data[1] = PacketType.DATA;
    byte[] small = new byte[511];
    ByteBuffer.wrap(small).put(0, knocks.connectOfVersion(2), 0, 511).putShort(2, (short) 511);
    for (byte[] packet :
        List.of(
            damaged,
            Knocks.sealed(ofNobody),
            Knocks.sealed(addressed),
            Knocks.sealed(data),
            Knocks.sealed(small))) {
      pair.forge(ELSEWHERE, server, packet);
    }
    pair.runFor(MS);

    assertThat(answers).isEmpty();
    assertThat(server.count(CounterId.DROP_VERSION)).isEqualTo(5);
  }

  @Test
  void shouldNotAnswerWhereNobodyListensAndNotBeyondTheRate() {
    Host server = listening();
    server.isListening = false;
    pair.forge(ELSEWHERE, server, knocks.connectOfVersion(2));
    pair.runFor(MS);
    assertThat(answers).isEmpty();

    server.listen();
    for (int i = 0; i < 200; i++) {
      pair.forge(ELSEWHERE, server, knocks.connectOfVersion(2));
    }
    pair.runFor(MS);
    assertThat(answers).hasSize(100);
    assertThat(server.count(CounterId.DROP_RATE)).isEqualTo(100);
  }

  @Test
  void shouldEndTheAttemptWhenTheTargetSpeaksOtherVersionsOnly() {
    Peer client = connecting();
    negotiate(client, nonce(), 2);

    assertThat(client.events).containsExactly("closed");
    assertThat(client.reason.code()).isEqualTo(CloseCode.VERSION.code());
    assertThat(client.reason.isByPeer()).isTrue();
    assertThat(client.host.node.size()).isZero();
  }

  @Test
  void shouldNotBelieveAnotherNonceNorWhoNamesTheVersionThatWasRefused() {
    Peer client = connecting();
    negotiate(client, nonce() ^ 1, 2);
    negotiate(client, nonce(), 1);

    assertThat(client.reason).isNull();
    assertThat(client.host.count(CounterId.DROP_STATE)).isEqualTo(2);
  }

  @Test
  void shouldNotBelieveItOnceTheConnectionIsSetUp() {
    Host server = listening();
    Peer client = pair.host().connect(server, ConnectionConfig.builder().build());
    pair.runFor(MS);
    negotiate(client, nonce(), 2);

    assertThat(client.reason).isNull();
    assertThat(client.host.count(CounterId.DROP_STATE)).isEqualTo(1);
  }

  /** A client whose CONNECT nobody answers. */
  private Peer connecting() {
    Host silent = pair.host();
    pair.loss = flying -> flying.to() == silent;
    return pair.host().connect(silent, ConnectionConfig.builder().build());
  }

  private long nonce() {
    return new ConnectFlyweight().wrap(ByteBuffer.wrap(pair.seen.get(0).bytes()), 0).nonce();
  }

  private void negotiate(Peer client, long nonce, int version) {
    Connection connection = client.connection;
    pair.forge(
        connection.remote(),
        client.host,
        knocks.versionNegotiation(connection.cid(), connection.cookie(), nonce, version));
    pair.runFor(MS);
  }
}
