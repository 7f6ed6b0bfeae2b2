package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Flying;
import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.core.window.RecordSource;
import io.rtransport.core.wire.NumberedHeaderFlyweight;
import io.rtransport.core.wire.PacketType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Pushes that are ready without being submitted: when they leave, behind what, and how they end. In
 * virtual time.
 */
class PushSupplierTest {
  private static final long SETTLE_NS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int LENGTH = 64;

  /** Messages of that length in a packet of 1,408 bytes: (1,408 − 60) / (8 + 64). */
  private static final int PACKET_MESSAGES = 18;

  private final EndpointPair pair = new EndpointPair();
  private final Host listening = pair.host();
  private final Host host = pair.host();
  private final Waiting waiting = new Waiting();
  private Peer client;
  private Peer server;

  /** So many of one length; before each that is due at {@code submitAt} a push is submitted. */
  private final class Waiting implements PushSupplier {
    int count;
    int submitAt = -1;
    int length = LENGTH;
    final List<Long> taken = new ArrayList<>();

    @Override
    public boolean hasNext() {
      return count > 0;
    }

    @Override
    public int nextLengthBytes() {
      if (count == submitAt) {
        submitAt = -1;
        client.connection.verbs().submitPush(client, 0, LENGTH, ByteBuffer.allocate(0), 0, 0, 9);
        return NONE;
      }
      return count == 0 ? NONE : length;
    }

    @Override
    public void fill(Packet packet) {
      while (count > 0 && count != submitAt) {
        long rsn = packet.put(new byte[length + 6], 3, length, 8);
        if (rsn == Packet.FULL) {
          return;
        }
        taken.add(rsn);
        count--;
      }
    }
  }

  private void connect(ConnectionConfig config) {
    listening.listen();
    client = host.connect(listening, config);
    client.ready = waiting;
    pair.runFor(SETTLE_NS);
    server = listening.accepted.get(0);
    pair.seen.clear();
  }

  private void ready(int count) {
    waiting.count += count;
    client.connection.verbs().pushesReady();
    client.flush();
  }

  /** Records of each packet of the client that carries any. */
  private List<Integer> sent() {
    List<Integer> counts = new ArrayList<>();
    for (Flying flying : pair.seen) {
      if (flying.to() == listening && PacketType.isNumbered(flying.type())) {
        counts.add(
            new NumberedHeaderFlyweight().wrap(ByteBuffer.wrap(flying.bytes()), 0).recordCount());
      }
    }
    return counts;
  }

  private long delivered() {
    return server.events.stream().filter("delivered"::equals).count();
  }

  @Test
  void shouldFillPacketsAndEndEach() {
    connect(ConnectionConfig.builder().build());
    ready(2 * PACKET_MESSAGES + 1);
    assertThat(sent()).hasSize(3).startsWith(PACKET_MESSAGES).endsWith(1);
    assertThat(waiting.count).isZero();
    assertThat(host.loop.solicitation().transactions().inUse()).as("records").isZero();
    pair.runFor(SETTLE_NS);
    assertThat(delivered()).isEqualTo(2 * PACKET_MESSAGES + 1);
    assertThat(client.ends).hasSize(2 * PACKET_MESSAGES + 1).containsOnly(Outcome.COMPLETED);
  }

  /** The number of records is one byte, one of them the acknowledgement's. */
  @Test
  void shouldPutNoMoreRecordsIntoAPacketThanItCounts() {
    listening.acceptConfig = ConnectionConfig.builder().datagramLengthBytes(4_096).build();
    connect(ConnectionConfig.builder().datagramLengthBytes(4_096).build());
    waiting.length = 0;
    ready(RecordSource.RECORDS_MAX);
    assertThat(sent()).containsExactly(RecordSource.RECORDS_MAX);
    pair.runFor(SETTLE_NS);
    pair.seen.clear();
    client.connection.verbs().submitPush(client, 0, 0, ByteBuffer.allocate(0), 0, 0, 9);
    ready(RecordSource.RECORDS_MAX);
    assertThat(sent()).as("one was submitted").containsExactly(RecordSource.RECORDS_MAX, 1);
    pair.runFor(SETTLE_NS);
    assertThat(client.ends).hasSize(2 * RecordSource.RECORDS_MAX + 1);
    assertThat(client.ends).containsOnly(Outcome.COMPLETED);
  }

  @Test
  void shouldGoBehindWhatIsSubmittedBeforeThemAndInItsPacket() {
    connect(ConnectionConfig.builder().build());
    long first = client.connection.verbs().nextSubmission();
    client.connection.verbs().submitPush(client, 0, LENGTH, ByteBuffer.allocate(0), 0, 0, 9);
    waiting.submitAt = 2;
    ready(3);
    assertThat(waiting.taken).containsExactly(first + 1, first + 3, first + 4);
    assertThat(sent()).containsExactly(5);
    pair.runFor(SETTLE_NS);
    assertThat(client.ends).hasSize(5).containsOnly(Outcome.COMPLETED);
  }

  @Test
  void shouldWaitForCreditAndGoOnWithIt() {
    int creditBytes = 2_048;
    listening.acceptConfig =
        ConnectionConfig.builder()
            .solicitThresholdBytes(512)
            .headerLengthMax(64)
            .initialCreditBytes(creditBytes)
            .build();
    connect(ConnectionConfig.builder().build());
    server.onOpen = rsn -> EndpointPair.LATER; // which holds what it has cost
    ready(100);
    pair.runFor(SETTLE_NS);
    int covered = creditBytes / (LENGTH + 32);
    assertThat(waiting.taken).hasSize(covered);
    assertThat(host.count(CounterId.CREDIT_STALLS)).isOne();
    assertThat(sent()).as("the last packet ends with the credit").hasSize(2).contains(3);
    server.onOpen = rsn -> rsn;
    server.connection.verbs().retryOpen(waiting.taken.get(0));
    for (int i = 0; i < covered; i++) {
      server.connection.verbs().retryOpen(waiting.taken.get(i));
    }
    server.flush();
    pair.runFor(TimeUnit.SECONDS.toNanos(1));
    assertThat(waiting.count).isZero();
    assertThat(delivered()).isEqualTo(100);
    assertThat(client.ends).hasSize(100).containsOnly(Outcome.COMPLETED);
  }

  @Test
  void shouldWaitForPlacesAndGoOnWithThem() {
    listening.acceptConfig = ConnectionConfig.builder().initialCreditBytes(1 << 20).build();
    connect(ConnectionConfig.builder().build());
    int outstandingMax = client.connection.agreed().both().outstandingMax();
    server.isAcknowledging = false;
    ready(outstandingMax + 10);
    pair.runFor(TimeUnit.SECONDS.toNanos(2));
    assertThat(waiting.taken).hasSize(outstandingMax);
    server.isAcknowledging = true;
    waiting
        .taken
        .subList(0, outstandingMax / 8 - 1)
        .forEach(server.connection.verbs()::acknowledge);
    server.flush();
    pair.runFor(TimeUnit.SECONDS.toNanos(1));
    assertThat(waiting.taken).as("no packet for each place").hasSize(outstandingMax);
    List.copyOf(waiting.taken).forEach(server.connection.verbs()::acknowledge);
    server.flush();
    pair.runFor(TimeUnit.SECONDS.toNanos(1));
    assertThat(waiting.taken).hasSize(outstandingMax + 10);
    assertThat(client.ends).hasSize(outstandingMax + 10).containsOnly(Outcome.COMPLETED);
  }

  @Test
  void shouldWaitForRoomThoughNothingHasGoneBefore() {
    connect(ConnectionConfig.builder().build());
    client.room = 0;
    ready(1);
    assertThat(waiting.count).isOne();
    client.room = -1;
    client.flush();
    assertThat(waiting.count).isZero();
  }

  @Test
  void shouldEndUnknownWhatWasTakenAndLeaveTheRestWhereItIs() {
    connect(ConnectionConfig.builder().build());
    pair.loss = flying -> flying.to() == listening;
    ready(PACKET_MESSAGES);
    waiting.count = 7;
    client.abort(CloseCode.ABORTED.code(), "");
    assertThat(client.ends).hasSize(PACKET_MESSAGES).containsOnly(Outcome.UNKNOWN);
    assertThat(waiting.count).isEqualTo(7);
  }

  @Test
  void shouldBeginNoneOnceItHasFinished() {
    connect(ConnectionConfig.builder().build());
    client.push(LENGTH);
    client.connection.verbs().finish();
    ready(1);
    pair.runFor(SETTLE_NS);
    assertThat(waiting.taken).isEmpty();
    assertThat(waiting.count).isOne();
  }

  private int lengthMax(ConnectionConfig config) {
    connect(config);
    return client.connection.verbs().readyPushLengthMax();
  }

  @Test
  void shouldTakeNoneLongerThanThePeerTakesUnasked() {
    listening.acceptConfig = ConnectionConfig.builder().solicitThresholdBytes(63).build();
    assertThat(lengthMax(ConnectionConfig.builder().build())).isEqualTo(63);
  }

  @Test
  void shouldTakeNoneLongerThanThePeersLongestMessage() {
    listening.acceptConfig = ConnectionConfig.builder().messageLengthMax(255).build();
    assertThat(lengthMax(ConnectionConfig.builder().build())).isEqualTo(255);
  }

  @Test
  void shouldTakeSmallOnes() {
    assertThat(lengthMax(ConnectionConfig.builder().build()))
        .isEqualTo(PushSupplier.LENGTH_BYTES_MAX);
  }

  @Test
  void shouldTakeNoneWherePushesWaitForOthers() {
    assertThat(lengthMax(ConnectionConfig.builder().flushWindowNs(1_000).build())).isNegative();
  }

  @Test
  void shouldTakeNoneWithoutOrder() {
    listening.acceptConfig = ConnectionConfig.builder().ordered(false).build();
    assertThat(lengthMax(ConnectionConfig.builder().ordered(false).build())).isNegative();
  }

  @Test
  void shouldTakeNoneBeforeTheConnectionIsEstablished() {
    listening.listen();
    client = host.connect(listening, ConnectionConfig.builder().build());
    assertThat(client.connection.verbs().readyPushLengthMax()).isNegative();
  }
}
