package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.congestion.Aimd;
import io.rtransport.core.connection.EndpointPair.Flying;
import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.ConnectionParameter;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.NumberedHeaderFlyweight;
import io.rtransport.core.wire.PacketType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Small messages flushed within the flush window leave as one packet; what fills a packet, or
 * leaves anyway, does not wait. In virtual time.
 */
class FlushWindowTest {
  private static final long WINDOW_NS = TimeUnit.MICROSECONDS.toNanos(100);
  private static final long SETTLE_NS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int LENGTH = 64;

  /** Messages of that length in a packet of 1,408 bytes: (1,408 − 60) / (8 + 64). */
  private static final int PACKET_MESSAGES = 18;

  private final EndpointPair pair = new EndpointPair();
  private final Host listening = pair.host();
  private final Host host = pair.host();
  private Peer client;
  private Peer server;

  /** Connects, and lets a first message end so that nothing of the set-up is left to be said. */
  private void connect(long windowNs) {
    listening.listen();
    client = host.connect(listening, ConnectionConfig.builder().flushWindowNs(windowNs).build());
    pair.runFor(SETTLE_NS);
    server = listening.accepted.get(0);
    client.push(LENGTH);
    pair.runFor(SETTLE_NS);
    assertThat(client.ends).hasSize(1);
    pair.seen.clear();
  }

  /**
   * Records of each packet with new transactions that has left the client since it was connected.
   */
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

  private long held() {
    return host.count(CounterId.FLUSHES_HELD);
  }

  @Test
  void shouldSendEachFlushAtOnceByDefault() {
    connect(0);
    client.push(LENGTH);
    client.push(LENGTH);
    assertThat(sent()).containsExactly(1, 1);
    assertThat(held()).isZero();
  }

  @Test
  void shouldPackWhatIsFlushedWithinTheWindow() {
    connect(WINDOW_NS);
    client.push(LENGTH);
    pair.runFor(WINDOW_NS / 2);
    client.push(LENGTH);
    pair.runFor(WINDOW_NS / 2 - 1);
    client.push(LENGTH);
    assertThat(sent()).isEmpty();
    pair.runFor(1);
    assertThat(sent()).containsExactly(3);
    pair.runFor(SETTLE_NS);
    assertThat(client.ends).hasSize(4).containsOnly(Outcome.COMPLETED);
    assertThat(held()).isEqualTo(2); // the first of all, and these three
  }

  @Test
  void shouldBeginAWindowOfItsOwnForWhatComesAfter() {
    connect(WINDOW_NS);
    client.push(LENGTH);
    pair.runFor(WINDOW_NS);
    client.push(LENGTH);
    assertThat(sent()).containsExactly(1);
    pair.runFor(WINDOW_NS - 1);
    assertThat(sent()).containsExactly(1);
    pair.runFor(1);
    assertThat(sent()).containsExactly(1, 1);
  }

  @Test
  void shouldNotDelayAFullPacket() {
    connect(WINDOW_NS);
    for (int i = 0; i < PACKET_MESSAGES; i++) {
      assertThat(sent()).isEmpty();
      client.push(LENGTH);
    }
    client.push(LENGTH); // one that no longer fits
    assertThat(sent()).containsExactly(PACKET_MESSAGES, 1);
    client.push(2_000);
    assertThat(sent()).hasSizeGreaterThan(2);
  }

  @Test
  void shouldLeaveWithAnAcknowledgementThatIsDue() {
    connect(TimeUnit.MILLISECONDS.toNanos(10));
    long ackDelayNs = client.connection.config().ackDelayNsMax();
    server.push(LENGTH);
    client.isAcknowledging = false; // there is nothing to say but that it has come
    pair.runFor(EndpointPair.DELAY_NS);
    client.push(LENGTH);
    pair.runFor(ackDelayNs - 1);
    assertThat(sent()).isEmpty();
    pair.runFor(1);
    assertThat(sent()).containsExactly(1);
    assertThat(pair.seen.stream().filter(flying -> flying.to() == listening)).hasSize(1);
  }

  @Test
  void shouldLeaveWithWhatThePeerWaitsFor() {
    connect(WINDOW_NS);
    client.push(LENGTH);
    server.push(LENGTH);
    pair.runFor(EndpointPair.DELAY_NS); // the completion of the server's
    assertThat(sent()).containsExactly(2);
  }

  @Test
  void shouldLeaveWithTheRestOfAPushThatWaitedForTheCongestionWindow() {
    listening.acceptConfig = ConnectionConfig.builder().initialCreditBytes(1 << 20).build();
    connect(TimeUnit.MILLISECONDS.toNanos(10));
    int pushes = 2 + Aimd.INITIAL_PACKETS * 1_408 / 8_000;
    for (int i = 0; i < pushes; i++) {
      client.push(8_000);
    }
    int before = sent().size();
    client.push(LENGTH);
    assertThat(sent()).as("the congestion window is full").hasSize(before);
    pair.runFor(4 * EndpointPair.DELAY_NS);
    assertThat(server.events.stream().filter("delivered"::equals)).hasSize(1 + pushes + 1);
  }

  @Test
  void shouldNotWaitLongerThanADeadline() {
    connect(WINDOW_NS);
    long rsn = client.connection.verbs().nextSubmission();
    client.push(LENGTH);
    client.connection.verbs().deadline(rsn, pair.nowNs + WINDOW_NS);
    client.flush();
    assertThat(sent()).containsExactly(1);
    long later = client.connection.verbs().nextSubmission();
    client.push(LENGTH);
    client.connection.verbs().deadline(later, pair.nowNs + WINDOW_NS + 1);
    client.flush();
    assertThat(sent()).containsExactly(1);
  }

  @Test
  void shouldForgetWhatIsCancelledWhileItWaits() {
    connect(WINDOW_NS);
    long rsn = client.connection.verbs().nextSubmission();
    client.push(LENGTH);
    assertThat(client.connection.verbs().cancel(rsn)).isTrue();
    client.flush();
    pair.runFor(SETTLE_NS);
    assertThat(client.ends).containsExactly(Outcome.COMPLETED, Outcome.NOT_EXECUTED);
    assertThat(server.events.stream().filter("delivered"::equals)).hasSize(1);
  }

  @Test
  void shouldLoseNothingWhenItClosesWhileSomethingWaits() {
    connect(WINDOW_NS);
    client.push(LENGTH);
    client.close(CloseCode.NORMAL.code(), "");
    pair.runFor(10 * SETTLE_NS);
    assertThat(client.ends).hasSize(2).containsOnly(Outcome.COMPLETED);
    assertThat(client.reason.code()).isEqualTo(CloseCode.NORMAL.code());
  }

  @Test
  void shouldTakeAnotherWindowWhileItLives() {
    connect(0);
    client.push(LENGTH);
    assertThat(sent()).containsExactly(1);
    pair.runFor(SETTLE_NS);
    client.connection.verbs().flushWindow(WINDOW_NS);
    client.push(LENGTH);
    client.push(LENGTH);
    assertThat(sent()).containsExactly(1);
    pair.runFor(WINDOW_NS);
    assertThat(sent()).containsExactly(1, 2);
    pair.runFor(SETTLE_NS);

    client.push(LENGTH);
    assertThat(sent()).containsExactly(1, 2);
    client.connection.verbs().flushWindow(0);
    client.flush();
    assertThat(sent()).as("what waited goes").containsExactly(1, 2, 1);
    client.push(LENGTH);
    assertThat(sent()).containsExactly(1, 2, 1, 1);
    pair.runFor(SETTLE_NS);
    assertThat(client.ends).hasSize(6).containsOnly(Outcome.COMPLETED);
    assertThat(held()).isEqualTo(2);
  }

  @Test
  void shouldTakeZeroToTenMillisecondsWhileItLives() {
    connect(0);
    ApplicationVerbs verbs = client.connection.verbs();
    verbs.flushWindow(ConnectionParameter.FLUSH_WINDOW_MICROS.max());
    verbs.flushWindow(0);
    for (long wrong : new long[] {-1, ConnectionParameter.FLUSH_WINDOW_MICROS.max() + 1}) {
      assertThatThrownBy(() -> verbs.flushWindow(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("flushWindowNs=" + wrong + " must be in 0..10000000");
    }
  }

  @Test
  void shouldTakeZeroToTenMilliseconds() {
    long most = TimeUnit.MILLISECONDS.toNanos(10);
    for (long valid : new long[] {0, 1, most}) {
      assertThat(ConnectionConfig.builder().flushWindowNs(valid).build().toBuilder().build())
          .extracting(ConnectionConfig::flushWindowNs)
          .isEqualTo(valid);
    }
    for (long wrong : new long[] {-1, most + 1}) {
      assertThatThrownBy(() -> ConnectionConfig.builder().flushWindowNs(wrong).build())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("flushWindowNs=" + wrong + " must be in 0.." + most);
    }
  }
}
