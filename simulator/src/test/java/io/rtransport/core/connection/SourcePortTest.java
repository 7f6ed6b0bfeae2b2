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
import io.rtransport.core.wire.ConnectFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.TlvId;
import io.rtransport.core.wire.TlvReader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Clients from whose source port nothing gets through, and what they may not do about it. */
class SourcePortTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final ConnectionConfig CONFIG = ConnectionConfig.builder().build();

  /** Demands a token of everybody. */
  private static final EndpointConfig DEMANDING = new EndpointConfig(0, 1_024, 64, 0, 64);

  private final EndpointPair pair = new EndpointPair();
  private Host server;
  private Host client;
  private Peer peer;
  private Peer child;

  /** Whether both sides know rails. */
  boolean hasRails() {
    return true;
  }

  private void hosts(EndpointConfig serverConfig) {
    pair.hasRails = hasRails();
    server = pair.host(serverConfig);
    server.listen();
    client = pair.host();
    for (int ni = 1; ni < Limits.LOCAL_NIS_MAX; ni++) {
      client.moreAddresses.add(port(ni));
    }
  }

  private InetSocketAddress port(int ni) {
    return ni == 0 ? client.address : Knocks.address(0x7F00_0001, 40_000 + ni);
  }

  private Peer connect() {
    Peer connecting = client.connect(server, CONFIG);
    connecting.connection.allowNewPorts();
    return connecting;
  }

  private void connected() {
    hosts(EndpointConfig.ofLoop(0));
    peer = connect();
    pair.runFor(SECOND);
    child = server.accepted.get(0);
  }

  private boolean isOfFirstPort(Flying flying) {
    return flying.from().equals(port(0)) || flying.toAddress().equals(port(0));
  }

  private boolean isOfNewPort(Flying flying) {
    return !isOfFirstPort(flying);
  }

  private long changes() {
    return client.count(CounterId.PORTS_CHANGED);
  }

  private static int port(Connection connection) {
    return connection.ni(0);
  }

  // ---- in use

  @Test
  void shouldTakeANewPortAtTheSecondTimeoutInARowAndNotBefore() {
    connected();
    pair.loss = this::isOfFirstPort;
    peer.push(1_000);
    while (client.count(CounterId.TIMEOUTS) < 2) {
      assertThat(changes()).isZero();
      pair.runFor(MS);
    }

    assertThat(changes()).isEqualTo(1);
    assertThat(peer.portChangesNs).hasSize(1);
    pair.runFor(10 * MS);
    assertThat(peer.ends).containsExactly(Outcome.COMPLETED);
    assertThat(child.events).containsExactly("established", "delivered");
    assertThat(child.connection.remote()).isEqualTo(port(1));
    assertThat(server.count(CounterId.PATHS_MOVED)).isEqualTo(1);
    assertThat(client.count(CounterId.PATHS_MOVED)).isZero();
  }

  @Test
  void shouldKeepItsPortIfTheDriverAllowsNoOther() {
    hosts(EndpointConfig.ofLoop(0));
    peer = client.connect(server, CONFIG);
    pair.runFor(SECOND);
    pair.loss = this::isOfFirstPort;
    peer.push(1_000);
    pair.runFor(3 * SECOND);

    assertThat(client.count(CounterId.TIMEOUTS)).isGreaterThan(2);
    assertThat(changes()).isZero();
    assertThat(port(peer.connection)).isZero();
  }

  @Test
  void shouldNotLetATargetTakeAnotherPort() {
    connected();
    child.connection.allowNewPorts();
    pair.loss = flying -> true;
    child.push(1_000);
    pair.runFor(3 * SECOND);

    assertThat(server.count(CounterId.TIMEOUTS)).isGreaterThan(2);
    assertThat(server.count(CounterId.PORTS_CHANGED)).isZero();
  }

  @Test
  void shouldKeepItsPortsWhereAnotherPathIsOpen() {
    pair.hasRails = hasRails();
    server = pair.host();
    client = pair.host();
    server.ni(Knocks.address(0x0A01_0001, 7_400), "n1");
    client.ni(Knocks.address(0x0A01_0002, 7_401), "n1");
    server.listen();
    peer = client.connect(CONFIG, new Pair(0, server.address(0)), new Pair(1, server.address(1)));
    peer.connection.allowNewPorts();
    pair.runFor(SECOND);
    int paths = hasRails() ? 2 : 1;
    assertThat(Integer.bitCount(peer.connection.openPaths())).isEqualTo(paths);
    pair.loss = flying -> hasRails();
    peer.push(1_000);
    pair.runFor(3 * SECOND);

    assertThat(changes()).isZero();
  }

  @Test
  void shouldTakeFewPortsWhileThePeerIsDead() {
    connected();
    pair.loss = flying -> true;
    peer.push(1_000);
    pair.runFor(60 * SECOND);

    assertThat(peer.reason).isNotNull();
    List<Long> atNs = peer.portChangesNs;
    assertThat(atNs).hasSizeGreaterThan(2);
    long waitNs = SECOND;
    for (int i = 1; i < atNs.size(); i++) {
      assertThat(atNs.get(i) - atNs.get(i - 1)).as("change " + i).isGreaterThanOrEqualTo(waitNs);
      waitNs *= 2;
    }
    assertThat(changes()).isEqualTo(atNs.size());
  }

  @Test
  void shouldGoBackIfOnlyTheFormerPortBringsPackets() {
    connected();
    peer.push(1_000);
    pair.runFor(MS);
    pair.loss = flying -> true; // the peer pauses
    peer.push(1_000);
    pair.runFor(100 * MS);
    assertThat(port(peer.connection)).isEqualTo(1);
    pair.loss = this::isOfNewPort; // the way has no room for another entry
    child.push(1_000);
    pair.runFor(500 * MS);
    assertThat(child.ends).as("too short a time after the change").isEmpty();
    pair.runFor(2 * SECOND);

    assertThat(port(peer.connection)).isZero();
    assertThat(changes()).isEqualTo(2);
    assertThat(peer.ends).containsExactly(Outcome.COMPLETED, Outcome.COMPLETED);
    assertThat(child.ends).containsExactly(Outcome.COMPLETED);
    assertThat(child.connection.remote()).isEqualTo(port(0));
    assertThat(peer.connection.nis()).isEqualTo(1);
  }

  @Test
  void shouldKeepTheFormerPortUntilTheNewOneHasBroughtSomethingAndAWhileLonger() {
    connected();
    pair.loss = flying -> true;
    peer.push(1_000);
    pair.runFor(1_500 * MS);
    assertThat(changes()).isEqualTo(2);
    assertThat(peer.connection.nis()).as("the one that never brought anything").isEqualTo(0b101);
    pair.loss = this::isOfFirstPort;
    long beginNs = pair.nowNs;
    while (peer.ends.isEmpty()) {
      pair.runFor(MS);
      assertThat(peer.connection.nis()).isEqualTo(0b101);
    }
    assertThat(peer.ends).containsExactly(Outcome.COMPLETED);
    while (peer.connection.nis() == 0b101) {
      pair.runFor(10 * MS);
      assertThat(pair.nowNs - beginNs).isLessThan(10 * SECOND);
    }

    assertThat(peer.connection.nis()).isEqualTo(0b100);
    assertThat(port(peer.connection)).isEqualTo(2);
  }

  @Test
  void shouldTakeThePacketsThatStillComeByTheFormerPort() {
    connected();
    pair.loss = flying -> flying.from().equals(port(0));
    peer.push(1_000);
    child.push(50_000);
    pair.runFor(5 * SECOND);

    assertThat(child.ends).containsExactly(Outcome.COMPLETED);
    assertThat(peer.ends).containsExactly(Outcome.COMPLETED);
    assertThat(peer.events).containsExactly("established", "delivered");
    assertThat(client.count(CounterId.PATH_CHALLENGES_SENT)).isZero();
    assertThat(client.count(CounterId.DROP_SOURCE)).isZero();
  }

  @Test
  void shouldNoticeThatItsAcknowledgementsAreEaten() {
    connected();
    peer.isAcknowledging = false; // nothing but acknowledgements leaves
    pair.loss = flying -> flying.from().equals(port(0));
    child.push(1_000);
    pair.runFor(SECOND);

    assertThat(client.count(CounterId.TIMEOUTS)).isZero();
    assertThat(changes()).isEqualTo(1);
    assertThat(child.connection.window().isIdle()).isTrue();
    assertThat(child.connection.remote()).isEqualTo(port(1));
    assertThat(peer.events).containsExactly("established", "delivered");
  }

  @Test
  void shouldNotBlameItsPortForAFewLostAcknowledgements() {
    connected();
    peer.isAcknowledging = false;
    int[] lost = {2}; // the third one arrives
    pair.loss = flying -> flying.from().equals(port(0)) && lost[0]-- > 0;
    child.push(1_000);
    pair.runFor(SECOND);

    assertThat(child.connection.window().isIdle()).isTrue();
    assertThat(changes()).isZero();
  }

  @Test
  void shouldTakeANewPortWhenItWaitsAndItsPingsAreNotAnswered() {
    connected();
    child.isAcknowledging = false;
    peer.push(1_000);
    pair.runFor(100 * MS);
    pair.loss = this::isOfFirstPort;
    child.connection.verbs().acknowledge(child.lastDelivered);
    child.flush();
    pair.runFor(3 * SECOND);

    assertThat(changes()).isEqualTo(1);
    assertThat(peer.ends).containsExactly(Outcome.COMPLETED);
  }

  @Test
  void shouldGoOnByItsFormerPortIfNoOtherCanBeOpened() {
    connected();
    pair.loss = flying -> true;
    peer.push(1_000);
    pair.runFor(100 * MS);
    assertThat(port(peer.connection)).isEqualTo(1);
    peer.connection.onPortRefused();
    assertThat(port(peer.connection)).isZero();
    assertThat(peer.connection.nis()).isEqualTo(1);
    pair.loss = flying -> false;
    pair.runFor(SECOND);

    assertThat(peer.ends).containsExactly(Outcome.COMPLETED);
    assertThat(child.connection.remote()).isEqualTo(port(0));
  }

  @Test
  void shouldTakeAtMostSixtyFourPortsASecondOnALoop() {
    hosts(EndpointConfig.ofLoop(0));
    List<Peer> peers = new ArrayList<>();
    for (int i = 0; i < 4 * Limits.NEW_PORTS_PER_SECOND_MAX; i++) {
      peers.add(connect());
    }
    pair.runFor(SECOND);
    pair.loss = flying -> true;
    peers.forEach(p -> p.push(10));
    while (changes() == 0) {
      pair.runFor(MS);
    }
    pair.runFor(900 * MS); // no connection may change for the second time

    // As many at once, and then one each 15.6 ms.
    assertThat(changes())
        .isBetween(Limits.NEW_PORTS_PER_SECOND_MAX + 50L, Limits.NEW_PORTS_PER_SECOND_MAX + 58L);
  }

  // ---- at set-up

  private List<Flying> connects() {
    return pair.seen.stream().filter(f -> f.type() == PacketType.CONNECT).toList();
  }

  private static boolean hasToken(Flying flying) {
    ByteBuffer bytes = ByteBuffer.wrap(flying.bytes());
    ConnectFlyweight connect = new ConnectFlyweight().wrap(bytes, 0);
    TlvReader tlvs = new TlvReader().wrap(bytes, connect.tlvOffset(), connect.tlvLength());
    return tlvs.find(TlvId.TOKEN);
  }

  @Test
  void shouldAskByOneMorePortFromTheSecondRepetitionOn() {
    hosts(EndpointConfig.ofLoop(0));
    pair.loss = flying -> true;
    peer = connect();
    pair.runFor(200 * MS);
    assertThat(connects().stream().map(Flying::from)).containsExactly(port(0), port(0));
    assertThat(changes()).isZero();
    pair.runFor(10 * SECOND);

    assertThat(connects().stream().skip(2).map(Flying::from))
        .startsWith(port(0), port(1), port(0), port(1));
    assertThat(connects().stream().map(Flying::from).distinct()).hasSize(2);
    assertThat(changes()).isEqualTo(1);
    assertThat(peer.reason.code()).isEqualTo(CloseCode.CONNECT_TIMEOUT.code());
  }

  @Test
  void shouldConnectByTheOtherPortAndGiveTheFirstOneBack() {
    hosts(EndpointConfig.ofLoop(0));
    pair.loss = this::isOfFirstPort;
    peer = connect();
    pair.runFor(300 * MS);

    assertThat(peer.events).containsExactly("established");
    assertThat(port(peer.connection)).isEqualTo(1);
    assertThat(peer.connection.openPaths()).isEqualTo(1);
    assertThat(peer.connection.nis()).isEqualTo(0b11);
    peer.push(50_000);
    pair.runFor(2 * SECOND);
    assertThat(peer.ends).containsExactly(Outcome.COMPLETED);
    assertThat(peer.connection.nis()).isEqualTo(0b10);
    assertThat(server.accepted.get(0).connection.remote()).isEqualTo(port(1));
    assertThat(server.accepted).hasSize(1);
  }

  @Test
  void shouldKeepTheFirstPortIfThatIsAnsweredFirst() {
    hosts(EndpointConfig.ofLoop(0));
    boolean[] isDark = {true};
    pair.loss = flying -> isDark[0];
    peer = connect();
    pair.runFor(200 * MS);
    isDark[0] = false; // now both ports get through
    pair.runFor(100 * MS);

    assertThat(connects().get(3).from()).isEqualTo(port(1));
    assertThat(port(peer.connection)).isZero();
    pair.runFor(2 * SECOND);
    assertThat(peer.connection.openPaths()).isEqualTo(1);
    assertThat(peer.connection.nis()).isEqualTo(1);
    assertThat(server.accepted).hasSize(1);
    assertThat(client.count(CounterId.PATH_CHALLENGES_SENT)).isZero();
    assertThat(server.count(CounterId.PATH_CHALLENGES_SENT)).isZero();
    peer.push(10);
    pair.runFor(SECOND);
    assertThat(peer.ends).containsExactly(Outcome.COMPLETED);
  }

  @Test
  void shouldStayAtThePortThatARetryCameTo() {
    hosts(DEMANDING);
    pair.loss = flying -> flying.type() == PacketType.ACCEPT;
    peer = connect();
    pair.runFor(2 * SECOND);

    assertThat(connects()).hasSizeGreaterThan(5);
    assertThat(connects().stream().map(Flying::from).distinct()).containsExactly(port(0));
    assertThat(connects().stream().skip(1)).allMatch(SourcePortTest::hasToken);
    assertThat(changes()).isZero();
  }

  @Test
  void shouldBeginANewPortWithoutTokenAndKeepTheTokenThere() {
    hosts(DEMANDING);
    pair.loss = flying -> isOfFirstPort(flying) || flying.type() == PacketType.ACCEPT;
    peer = connect();
    pair.runFor(2 * SECOND);
    List<Flying> byNew = connects().stream().filter(this::isOfNewPort).toList();

    assertThat(byNew).hasSizeGreaterThan(2);
    assertThat(hasToken(byNew.get(0))).isFalse();
    assertThat(byNew.stream().skip(1)).allMatch(SourcePortTest::hasToken);
    assertThat(connects().stream().filter(this::isOfFirstPort)).noneMatch(SourcePortTest::hasToken);
    pair.loss = this::isOfFirstPort;
    pair.runFor(2 * SECOND);
    assertThat(peer.events).containsExactly("established");
  }

  @Test
  void shouldBelieveARefusalByTheOtherPort() {
    hosts(EndpointConfig.ofLoop(0));
    server.isAccepting = false;
    pair.loss = this::isOfFirstPort;
    peer = connect();
    pair.runFor(SECOND);

    assertThat(peer.reason.code()).isEqualTo(CloseCode.REJECTED.code());
  }
}
