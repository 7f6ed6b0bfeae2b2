package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Flying;
import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.NumberedHeaderFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.RecordFlyweight;
import io.rtransport.core.wire.RecordType;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjIntConsumer;
import org.junit.jupiter.api.Test;

/**
 * Where RT does something else than the patent (docs/reference/departures.md), seen on the wire and
 * in the tables.
 */
class PatentDeparturesTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final ByteBuffer NO_HEADER = ByteBuffer.allocate(0);

  private final EndpointPair pair = new EndpointPair();
  private Host clientHost;
  private Host serverHost;
  private Peer client;
  private Peer server;

  private void connect() {
    serverHost = pair.host();
    serverHost.listen();
    clientHost = pair.host();
    client = clientHost.connect(serverHost, ConnectionConfig.builder().build());
    pair.runFor(MS);
    server = serverHost.accepted.get(0);
    pair.seen.clear();
  }

  @Test
  void shouldCompleteAPushByTheApplicationWithoutResendingItMeanwhile() {
    connect();
    server.isAcknowledging = false;
    client.push(100);
    pair.runFor(10 * SECOND);

    // Received and delivered, not completed: the packet is retired, nothing was resent, nothing has
    // ended.
    assertThat(server.events).endsWith("delivered");
    assertThat(client.connection.window().isAllAcknowledged()).isTrue();
    assertThat(client.ends).isEmpty();
    assertThat(countOf(clientHost, RecordType.PUSH_UNSOLICITED_DATA)).isEqualTo(1);

    server.connection.verbs().acknowledge(firstRsn());
    server.flush();
    pair.runFor(10 * MS);
    assertThat(client.ends).containsExactly(Outcome.COMPLETED);
    assertThat(countOf(serverHost, RecordType.COMPLETED)).isEqualTo(1);
  }

  @Test
  void shouldCarrySeveralRecordsOfOneWindowInAPacket() {
    connect();
    for (int i = 0; i < 60; i++) {
      submit(64);
    }
    client.flush();
    pair.runFor(10 * MS);
    assertThat(client.ends).hasSize(60).containsOnly(Outcome.COMPLETED);
    assertThat(countOf(clientHost, RecordType.PUSH_UNSOLICITED_DATA)).isEqualTo(60);
    long packets =
        pair.seen.stream().filter(f -> f.to() == serverHost && f.type() == PacketType.DATA).count();
    assertThat(packets).isBetween(1L, 5L);
  }

  @Test
  void shouldEnterTheReorderTableOnlyForWhatArrivesBeforeItsTurn() {
    connect();
    int[] mostEntries = new int[1];
    int[] dropped = new int[1];
    boolean[] isLosing = new boolean[1];
    pair.loss =
        flying -> {
          mostEntries[0] =
              Math.max(mostEntries[0], serverHost.loop.solicitation().reorderTable().size());
          boolean isLost =
              isLosing[0]
                  && flying.to() == serverHost
                  && flying.type() == PacketType.DATA
                  && dropped[0] == 0;
          dropped[0] += isLost ? 1 : 0;
          return isLost;
        };
    for (int i = 0; i < 200; i++) {
      client.push(500);
      pair.runFor(MS);
    }
    assertThat(client.ends).hasSize(200).containsOnly(Outcome.COMPLETED);
    assertThat(mostEntries[0]).isZero();

    isLosing[0] = true;
    for (int i = 0; i < 12; i++) {
      client.push(500);
    }
    pair.runFor(SECOND);
    assertThat(dropped[0]).isEqualTo(1);
    assertThat(client.ends).hasSize(212).containsOnly(Outcome.COMPLETED);
    assertThat(mostEntries[0]).isPositive();
    assertThat(serverHost.loop.solicitation().reorderTable().size()).isZero();
  }

  @Test
  void shouldReserveForAPullBeforeAskingForIt() {
    connect();
    // Each reserves 64 KiB, and pulls hold at most half of the budget of 64 MiB: 512 of them,
    // whatever is asked for.
    int pulls = 600;
    pair.loss = flying -> flying.to() == clientHost;
    for (int i = 0; i < pulls; i++) {
      assertThat(client.connection.verbs().submitPull(1 << 20, NO_HEADER, 0, 0, i)).isTrue();
    }
    client.flush();
    pair.runFor(SECOND);
    assertThat(rsnsAsked()).hasSize(512);
    assertThat(client.ends).isEmpty();

    pair.loss = flying -> false;
    pair.runFor(10 * SECOND);
    assertThat(rsnsAsked()).hasSize(pulls);
    assertThat(client.ends).hasSize(pulls).containsOnly(Outcome.FAILED);
  }

  @Test
  void shouldArmOneTimerAPathWhateverIsInFlight() {
    connect();
    pair.loss = flying -> flying.to() == serverHost;
    client.push(64);
    long deadlineOfOneNs = clientHost.node.nextDeadlineNs();
    for (int i = 0; i < 50; i++) {
      client.push(64);
    }
    assertThat(clientHost.node.nextDeadlineNs()).isGreaterThanOrEqualTo(deadlineOfOneNs);
    long sentBefore = client.connection.counters().value(CounterId.RETRANSMITS_TIMEOUT);
    while (client.connection.counters().value(CounterId.TIMEOUTS) == 0) {
      pair.runUntil(clientHost.node.nextDeadlineNs());
    }
    // One expiry resends the two oldest at the most, however many packets wait.
    assertThat(client.connection.counters().value(CounterId.RETRANSMITS_TIMEOUT) - sentBefore)
        .isBetween(1L, 2L);
  }

  private void submit(int lengthBytes) {
    assertThat(client.connection.verbs().submitPush(client, 0, lengthBytes, NO_HEADER, 0, 0, 7))
        .isTrue();
  }

  private long firstRsn() {
    return client.connection.agreed().txNumbers().rsn() & 0xFFFF_FFFFL;
  }

  private long countOf(Host from, int recordType) {
    long[] count = new long[1];
    for (Flying flying : pair.seen) {
      if (flying.to() != from) {
        forEachRecord(flying, (bytes, at) -> count[0] += type(bytes, at) == recordType ? 1 : 0);
      }
    }
    return count[0];
  }

  private Set<Integer> rsnsAsked() {
    Set<Integer> rsns = new TreeSet<>();
    for (Flying flying : pair.seen) {
      forEachRecord(
          flying,
          (bytes, at) -> {
            if (type(bytes, at) == RecordType.PULL_REQUEST) {
              rsns.add(bytes.getInt(at + RecordFlyweight.HEADER_LENGTH));
            }
          });
    }
    return rsns;
  }

  private static int type(ByteBuffer bytes, int at) {
    return bytes.get(at) & 0xFF;
  }

  private static void forEachRecord(Flying flying, ObjIntConsumer<ByteBuffer> consumer) {
    if (!PacketType.isNumbered(flying.type())) {
      return;
    }
    ByteBuffer bytes = ByteBuffer.wrap(flying.bytes());
    NumberedHeaderFlyweight header = new NumberedHeaderFlyweight();
    header.wrap(bytes, 0);
    RecordFlyweight record = new RecordFlyweight();
    int at = header.recordsOffset();
    for (int i = 0; i < header.recordCount(); i++) {
      consumer.accept(bytes, at);
      at += record.wrap(bytes, at).length();
    }
  }
}
