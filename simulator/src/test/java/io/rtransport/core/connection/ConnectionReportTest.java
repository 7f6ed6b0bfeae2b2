package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Flying;
import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.PathReport;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a report says of a connection, beside what was on the wire. */
class ConnectionReportTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final ConnectionConfig CONFIG = ConnectionConfig.builder().build();
  private static final InetSocketAddress SERVER_2 = Knocks.address(0x0A01_0001, 7_400);
  private static final InetSocketAddress CLIENT_2 = Knocks.address(0x0A01_0002, 7_401);

  private final EndpointPair pair = new EndpointPair();
  private Host server;
  private Host client;
  private Peer initiator;
  private Peer target;

  private void connect(Pair... more) {
    server = pair.host().ni(SERVER_2, "b");
    server.listen();
    client = pair.host().ni(CLIENT_2, "b");
    Pair first = new Pair(0, server.address);
    initiator =
        client.connect(CONFIG, more.length == 0 ? new Pair[] {first} : new Pair[] {first, more[0]});
    pair.runFor(SECOND);
    target = server.accepted.get(0);
  }

  private static ConnectionReport report(Peer peer) {
    return ConnectionReport.of(peer.connection);
  }

  /** Pushes for a while, a few at a time, so that all paths carry. */
  private void push(int turns) {
    for (int i = 0; i < turns; i++) {
      for (int j = 0; j < 4; j++) {
        initiator.push(10_000);
      }
      pair.runFor(MS / 4);
    }
  }

  @Test
  void shouldCountOnEachPathWhatWasOnTheWire() {
    connect(new Pair(1, SERVER_2));
    ConnectionReport before = report(initiator);
    ConnectionReport beforeThere = report(target);
    pair.seen.clear();
    push(200);
    pair.runFor(SECOND);
    ConnectionReport after = report(initiator);
    ConnectionReport afterThere = report(target);

    assertThat(after.paths()).extracting(PathReport::index).containsExactly(0, 1);
    for (int i = 0; i < 2; i++) {
      int ni = i;
      List<Flying> out = pair.seen.stream().filter(f -> f.to() == server && f.ni() == ni).toList();
      List<Flying> back = pair.seen.stream().filter(f -> f.to() == client && f.ni() == ni).toList();
      long outBytes = out.stream().mapToLong(f -> f.bytes().length).sum();
      long backBytes = back.stream().mapToLong(f -> f.bytes().length).sum();
      PathReport was = before.paths().get(i);
      PathReport is = after.paths().get(i);
      PathReport wasThere = beforeThere.paths().get(i);
      PathReport isThere = afterThere.paths().get(i);
      assertThat(out).hasSizeGreaterThan(50);
      assertThat(is.datagramsSent() - was.datagramsSent()).isEqualTo(out.size());
      assertThat(is.bytesSent() - was.bytesSent()).isEqualTo(outBytes);
      assertThat(is.datagramsReceived() - was.datagramsReceived()).isEqualTo(back.size());
      assertThat(is.bytesReceived() - was.bytesReceived()).isEqualTo(backBytes);
      assertThat(isThere.datagramsReceived() - wasThere.datagramsReceived()).isEqualTo(out.size());
      assertThat(isThere.bytesSent() - wasThere.bytesSent()).isEqualTo(backBytes);
      assertThat(is.isSuspect()).isFalse();
      assertThat(is.packetsInFlight()).isZero();
    }
    assertThat(after.paths().get(1).peerName()).isEqualTo("10.1.0.1:7400@b");
    assertThat(after.paths().get(1).localName()).isEqualTo("10.1.0.2@b");
    assertThat(after.rttNs()).isPositive();
  }

  @Test
  void shouldSayWhatADarkPathLostToTheOther() {
    connect(new Pair(1, SERVER_2));
    push(20);
    pair.loss = flying -> flying.ni() == 1;
    push(20);
    pair.runFor(100 * MS);
    ConnectionReport report = report(initiator);
    PathReport works = report.paths().get(0);
    PathReport dark = report.paths().get(1);

    assertThat(dark.isSuspect()).isTrue();
    assertThat(works.isSuspect()).isFalse();
    assertThat(report.suspectCount()).isEqualTo(1);
    assertThat(dark.movedFrom())
        .isPositive()
        .isEqualTo(client.count(CounterId.RETRANSMITS_MOVED))
        .isLessThanOrEqualTo(dark.resentFrom());
    assertThat(works.movedFrom()).isZero();
    long resends =
        client.count(CounterId.RETRANSMITS_EARLY)
            + client.count(CounterId.RETRANSMITS_PROBE)
            + client.count(CounterId.RETRANSMITS_TIMEOUT)
            + client.count(CounterId.RETRANSMITS_MOVED);
    assertThat(works.resentOn() + dark.resentOn()).isEqualTo(resends);
    assertThat(works.resentFrom() + dark.resentFrom()).isEqualTo(resends);
    assertThat(works.resentOn()).isGreaterThanOrEqualTo(dark.movedFrom());
  }

  @Test
  void shouldSayWhatIsOpenWhileThePeerDoesNotAnswer() {
    connect();
    pair.loss = flying -> flying.to() == client;
    initiator.push(100);
    initiator.push(100);
    pair.runFor(MS);
    ConnectionReport report = report(initiator);

    assertThat(report.ownTransactions()).isEqualTo(2);
    assertThat(report.packetsInFlight()).isPositive();
    assertThat(report.bytesInFlight()).isGreaterThan(200);
    target.isAcknowledging = false;
    initiator.push(100);
    pair.runFor(MS);
    assertThat(report(target).peerTransactions()).isPositive();
  }

  @Test
  void shouldMakeNothingForAnIdleConnection() {
    pair.hasRails = false;
    connect();
    Sublayers sublayers = target.connection.sublayers;
    assertThat(sublayers.inUse()).isNull();
    ConnectionReport report = report(target);

    assertThat(sublayers.inUse()).isNull();
    assertThat(report.isEstablished()).isTrue();
    assertThat(report.paths()).hasSize(1);
    assertThat(report.paths().get(0).localName()).isNull();
    assertThat(report.paths().get(0).remote()).isEqualTo(client.address);
    assertThat(report.ownTransactions()).isZero();
  }
}
