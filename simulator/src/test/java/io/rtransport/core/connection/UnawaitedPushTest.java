package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.connection.EndpointPair.Flying;
import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.ConnectionParameter;
import io.rtransport.core.parameter.DirectionParameters;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.core.window.Path;
import io.rtransport.core.wire.Integrity;
import io.rtransport.core.wire.NumberedHeaderFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.PushUnsolicitedDataFlyweight;
import io.rtransport.core.wire.RecordFlyweight;
import io.rtransport.core.wire.RecordType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Pushes for whose end nobody waits: when they say so, and when their target tells of it. In
 * virtual time.
 */
class UnawaitedPushTest {
  private static final long SETTLE_NS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long ACK_DELAY_NS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long HELD_NS = ACK_DELAY_NS * 3 / 4;
  private static final long RIDE_NS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final int LENGTH = 64;

  /** What it costs. */
  private static final int COST = LENGTH + 32;

  private final EndpointPair pair = new EndpointPair();
  private final Host listening = pair.host();
  private final Host host = pair.host();
  private Peer client;
  private Peer server;

  private void connect() {
    connect(ConnectionConfig.builder().ackDelayNsMax(ACK_DELAY_NS).build());
  }

  private void connect(ConnectionConfig config) {
    listening.listen();
    client = host.connect(listening, config);
    pair.runFor(SETTLE_NS);
    server = listening.accepted.get(0);
    client.push(LENGTH); // nothing of the set-up is left to be said
    pair.runFor(SETTLE_NS);
    pair.seen.clear();
  }

  private List<Flying> sentTo(Host to) {
    List<Flying> sent = new ArrayList<>(pair.seen);
    sent.removeIf(flying -> flying.to() != to);
    return sent;
  }

  private static List<Integer> records(Flying flying, boolean isFlags) {
    List<Integer> found = new ArrayList<>();
    if (!PacketType.isNumbered(flying.type())) {
      return found;
    }
    ByteBuffer bytes = ByteBuffer.wrap(flying.bytes());
    NumberedHeaderFlyweight header = new NumberedHeaderFlyweight().wrap(bytes, 0);
    int at = header.recordsOffset();
    for (int i = 0; i < header.recordCount(); i++) {
      RecordFlyweight record = new RecordFlyweight().wrap(bytes, at);
      found.add(isFlags ? record.flags() : record.type());
      at += record.length();
    }
    return found;
  }

  /** Whether the pushes that the client has sent say that nobody waits for them. */
  private List<Boolean> said() {
    List<Boolean> said = new ArrayList<>();
    for (Flying flying : sentTo(listening)) {
      List<Integer> types = records(flying, false);
      List<Integer> flags = records(flying, true);
      for (int i = 0; i < types.size(); i++) {
        if (types.get(i) == RecordType.PUSH_UNSOLICITED_DATA) {
          said.add((flags.get(i) & PushUnsolicitedDataFlyweight.FLAG_UNAWAITED) != 0);
        }
      }
    }
    return said;
  }

  /** Packets of the server to the client: the types of their records, an ACK as an empty list. */
  private List<List<Integer>> answered() {
    List<List<Integer>> answered = new ArrayList<>();
    sentTo(host).forEach(flying -> answered.add(records(flying, false)));
    return answered;
  }

  private void arrive() {
    pair.runFor(EndpointPair.DELAY_NS);
  }

  @Test
  void shouldTellOfAnAwaitedPushAtOnce() {
    connect();
    client.push(LENGTH);
    arrive();
    assertThat(said()).containsExactly(false);
    assertThat(answered()).containsExactly(List.of(RecordType.COMPLETED));
    assertThat(listening.count(CounterId.COMPLETIONS_HELD)).isZero();
  }

  @Test
  void shouldTellOfAnUnawaitedOneAfterThreeQuartersOfTheAckDelayAndNotBefore() {
    connect();
    client.push(LENGTH, false);
    arrive();
    assertThat(said()).containsExactly(true);
    assertThat(server.events).contains("delivered");
    pair.runFor(HELD_NS - 1);
    assertThat(answered()).isEmpty();
    pair.runFor(1);
    assertThat(answered()).containsExactly(List.of(RecordType.COMPLETED));
    pair.runFor(SETTLE_NS);
    assertThat(client.ends).hasSize(2).containsOnly(Outcome.COMPLETED);
    assertThat(listening.count(CounterId.COMPLETIONS_HELD)).isEqualTo(1);
    assertThat(listening.count(CounterId.COMPLETIONS_RIDDEN)).isZero();
    assertThat(host.count(CounterId.RETRANSMITS_PROBE)).isZero();
    assertThat(host.count(CounterId.TIMEOUTS)).isZero();
  }

  @Test
  void shouldLetItRideOnWhatLeavesMeanwhile() {
    connect();
    client.push(LENGTH, false);
    arrive();
    pair.runFor(HELD_NS - 1);
    server.push(LENGTH, false);
    assertThat(answered())
        .containsExactly(List.of(RecordType.COMPLETED, RecordType.PUSH_UNSOLICITED_DATA));
    assertThat(listening.count(CounterId.COMPLETIONS_RIDDEN)).isEqualTo(1);
  }

  @Test
  void shouldNeedTwoDatagramsAnEchoInAnOpenLoop() {
    connect();
    int echoes = 100;
    for (int i = 0; i < echoes; i++) {
      client.push(LENGTH, false);
      arrive();
      server.push(LENGTH, false); // an application that answers later than it reads
      pair.runFor(4 * EndpointPair.DELAY_NS);
    }
    assertThat(pair.seen).hasSize(2 * echoes);
    pair.runFor(RIDE_NS + SETTLE_NS);
    assertThat(client.ends).hasSize(1 + echoes).containsOnly(Outcome.COMPLETED);
    assertThat(server.ends).hasSize(echoes).containsOnly(Outcome.COMPLETED);
    assertThat(host.count(CounterId.RETRANSMITS_SPURIOUS)).isZero();
  }

  /** Messages of the server's leave now and then, so what it holds rides on the next of them. */
  private void expectRides() {
    for (int i = 0; i < 3; i++) {
      client.push(LENGTH, false);
      pair.runFor(RIDE_NS / 4);
      server.push(LENGTH, false);
      pair.runFor(RIDE_NS / 4);
    }
    pair.runFor(RIDE_NS / 4);
    server.push(LENGTH, false); // nothing is held any more
    pair.runFor(EndpointPair.DELAY_NS);
    pair.seen.clear();
  }

  @Test
  void shouldHoldItForLongWhereMessagesToRideOnLeaveNowAndThen() {
    connect();
    expectRides();
    client.push(LENGTH, false);
    pair.runFor(RIDE_NS / 2);
    assertThat(answered()).as("an ACK alone").containsExactly(List.of());
    server.push(LENGTH, false);
    assertThat(answered().get(1))
        .containsExactly(RecordType.COMPLETED, RecordType.PUSH_UNSOLICITED_DATA);
    assertThat(host.count(CounterId.RETRANSMITS_PROBE)).isZero();
    assertThat(host.count(CounterId.RETRANSMITS_SPURIOUS)).isZero();
  }

  @Test
  void shouldTellOfItInTheEndThoughNoneLeaves() {
    connect();
    expectRides();
    client.push(LENGTH, false);
    arrive();
    pair.runFor(RIDE_NS - 1);
    assertThat(answered()).as("an ACK alone").containsExactly(List.of());
    pair.runFor(1);
    assertThat(answered()).containsExactly(List.of(), List.of(RecordType.COMPLETED));
    pair.runFor(SETTLE_NS);
    client.push(LENGTH, false);
    arrive();
    pair.runFor(ACK_DELAY_NS);
    assertThat(answered().get(2)).as("no more rides").containsExactly(RecordType.COMPLETED);
  }

  @Test
  void shouldNotHoldItForLongFromAPeerThatFinishes() {
    connect();
    expectRides();
    client.push(LENGTH, false);
    pair.runFor(SETTLE_NS);
    client.connection.verbs().finish();
    client.flush();
    arrive();
    assertThat(answered()).containsExactly(List.of(), List.of(RecordType.COMPLETED));
  }

  @Test
  void shouldHoldLessThanTwoPacketsWorthBackForLong() {
    connect();
    expectRides();
    int pushes = (2 * 1_408 - 1) / COST;
    for (int i = 0; i < pushes; i++) {
      client.push(LENGTH, false);
      pair.runFor(RIDE_NS / (2 * pushes));
    }
    assertThat(answered()).containsOnly(List.of());
    client.push(LENGTH, false);
    arrive();
    assertThat(answered()).endsWith(List.of(RecordType.COMPLETED));
  }

  /** Many connections that say little each: the case in which each datagram counts. */
  @Test
  void shouldNeedThreeDatagramsAnEchoWhereEchoesAreFarApart() {
    connect();
    expectRides();
    int echoes = 100;
    for (int i = 0; i < echoes; i++) {
      client.push(LENGTH, false);
      arrive();
      server.push(LENGTH, false);
      pair.runFor(RIDE_NS / 2);
    }
    assertThat(pair.seen.size()).isLessThanOrEqualTo(3 * echoes + 6);
    pair.runFor(RIDE_NS + SETTLE_NS);
    assertThat(client.ends).containsOnly(Outcome.COMPLETED);
    assertThat(server.ends).containsOnly(Outcome.COMPLETED);
    assertThat(host.count(CounterId.RETRANSMITS_SPURIOUS)).isZero();
    assertThat(listening.count(CounterId.RETRANSMITS_SPURIOUS)).isZero();
  }

  /**
   * What the peer holds is in every answer: were none asked for at once now and then, the least
   * round trip would come to have it.
   */
  @Test
  void shouldStillKnowTheRoundTripAfterAMinute() {
    connect();
    int pushes = 12_000;
    for (int i = 0; i < pushes; i++) {
      client.push(LENGTH, false);
      pair.runFor(5 * EndpointPair.DELAY_NS + ACK_DELAY_NS * 4);
    }
    Path path = client.connection.window().path(0);
    assertThat(path.smoothedRttNs()).isLessThan(3 * EndpointPair.DELAY_NS);
    assertThat(path.minRttNs()).isLessThan(3 * EndpointPair.DELAY_NS);
    assertThat(said().stream().filter(isTold -> isTold)).hasSize(pushes);
    assertThat(listening.count(CounterId.COMPLETIONS_HELD))
        .as("but for one in five seconds")
        .isBetween(pushes - 14L, pushes - 8L);
    assertThat(host.count(CounterId.RETRANSMITS_SPURIOUS)).isZero();
  }

  @Test
  void shouldTellInThePlaceOfAnAckThatIsDue() {
    connect();
    server.isAcknowledging = false;
    client.push(LENGTH, false);
    arrive();
    pair.runFor(ACK_DELAY_NS - 2);
    server.connection.verbs().acknowledge(server.lastDelivered);
    server.flush();
    pair.runFor(1);
    assertThat(answered()).isEmpty();
    pair.runFor(1);
    assertThat(answered()).containsExactly(List.of(RecordType.COMPLETED));
  }

  @Test
  void shouldTellOfAllAtOnceWhenOneIsAwaited() {
    connect();
    client.push(LENGTH, false);
    client.push(LENGTH, true);
    arrive();
    assertThat(answered()).containsExactly(List.of(RecordType.COMPLETED));
    pair.runFor(SETTLE_NS);
    assertThat(client.ends).hasSize(3);
  }

  @Test
  void shouldHoldLessThanTwoPacketsWorthBack() {
    connect();
    assertHeldBackAtTheMost((2 * 1_408 - 1) / COST);
  }

  @Test
  void shouldHoldLessThanAQuarterOfTheTransactionsBack() {
    connect(ConnectionConfig.builder().ackDelayNsMax(ACK_DELAY_NS).outstandingMax(16).build());
    assertHeldBackAtTheMost(3);
  }

  private void assertHeldBackAtTheMost(int pushes) {
    for (int i = 0; i < pushes; i++) {
      client.push(LENGTH, false);
    }
    arrive();
    assertThat(answered()).isEmpty();
    client.push(LENGTH, false);
    arrive();
    assertThat(answered()).containsExactly(List.of(RecordType.COMPLETED));
  }

  @Test
  void shouldNotSaySoOnceThisSideWaitsForAllEnds() {
    connect();
    client.connection.verbs().submitPush(client, 0, LENGTH, ByteBuffer.allocate(0), 0, 0, 7, false);
    client.connection.verbs().finish();
    client.flush();
    arrive();
    assertThat(said()).containsExactly(false);
    assertThat(answered()).containsExactly(List.of(RecordType.COMPLETED));
  }

  @Test
  void shouldTellWhenThePeerFinishes() {
    connect();
    client.push(LENGTH, false);
    client.connection.verbs().finish();
    client.flush();
    arrive();
    assertThat(said()).containsExactly(true);
    assertThat(answered()).containsExactly(List.of(RecordType.COMPLETED));
  }

  @Test
  void shouldCloseAsFastAsWithAwaitedOnes() {
    connect();
    client.push(LENGTH, false);
    client.close(0, "");
    // Push and FIN, FIN and COMPLETED, CLOSE, CLOSE_ACK: nobody waits for a timer but for an ACK.
    pair.runFor(4 * EndpointPair.DELAY_NS + ACK_DELAY_NS);
    assertThat(client.events).contains("closed");
    assertThat(client.ends).hasSize(2).containsOnly(Outcome.COMPLETED);
  }

  @Test
  void shouldNotSaySoOfAPushWithADeadline() {
    connect();
    ApplicationVerbs verbs = client.connection.verbs();
    long rsn = verbs.nextSubmission();
    verbs.submitPush(client, 0, LENGTH, ByteBuffer.allocate(0), 0, 0, 7, false);
    verbs.deadline(rsn, pair.nowNs + SETTLE_NS);
    client.flush();
    assertThat(said()).containsExactly(false);
  }

  @Test
  void shouldNotSaySoWhereTimersDoNotAllowForTheAckDelay() {
    connect(
        ConnectionConfig.builder()
            .adpParameters(AdpParameters.DEFAULT.withStrictProfile(true))
            .build());
    client.push(LENGTH, false);
    assertThat(said()).containsExactly(false);
  }

  @Test
  void shouldNotSaySoWhenTheCongestionWindowIsNearlyFull() {
    listening.acceptConfig = ConnectionConfig.builder().initialCreditBytes(1 << 20).build();
    connect();
    Path path = client.connection.window().path(0);
    long windowBytes = path.congestion().windowBytes();
    // A full packet and 4 KiB beside it; room for the one before is what counts.
    long roomBytes = 1_396 + 4_096;
    for (int i = 0; i < 100; i++) {
      boolean isRoomToSpare = path.inFlightBytes() + roomBytes <= windowBytes;
      client.push(1_000, false);
      assertThat(said()).hasSize(i + 1);
      assertThat(said().get(i)).as("push %d", i).isEqualTo(isRoomToSpare);
      if (!isRoomToSpare) {
        return;
      }
    }
    throw new AssertionError("the window of " + windowBytes + " bytes has never been full");
  }

  @Test
  void shouldSaySoOfWhatIsReady() {
    Waiting waiting = new Waiting();
    listening.listen();
    client = host.connect(listening, ConnectionConfig.builder().build());
    client.ready = waiting;
    pair.runFor(SETTLE_NS);
    client.connection.verbs().pushesReady();
    client.flush();
    assertThat(said()).containsExactly(true, true);
  }

  /** Two. */
  private static final class Waiting implements PushSupplier {
    private int count = 2;

    @Override
    public boolean hasNext() {
      return count > 0;
    }

    @Override
    public int nextLengthBytes() {
      return count == 0 ? NONE : LENGTH;
    }

    @Override
    public void fill(Packet packet) {
      for (; count > 0; count--) {
        assertThat(packet.put(new byte[LENGTH], 0, LENGTH, 8)).isNotEqualTo(Packet.FULL);
      }
    }
  }

  /** An older peer drops what has the flag: it must not get it. */
  @Test
  void shouldNotSaySoToAPeerThatDoesNotKnowIt() {
    pair.loss = UnawaitedPushTest::forgetFeatures;
    connect();
    client.push(LENGTH, false);
    arrive();
    assertThat(said()).containsExactly(false);
    assertThat(answered()).containsExactly(List.of(RecordType.COMPLETED));
  }

  /** Makes CONNECT and ACCEPT say features 0. Loses nothing. */
  private static boolean forgetFeatures(Flying flying) {
    if (flying.type() == PacketType.CONNECT || flying.type() == PacketType.ACCEPT) {
      ByteBuffer bytes = ByteBuffer.wrap(flying.bytes());
      int found = 0;
      for (int at = 48; at + 8 <= bytes.capacity(); at++) {
        if (bytes.getShort(at) == ConnectionParameter.FEATURES.id()
            && bytes.getShort(at + 2) == 4
            && (bytes.getInt(at + 4) & DirectionParameters.FEATURE_UNAWAITED) != 0) {
          bytes.putInt(at + 4, 0);
          found++;
        }
      }
      assertThat(found).isEqualTo(1);
      new Integrity().seal(bytes, 0, bytes.capacity());
    }
    return false;
  }
}
