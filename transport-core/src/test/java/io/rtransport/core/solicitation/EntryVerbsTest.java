package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.OutboxEntry.Kind;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.wire.CompleteInErrorFlyweight;
import io.rtransport.core.wire.CompletedFlyweight;
import io.rtransport.core.wire.PullDataFlyweight;
import io.rtransport.core.wire.PushGrantFlyweight;
import io.rtransport.core.wire.PushSolicitedDataFlyweight;
import io.rtransport.core.wire.RecordType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What an application may say of an entry, at once, later or never, and what is given after that:
 * the left end polls entry by entry, the right one is where the records come from.
 */
class EntryVerbsTest {
  private static final int FIRST = -7;
  private static final long RSN = FIRST & 0xFFFF_FFFFL;

  private final SolicitationPair.Settings settings = new SolicitationPair.Settings();
  private final OutboxEntry entry = new OutboxEntry();
  private SolicitationPair pair;
  private SolicitationSublayer solicitation;
  private TransactionSublayer transactions;
  private ToyApplication application;
  private ScriptedPeer peer;
  private ScriptedPeer initiator;

  private void start() {
    pair = new SolicitationPair(new SplittableRandom(3), settings);
    solicitation = pair.left.solicitation;
    transactions = pair.left.transactions;
    application = pair.left.application;
    application.isPlain = true;
    application.isEnding = true;
    pair.right.application.isPlain = true;
    pair.right.application.isEnding = true;
    peer = new ScriptedPeer(pair.left);
    initiator = new ScriptedPeer(pair.right);
  }

  /** The right end pushes messages so long, and their records lie before the left one. */
  private List<ByteBuffer> push(WindowClass windowClass, int... lengths) {
    for (int length : lengths) {
      pair.right.application.submit(false, length);
    }
    return initiator.pull(windowClass);
  }

  private Kind poll() {
    return solicitation.poll(entry) ? entry.kind() : null;
  }

  /** The handle by which the application takes what the entry has opened. */
  private long openedHandle() {
    return application.open(entry);
  }

  private void tell() {
    application.tell(entry);
  }

  private List<ByteBuffer> sent(int type) {
    List<ByteBuffer> records = new ArrayList<>();
    for (ByteBuffer record : peer.pull()) {
      if (record.get(0) == type) {
        records.add(record);
      }
    }
    return records;
  }

  private void endBoth() {
    solicitation.endAll(5, "over");
    while (poll() != null) {
      tell();
    }
    pair.right.endAll(5, "over");
    pair.checkReleased();
  }

  private void completedBelow(int base) {
    ByteBuffer record = peer.record(CompletedFlyweight.FIXED_LENGTH);
    new CompletedFlyweight().wrapNew(record, 0).baseRsn(base).creditLimit(0);
    peer.hand(WindowClass.DATA, List.of(record));
  }

  // ------------------------------------------------------------------ put off

  @Test
  void shouldPutOffAPushThatIsNotAnsweredBeforeTheNextEntry() {
    start();
    peer.hand(WindowClass.DATA, push(WindowClass.DATA, 100));
    assertThat(poll()).isEqualTo(Kind.OPENED);
    assertThat(poll()).as("its bytes are held").isNull();
    assertThat(pair.resources.holding().inUseBytes()).isPositive();
    solicitation.onTimeout(pair.nowNs);
    assertThat(poll()).as("nobody wants to be asked again").isNull();

    solicitation.sinks().retryOpen(RSN);
    assertThat(poll()).as("in the same turn").isNull();
    assertThat(solicitation.nextDeadlineNs()).as("due at once").isEqualTo(pair.nowNs);
    solicitation.onTimeout(pair.nowNs);
    assertThat(poll()).isEqualTo(Kind.OPENED);
    assertThat(entry.rsn()).isEqualTo(RSN);
    endBoth();
  }

  @Test
  void shouldGiveWhatWasHeldToALateAcceptThatNobodyAskedFor() {
    start();
    peer.hand(WindowClass.DATA, push(WindowClass.DATA, 100));
    assertThat(poll()).isEqualTo(Kind.OPENED);
    long handle = openedHandle();
    assertThat(poll()).isNull();

    solicitation.sinks().accept(RSN, handle, false, Long.MAX_VALUE);
    assertThat(solicitation.nextDeadlineNs()).as("due at once").isLessThan(pair.nowNs);
    assertThat(poll()).isEqualTo(Kind.BYTES);
    assertThat(entry.handle()).isEqualTo(handle);
    assertThat(entry.messageOffset()).isZero();
    assertThat(entry.length()).isEqualTo(100);
    tell(); // and the application compares the bytes
    assertThat(poll()).isEqualTo(Kind.DELIVERED);
    assertThat(entry.isWhole()).isTrue();
    tell();
    assertThat(poll()).isNull();
    assertThat(pair.resources.holding().inUseBytes()).isZero();
    assertThat(solicitation.creditUsedBytes()).isZero();
    endBoth();
  }

  @Test
  void shouldIgnoreASecondAcceptAndOneOfAnUnknownRsn() {
    start();
    peer.hand(WindowClass.DATA, push(WindowClass.DATA, 100));
    assertThat(poll()).isEqualTo(Kind.OPENED);
    long handle = openedHandle();
    solicitation.sinks().accept(RSN + 1, handle + 1, false, Long.MAX_VALUE);
    solicitation.sinks().acceptAnswer(RSN, handle + 1, Long.MAX_VALUE);
    solicitation.sinks().accept(RSN, handle, false, Long.MAX_VALUE);
    solicitation.sinks().accept(RSN, handle + 1, false, Long.MAX_VALUE);
    solicitation.sinks().refuse(RSN, 0, false);
    assertThat(poll()).isEqualTo(Kind.BYTES);
    assertThat(entry.handle()).isEqualTo(handle);
    tell();
    solicitation.sinks().accept(RSN, handle + 1, false, Long.MAX_VALUE);
    assertThat(poll()).isEqualTo(Kind.DELIVERED);
    assertThat(entry.handle()).isEqualTo(handle);
    tell();
    solicitation.sinks().accept(RSN, handle + 1, false, Long.MAX_VALUE);
    assertThat(poll()).isNull();
    assertThat(solicitation.failure()).isNull();
    assertThat(sent(RecordType.COMPLETE_IN_ERROR)).isEmpty();
    endBoth();
  }

  // ------------------------------------------------------------------ failures

  @Test
  void shouldGiveNoMoreOfAPushWhoseSinkHasFailed() {
    start();
    List<ByteBuffer> data = push(WindowClass.DATA, 3_000);
    assertThat(data.size()).isGreaterThan(2);
    peer.hand(WindowClass.DATA, data);
    assertThat(poll()).isEqualTo(Kind.OPENED);
    solicitation.sinks().failSink(RSN); // of what it has not taken: nothing
    solicitation.sinks().accept(RSN, openedHandle(), false, Long.MAX_VALUE);
    assertThat(poll()).isEqualTo(Kind.BYTES);
    solicitation.sinks().failSink(RSN);
    solicitation.sinks().failSink(RSN);
    assertThat(poll()).isNull();
    assertThat(solicitation.creditUsedBytes()).isZero();
    List<ByteBuffer> errors = sent(RecordType.COMPLETE_IN_ERROR);
    assertThat(errors).hasSize(1);
    CompleteInErrorFlyweight error = new CompleteInErrorFlyweight().wrap(errors.get(0), 0);
    assertThat(error.rsn()).isEqualTo(FIRST);
    assertThat(error.code()).isEqualTo(CloseCode.REFUSED_BY_SINK.code());
    endBoth();
  }

  /** What is held of it has a hole, so there would be two entries. */
  @Test
  void shouldGiveNoMoreOfWhatIsHeldOfAPushThatHasFailed() {
    start();
    List<ByteBuffer> data = push(WindowClass.DATA, 3_000);
    peer.hand(WindowClass.DATA, List.of(data.get(0), data.get(2)));
    assertThat(poll()).isEqualTo(Kind.OPENED);
    long handle = openedHandle();
    assertThat(poll()).isNull();
    solicitation.sinks().accept(RSN, handle, false, Long.MAX_VALUE);
    assertThat(poll()).isEqualTo(Kind.BYTES);
    transactions.inbound().fail(RSN, 77, "no");
    assertThat(poll()).isNull();
    assertThat(pair.resources.holding().inUseBytes()).isZero();
    endBoth();
  }

  /** It is whole, its turn has come, and the application fails it before it has heard of that. */
  @Test
  void shouldNotGiveAPushThatFailedWhenItWasItsTurn() {
    start();
    acceptAnEmptyPushLate();
    transactions.inbound().fail(RSN, 77, "no");
    assertThat(poll()).isNull();
    assertThat(sent(RecordType.COMPLETE_IN_ERROR)).hasSize(1);
    assertThat(pair.resources.reorderTable().size()).isZero();
    endBoth();
  }

  @Test
  void shouldNotGiveAPushWhoseConnectionEndedWhenItWasItsTurn() {
    start();
    acceptAnEmptyPushLate();
    solicitation.endAll(5, "over");
    assertThat(poll()).isEqualTo(Kind.DELIVERED);
    assertThat(entry.isWhole()).isFalse();
    tell();
    assertThat(poll()).isNull();
    endBoth();
  }

  private void acceptAnEmptyPushLate() {
    peer.hand(WindowClass.DATA, push(WindowClass.DATA, 0));
    assertThat(poll()).isEqualTo(Kind.OPENED);
    long handle = openedHandle();
    assertThat(poll()).isNull();
    solicitation.sinks().accept(RSN, handle, false, Long.MAX_VALUE);
  }

  /** Larger than the node keeps: the application is to hear once that it stays in part. */
  @Test
  void shouldSayOnceThatAPushStaysInPartWhenTheConnectionEndsBeforeThat() {
    settings.budgetBytes = 512 << 10;
    start();
    application.isKeepingWhole = true;
    peer.hand(WindowClass.REQUEST, push(WindowClass.REQUEST, 1 << 20));
    assertThat(poll()).isEqualTo(Kind.OPENED);
    solicitation.sinks().accept(RSN, openedHandle(), false, Long.MAX_VALUE);
    solicitation.endAll(5, "over");
    assertThat(poll()).isEqualTo(Kind.DELIVERED);
    assertThat(entry.isWhole()).isFalse();
    tell();
    assertThat(poll()).isNull();
    endBoth();
  }

  /** Ends of pushes have a short way, which must not be shorter than that of what goes first. */
  @Test
  void shouldSayThatAMessageStaysInPartBeforeTheNextEnd() {
    start();
    application.submit(false, 10);
    application.submit(false, 10);
    application.submit(true, 2_000);
    peer.pull();
    handAnswer(2, 1_000, 2_000);
    assertThat(poll()).isEqualTo(Kind.OPENED);
    solicitation.sinks().acceptAnswer(RSN + 2, openedHandle(), Long.MAX_VALUE);
    assertThat(poll()).isEqualTo(Kind.BYTES);
    assertThat(poll()).isNull();
    completedBelow(FIRST + 2);
    assertThat(poll()).isEqualTo(Kind.ENDED);
    assertThat(transactions.cancel(RSN + 2)).isTrue();
    assertThat(poll()).isEqualTo(Kind.DELIVERED);
    assertThat(entry.isWhole()).isFalse();
    assertThat(poll()).isEqualTo(Kind.ENDED);
    assertThat(entry.tag()).isEqualTo(1);
    assertThat(poll()).isNull();
  }

  /** The answer to the own pull {@code index}: its first bytes. */
  private void handAnswer(int index, int length, int total) {
    ByteBuffer record = peer.record(PullDataFlyweight.fixedLength(0) + length);
    PullDataFlyweight data = new PullDataFlyweight().wrapNew(record, 0, 0);
    data.rsn(FIRST + index).offset(0).total(total).payloadLength(length);
    for (int i = 0; i < length; i++) {
      record.put(data.payloadOffset() + i, ToyApplication.contentAt(index, true, i));
    }
    peer.hand(WindowClass.DATA, List.of(record));
  }

  @Test
  void shouldRefuseAnAnswerThatIsNotAcceptedBeforeTheNextEntry() {
    start();
    application.submit(true, 100);
    peer.pull();
    handAnswer(0, 100, 100);
    assertThat(poll()).isEqualTo(Kind.OPENED);
    assertThat(entry.isAnswer()).isTrue();
    assertThat(entry.messageLength()).isEqualTo(100);
    assertThat(poll()).isEqualTo(Kind.ENDED);
    assertThat(entry.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(entry.code()).isEqualTo(CloseCode.REFUSED_BY_SINK.code());
    tell();
    solicitation.sinks().acceptAnswer(RSN, 0, Long.MAX_VALUE);
    assertThat(poll()).isNull();
    assertThat(solicitation.heldBytes()).isZero();
    endBoth();
  }

  // ------------------------------------------------------------------ order

  @Test
  void shouldAskForTheSecondSolicitedPushWhenTheFirstIsAcceptedLater() {
    start();
    peer.hand(WindowClass.REQUEST, push(WindowClass.REQUEST, 10_000, 20_000));
    assertThat(poll()).isEqualTo(Kind.OPENED);
    assertThat(entry.rsn()).isEqualTo(RSN);
    long first = openedHandle();
    assertThat(poll()).as("the second waits for the answer").isNull();
    assertThat(sent(RecordType.PUSH_GRANT)).isEmpty();

    solicitation.sinks().accept(RSN, first, false, Long.MAX_VALUE);
    assertThat(poll()).isEqualTo(Kind.OPENED);
    assertThat(entry.rsn()).isEqualTo(RSN + 1);
    assertThat(entry.messageLength()).isEqualTo(20_000);
    solicitation.sinks().accept(RSN + 1, openedHandle(), false, Long.MAX_VALUE);
    assertThat(poll()).isNull();
    List<Integer> granted = new ArrayList<>();
    for (ByteBuffer grant : sent(RecordType.PUSH_GRANT)) {
      granted.add(new PushGrantFlyweight().wrap(grant, 0).rsn());
    }
    assertThat(granted).containsExactly(FIRST, FIRST + 1);
    endBoth();
  }

  // ------------------------------------------------------------------ the connection's end

  @Test
  void shouldIgnoreAnAcceptAfterTheConnectionsEnd() {
    start();
    List<ByteBuffer> data = push(WindowClass.DATA, 100, 100);
    peer.hand(WindowClass.DATA, data);
    assertThat(poll()).isEqualTo(Kind.OPENED);
    long handle = openedHandle();
    solicitation.endAll(5, "over");
    solicitation.sinks().accept(RSN, handle, false, Long.MAX_VALUE);
    assertThat(poll()).as("neither of it nor of what is left of the burst").isNull();
    assertThat(pair.resources.transactions().inUse()).as("of the left end").isEqualTo(0);
    endBoth();
  }

  /** It is about to end the connection: whatever is left of the burst is a liar's. */
  @ParameterizedTest
  @ValueSource(ints = {-1, 1_000})
  void shouldReadNoMoreOfABurstBehindWhatBreaksARule(int wholeLengthMax) {
    start();
    solicitation.wholeLengthMax(wholeLengthMax);
    ByteBuffer lie = peer.record(PushSolicitedDataFlyweight.FIXED_LENGTH + 10);
    new PushSolicitedDataFlyweight().wrapNew(lie, 0).rsn(FIRST).offset(0).payloadLength(10);
    List<ByteBuffer> records = new ArrayList<>(List.of(lie));
    records.addAll(push(WindowClass.DATA, 100));
    peer.hand(WindowClass.DATA, records);
    assertThat(poll()).isNull();
    assertThat(solicitation.failure()).contains("not granted");
    assertThat(transactions.peers().size()).isZero();
    endBoth();
  }
}
