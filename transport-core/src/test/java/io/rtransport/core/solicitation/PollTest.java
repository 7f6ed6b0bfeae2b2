package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.OutboxEntry.Kind;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.wire.CompletedFlyweight;
import io.rtransport.core.wire.PullDataFlyweight;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the transactions of one side have to say, taken by polling. */
class PollTest {
  private static final int RSN = -7;
  private static final int ROOM_WORTH_TELLING = 4; // an eighth of the window

  private final SolicitationPair.Settings settings = new SolicitationPair.Settings();
  private final OutboxEntry entry = new OutboxEntry();
  private SolicitationPair pair;
  private TransactionSublayer transactions;

  private void start() {
    settings.outstandingMax = 8 * ROOM_WORTH_TELLING;
    pair = new SolicitationPair(new SplittableRandom(3), settings);
    transactions = pair.left.transactions;
    pair.left.application.isPlain = true;
    pair.right.application.isPlain = true;
    pair.left.application.isEnding = true;
  }

  private void submit(int count) {
    for (int i = 0; i < count; i++) {
      pair.left.application.submit(false, 10);
    }
  }

  private void cancel(int index) {
    assertThat(transactions.cancel(Integer.toUnsignedLong(RSN + index))).isTrue();
  }

  private List<Kind> pollAll() {
    List<Kind> kinds = new ArrayList<>();
    while (transactions.poll(entry)) {
      kinds.add(entry.kind());
      pair.left.application.tell(entry);
      assertThat(kinds.size()).as("more than there can be").isLessThan(100);
    }
    return kinds;
  }

  @Test
  void shouldGiveAnEndOnceWithAllThatIsKnownOfIt() {
    start();
    submit(1);
    assertThat(transactions.poll(entry)).as("nothing has ended").isFalse();
    cancel(0);
    assertThat(transactions.poll(entry)).isTrue();
    assertThat(entry.kind()).as("its payload first").isEqualTo(Kind.SOURCE_RELEASED);
    pair.left.application.tell(entry);
    assertThat(pair.left.application.submitted.get(0).releases).isEqualTo(1);
    assertThat(transactions.poll(entry)).isTrue();
    assertThat(entry.kind()).isEqualTo(Kind.ENDED);
    assertThat(entry.tag()).isEqualTo(pair.left.application.submitted.get(0).tag);
    assertThat(entry.outcome()).isEqualTo(Outcome.NOT_EXECUTED);
    assertThat(entry.code()).isEqualTo(CloseCode.CANCELLED.code());
    assertThat(entry.text()).isEqualTo(CloseCode.CANCELLED.sentence());
    assertThat(entry.isFromTransport()).isTrue();
    assertThat(transactions.poll(entry)).as("again").isFalse();
    assertThat(entry.kind()).as("left as it was").isEqualTo(Kind.ENDED);
  }

  /** Else an application that does not poll would begin more than it has agreed to keep. */
  @Test
  void shouldFreeThePlaceOfAnEndOnlyWhenItIsPolled() {
    start();
    submit(3);
    cancel(0);
    assertThat(transactions.outstanding()).isEqualTo(3);
    assertThat(transactions.isHandedUp(RSN)).isFalse();
    assertThat(pollAll()).containsExactly(Kind.SOURCE_RELEASED, Kind.ENDED);
    assertThat(transactions.outstanding()).isEqualTo(2);
    assertThat(transactions.isHandedUp(RSN)).isTrue();
  }

  @Test
  void shouldHoldAnEndBackUntilItsTurn() {
    start();
    submit(2);
    cancel(1);
    assertThat(pollAll()).as("its payload is let go at once").containsExactly(Kind.SOURCE_RELEASED);
    cancel(0);
    assertThat(pollAll()).containsExactly(Kind.SOURCE_RELEASED, Kind.ENDED, Kind.ENDED);
    assertThat(entry.tag()).isEqualTo(pair.left.application.submitted.get(1).tag);
  }

  @Test
  void shouldGiveEndsAsTheyComeWithoutOrder() {
    settings.isOrdered = false;
    start();
    submit(2);
    cancel(1);
    assertThat(pollAll()).containsExactly(Kind.SOURCE_RELEASED, Kind.ENDED);
    assertThat(entry.tag()).isEqualTo(pair.left.application.submitted.get(1).tag);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldGiveNeighboursOfOneTagThatCompletedInOneEntry(boolean isOrdered) {
    settings.isOrdered = isOrdered;
    start();
    PayloadSource nothing = (handle, offset, to, index, length) -> length;
    for (long tag : new long[] {7, 7, 7, 8, 7}) {
      assertThat(transactions.submitPush(nothing, 0, 0, null, 0, 0, tag, true)).isTrue();
    }
    ScriptedPeer peer = new ScriptedPeer(pair.left);
    peer.pull();
    ByteBuffer record = peer.record(CompletedFlyweight.FIXED_LENGTH);
    new CompletedFlyweight().wrapNew(record, 0).baseRsn(RSN + 5).creditLimit(0);
    List<String> ends = new ArrayList<>();
    peer.hand(WindowClass.DATA, List.of(record));
    while (pair.left.solicitation.poll(entry)) {
      ends.add(entry.count() + " of " + entry.tag() + " " + entry.outcome());
    }
    assertThat(ends).containsExactly("3 of 7 COMPLETED", "1 of 8 COMPLETED", "1 of 7 COMPLETED");
    assertThat(transactions.outstanding()).isZero();
  }

  /** Only after a refusal, and only when an eighth of the window is free: both sides of it. */
  @Test
  void shouldTellOfRoomOnceAfterARefusal() {
    start();
    submit(settings.outstandingMax);
    assertThat(transactions.submitPush(null, 0, 0, null, 0, 0, 0, true)).isFalse();
    for (int i = 0; i < ROOM_WORTH_TELLING - 1; i++) {
      cancel(i);
    }
    ScriptedPeer peer = new ScriptedPeer(pair.left);
    peer.pull();
    peer.acknowledgeAll(); // that they are not used; before that their places are not free
    assertThat(pollAll())
        .filteredOn(kind -> kind != Kind.SOURCE_RELEASED)
        .containsExactly(Kind.ENDED, Kind.ENDED, Kind.ENDED);
    assertThat(pair.left.application.submittables).isZero();
    ByteBuffer record = peer.record(CompletedFlyweight.FIXED_LENGTH);
    new CompletedFlyweight().wrapNew(record, 0).baseRsn(RSN + ROOM_WORTH_TELLING).creditLimit(0);
    peer.send(WindowClass.DATA, record);
    assertThat(pair.left.application.submittables).isEqualTo(1);
    assertThat(pollAll()).as("again").isEmpty();
  }

  /**
   * A sink that holds part of an answer hears of that first, so that it is done with by the end.
   */
  @Test
  void shouldGiveTheAnswerOfAPullBeforeItsEnd() {
    start();
    pair.left.application.submit(true, 2_000);
    ScriptedPeer peer = new ScriptedPeer(pair.left);
    peer.pull();
    ByteBuffer record = peer.record(PullDataFlyweight.fixedLength(0) + 1_000);
    PullDataFlyweight data =
        new PullDataFlyweight()
            .wrapNew(record, 0, 0)
            .rsn(RSN)
            .offset(0)
            .total(2_000)
            .payloadLength(1_000);
    for (int i = 0; i < 1_000; i++) {
      record.put(data.payloadOffset() + i, ToyApplication.contentAt(0, true, i));
    }
    peer.send(WindowClass.DATA, record);
    pair.left.solicitation.endAll(5, "the connection ended");
    assertThat(transactions.poll(entry)).isTrue();
    assertThat(entry.kind()).isEqualTo(Kind.DELIVERED);
    assertThat(entry.isWhole()).isFalse();
    pair.left.application.tell(entry);
    assertThat(transactions.outstanding()).as("until its end is polled").isEqualTo(1);
    assertThat(transactions.poll(entry)).isTrue();
    assertThat(entry.kind()).isEqualTo(Kind.ENDED);
    assertThat(entry.outcome()).isEqualTo(Outcome.UNKNOWN);
    pair.left.application.tell(entry);
    assertThat(transactions.poll(entry)).as("again").isFalse();
    pair.right.endAll(5, "the connection ended");
    pair.checkReleased();
  }

  @Test
  void shouldGiveEveryEndWhenTheConnectionEnds() {
    start();
    submit(3);
    new ScriptedPeer(pair.left).pull();
    pair.left.application.submit(false, 10);
    pair.left.solicitation.endAll(5, "the connection ended");
    pair.left.solicitation.endAll(6, "twice");
    List<Outcome> outcomes = new ArrayList<>();
    assertThat(transactions.poll(entry)).isTrue();
    assertThat(entry.kind()).as("of the one that was not sent").isEqualTo(Kind.SOURCE_RELEASED);
    pair.left.application.tell(entry);
    while (transactions.poll(entry)) {
      assertThat(entry.kind()).isEqualTo(Kind.ENDED);
      assertThat(entry.code()).isEqualTo(5);
      assertThat(entry.text()).isEqualTo("the connection ended");
      outcomes.add(entry.outcome());
      pair.left.application.tell(entry);
    }
    assertThat(outcomes)
        .containsExactly(Outcome.UNKNOWN, Outcome.UNKNOWN, Outcome.UNKNOWN, Outcome.NOT_EXECUTED);
    assertThat(transactions.outstanding()).isZero();
    pair.right.endAll(5, "the connection ended");
    pair.checkReleased();
  }
}
