package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.transaction.ByteRanges;
import io.rtransport.core.wire.CompleteInErrorFlyweight;
import io.rtransport.core.wire.CompletedFlyweight;
import io.rtransport.core.wire.FinFlyweight;
import io.rtransport.core.wire.PullDataFlyweight;
import io.rtransport.core.wire.PullGrantFlyweight;
import io.rtransport.core.wire.PullRequestFlyweight;
import io.rtransport.core.wire.PushGrantFlyweight;
import io.rtransport.core.wire.PushSolicitedDataFlyweight;
import io.rtransport.core.wire.PushSolicitedRequestFlyweight;
import io.rtransport.core.wire.PushUnsolicitedDataFlyweight;
import io.rtransport.core.wire.RecordType;
import io.rtransport.core.wire.ResyncFlyweight;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Well-formed records that lie: a rule that a peer cannot break by accident ends the connection;
 * the rest is ignored and counted.
 */
class HostilePeerTest {
  private static final int RSN = -7;
  private static final int SSN = -2;

  private final SolicitationPair.Settings settings = new SolicitationPair.Settings();
  private SolicitationPair pair = pair();
  private ScriptedPeer peer = new ScriptedPeer(pair.left);

  private SolicitationPair pair() {
    SolicitationPair created = new SolicitationPair(new SplittableRandom(1), settings);
    created.left.application.isPlain = true;
    return created;
  }

  private String failure() {
    return pair.left.solicitation.failure();
  }

  private void piece(int rsn, long offset, long total, int length) {
    ByteBuffer record =
        peer.record(16 + length + (offset == 0 ? 2 + ToyApplication.HEADER_LENGTH : 0));
    int flags = offset == 0 ? PushUnsolicitedDataFlyweight.FLAG_HEADER : 0;
    PushUnsolicitedDataFlyweight data =
        new PushUnsolicitedDataFlyweight().wrapNew(record, 0, flags);
    data.rsn(rsn).offset(offset).total(total);
    if (offset == 0) {
      data.headerLength(ToyApplication.HEADER_LENGTH);
      record.putLong(data.headerOffset(), rsn - RSN).putInt(data.headerOffset() + 8, (int) total);
    }
    data.payloadLength(length);
    for (int i = 0; i < length; i++) {
      record.put(data.payloadOffset() + i, ToyApplication.contentAt(rsn - RSN, false, offset + i));
    }
    peer.send(WindowClass.DATA, record);
  }

  private void request(int rsn, int ssn, long length) {
    ByteBuffer record =
        peer.record(PushSolicitedRequestFlyweight.FIXED_LENGTH + ToyApplication.HEADER_LENGTH);
    PushSolicitedRequestFlyweight request = new PushSolicitedRequestFlyweight().wrapNew(record, 0);
    request.rsn(rsn).ssn(ssn).messageLength(length).headerLength(ToyApplication.HEADER_LENGTH);
    record
        .putLong(request.headerOffset(), rsn - RSN)
        .putInt(request.headerOffset() + 8, (int) length);
    peer.send(WindowClass.REQUEST, record);
  }

  private void solicitedData(int rsn, long offset, int length) {
    ByteBuffer record = peer.record(PushSolicitedDataFlyweight.FIXED_LENGTH + length);
    new PushSolicitedDataFlyweight()
        .wrapNew(record, 0)
        .rsn(rsn)
        .offset(offset)
        .payloadLength(length);
    for (int i = 0; i < length; i++) {
      record.put(
          PushSolicitedDataFlyweight.FIXED_LENGTH + i,
          ToyApplication.contentAt(rsn - RSN, false, offset + i));
    }
    peer.send(WindowClass.DATA, record);
  }

  private void pullRequest(int rsn, long most, long granted) {
    ByteBuffer record =
        peer.record(PullRequestFlyweight.FIXED_LENGTH + ToyApplication.HEADER_LENGTH);
    PullRequestFlyweight request = new PullRequestFlyweight().wrapNew(record, 0);
    request
        .rsn(rsn)
        .maxLength(most)
        .grantedBytes(granted)
        .headerLength(ToyApplication.HEADER_LENGTH);
    record.putLong(request.headerOffset(), rsn - RSN);
    peer.send(WindowClass.REQUEST, record);
  }

  @Test
  void shouldEndTheConnectionWhenBytesPassTheirMessagesEnd() {
    piece(RSN, 100, 200, 100);
    assertThat(failure()).isNull();
    piece(RSN, 101, 200, 100);
    assertThat(failure()).contains("end=201");
  }

  @Test
  void shouldEndTheConnectionWhenATotalChanges() {
    piece(RSN, 100, 200, 10);
    piece(RSN, 110, 201, 10);
    assertThat(failure()).contains("total=201");
  }

  @Test
  void shouldTakeTheLastByteOfCreditAndEndTheConnectionAtOneMore() {
    int all = settings.creditBytes - Limits.CREDIT_OVERHEAD_BYTES;
    piece(RSN + 1, 1, all, 10);
    assertThat(failure()).isNull();
    assertThat(pair.left.solicitation.creditUsedBytes()).isEqualTo(settings.creditBytes);
    piece(RSN + 2, 1, 0, 0);
    assertThat(failure()).contains("credit overrun");
  }

  @Test
  void shouldNotAllocateByATotalThatNobodyPaid() {
    long before = pair.resources.holding().inUseBytes();
    piece(RSN, 5, settings.lengthMax, 10);
    assertThat(failure()).contains("credit overrun");
    assertThat(pair.resources.holding().inUseBytes()).isEqualTo(before);
  }

  @Test
  void shouldBoundTheSpanOfRsns() {
    piece(RSN + Limits.RSN_SPAN_MAX - 1, 5, 20, 10);
    assertThat(failure()).isNull();
    piece(RSN + Limits.RSN_SPAN_MAX, 5, 20, 10);
    assertThat(failure()).contains("span");
  }

  @Test
  void shouldBoundTheNumberOfUnendedTransactions() {
    for (int i = 0; i < settings.outstandingMax; i++) {
      request(RSN + i, SSN + i, 10_000);
      peer.pull();
    }
    assertThat(failure()).isNull();
    pullRequest(RSN + settings.outstandingMax, 10, 10);
    assertThat(failure()).contains("256 transactions");
  }

  @Test
  void shouldRefuseAnSsnThatWasUsedOrIsTooFarAhead() {
    request(RSN, SSN, 100);
    request(RSN + 1, SSN + 5, 100);
    assertThat(failure()).isNull();
    request(RSN + 2, SSN + 5, 100);
    assertThat(failure()).contains("ssn=3");
    for (int ssn : new int[] {SSN - 1, SSN + settings.outstandingMax}) {
      pair = pair();
      peer = new ScriptedPeer(pair.left);
      request(RSN, ssn, 100);
      assertThat(failure()).contains("ssn=" + Integer.toUnsignedString(ssn));
    }
    pair = pair();
    peer = new ScriptedPeer(pair.left);
    request(RSN, SSN + settings.outstandingMax - 1, 100);
    assertThat(failure()).isNull();
  }

  @Test
  void shouldRefuseAMessageThatIsLargerThanAgreed() {
    request(RSN, SSN, settings.lengthMax);
    assertThat(failure()).isNull();
    request(RSN + 1, SSN + 1, settings.lengthMax + 1);
    assertThat(failure()).contains("length=4194305 must be 0..4194304");
  }

  @Test
  void shouldRefuseAnUnsolicitedMessageThatIsLargerThanAgreed() {
    settings.lengthMax = 1_000;
    for (int offset : new int[] {0, 1}) { // its first piece, which asks the sink, and another
      pair = pair();
      peer = new ScriptedPeer(pair.left);
      piece(RSN, offset, 1_000, 10);
      assertThat(failure()).isNull();
      piece(RSN + 1, offset, 1_001, 10);
      assertThat(failure()).contains("length=1001 must be 0..1000");
    }
    pair = pair();
    peer = new ScriptedPeer(pair.left);
    whole(RSN, 1_001, ToyApplication.HEADER_LENGTH);
    assertThat(failure()).contains("length=1001 must be 0..1000");
  }

  @Test
  void shouldRefuseAnApplicationHeaderThatIsLongerThanAgreed() {
    whole(RSN, 10, 257);
    assertThat(failure()).contains("header length=257 must be 0..256");
    for (boolean isPull : new boolean[] {false, true}) {
      pair = pair();
      peer = new ScriptedPeer(pair.left);
      peer.send(WindowClass.REQUEST, bare(isPull, 1, 256)); // waits for its turn
      assertThat(failure()).isNull();
      peer.send(WindowClass.REQUEST, bare(isPull, 2, 257));
      assertThat(failure()).contains("header length=257 must be 0..256");
    }
  }

  /** A request with a header of zeros. */
  private ByteBuffer bare(boolean isPull, int number, int headerLength) {
    ByteBuffer record = peer.record(16 + headerLength);
    if (isPull) {
      new PullRequestFlyweight().wrapNew(record, 0).rsn(RSN + number).headerLength(headerLength);
    } else {
      new PushSolicitedRequestFlyweight()
          .wrapNew(record, 0)
          .rsn(RSN + number)
          .ssn(SSN + number)
          .headerLength(headerLength);
    }
    return record;
  }

  /** A message in one record, at its turn: nothing is kept of it. */
  private void whole(int rsn, int length, int headerLength) {
    int flags = PushUnsolicitedDataFlyweight.FLAG_WHOLE | PushUnsolicitedDataFlyweight.FLAG_HEADER;
    ByteBuffer record = peer.record(10 + headerLength + length);
    PushUnsolicitedDataFlyweight data =
        new PushUnsolicitedDataFlyweight().wrapNew(record, 0, flags);
    data.rsn(rsn).headerLength(headerLength);
    record.putLong(data.headerOffset(), rsn - RSN).putInt(data.headerOffset() + 8, length);
    data.payloadLength(length);
    for (int i = 0; i < length; i++) {
      record.put(data.payloadOffset() + i, ToyApplication.contentAt(rsn - RSN, false, i));
    }
    peer.send(WindowClass.DATA, record);
  }

  @Test
  void shouldRefuseSolicitedDataThatWasNotGranted() {
    request(RSN, SSN, 300 << 10);
    solicitedData(RSN, 0, 100);
    assertThat(failure()).contains("not granted");
    pair = pair();
    peer = new ScriptedPeer(pair.left);
    request(RSN, SSN, 300 << 10);
    assertThat(peer.pull()).hasSize(2);
    solicitedData(RSN, (300 << 10) - 100, 100);
    assertThat(failure()).isNull();
    solicitedData(RSN, (300 << 10) - 99, 100);
    assertThat(failure()).contains("not granted");
  }

  @Test
  void shouldCountEachByteOnceHoweverOftenItComes() {
    request(RSN, SSN, 1_000);
    peer.pull();
    solicitedData(RSN, 0, 600);
    solicitedData(RSN, 0, 600);
    solicitedData(RSN, 100, 600);
    assertThat(pair.left.solicitation.heldBytes()).isEqualTo(300);
    solicitedData(RSN, 500, 500);
    assertThat(pair.left.application.delivered).isEqualTo(1);
    solicitedData(RSN, 500, 500);
    assertThat(failure()).isNull();
    assertThat(pair.left.counters.value(CounterId.RECORDS_IGNORED)).isPositive();
  }

  @Test
  void shouldRefuseAnAnswerThatNobodyAskedFor() {
    answer(RSN, 0, 10, 10);
    assertThat(failure()).contains("PULL_DATA");
  }

  private void answer(int rsn, long offset, long total, int length) {
    ByteBuffer record = peer.record(PullDataFlyweight.fixedLength(0) + length);
    new PullDataFlyweight()
        .wrapNew(record, 0, 0)
        .rsn(rsn)
        .offset(offset)
        .total(total)
        .payloadLength(length);
    for (int i = 0; i < length; i++) {
      record.put(16 + i, ToyApplication.contentAt(rsn - RSN, true, offset + i));
    }
    peer.send(WindowClass.DATA, record);
  }

  @Test
  void shouldRefuseAnAnswerThatPassesWhatWasGrantedOrAskedFor() {
    pair.left.application.submit(true, 100_000);
    peer.pull();
    answer(RSN, 65_000, 100_000, 536);
    assertThat(failure()).isNull();
    answer(RSN, 65_001, 100_000, 536);
    assertThat(failure()).contains("not asked for");
    pair = pair();
    peer = new ScriptedPeer(pair.left);
    pair.left.application.submit(true, 1_000);
    peer.pull();
    answer(RSN, 0, 1_001, 10);
    assertThat(failure()).contains("not asked for");
  }

  @Test
  void shouldRefuseAPullThatGrantsMoreThanItAsksFor() {
    pullRequest(RSN, 100, 100);
    assertThat(failure()).isNull();
    pullRequest(RSN + 1, 100, 101);
    assertThat(failure()).contains("granted=101 must be 0..100");
  }

  @Test
  void shouldIgnoreGrantsThatPassTheEndAndAnswersToWhatHasEnded() {
    pullRequest(RSN, 100, 10);
    ByteBuffer record = peer.record(PullGrantFlyweight.FIXED_LENGTH);
    new PullGrantFlyweight().wrapNew(record, 0).rsn(RSN).offset(10).grantLength(91);
    peer.send(WindowClass.DATA, record);
    assertThat(pair.left.counters.value(CounterId.GRANTS_IGNORED)).isEqualTo(1);
    new PushGrantFlyweight()
        .wrapNew(record = peer.record(20), 0)
        .rsn(RSN)
        .ssn(SSN)
        .offset(0)
        .grantLength(1);
    peer.send(WindowClass.DATA, record);
    assertThat(pair.left.counters.value(CounterId.GRANTS_IGNORED)).isEqualTo(2);
    assertThat(failure()).isNull();
  }

  /** Single bytes with gaps between them: no answer ever starts, and each range costs memory. */
  @Test
  void shouldBoundTheRangesOfAllGrantsTogether() {
    int pulls = 10;
    int grantsEach = 1_000;
    for (int pull = 0; pull < pulls; pull++) {
      pullRequest(RSN + pull, 1 << 20, 0);
      pair.left.tellAll();
      pair.left.transactions.inbound().respond(RSN + pull, (h, o, to, i, l) -> l, 1, 1 << 20);
      for (int i = 0; i < grantsEach; i++) {
        grantAnswer(RSN + pull, 2 * i + 1, 1);
      }
    }
    assertThat(failure()).isNull();
    long ignored = pair.left.counters.value(CounterId.GRANTS_IGNORED);
    assertThat(ignored).isEqualTo(pulls * grantsEach - ByteRanges.RANGES_MAX);
    grantAnswer(RSN, 0, 1); // joins the first range: a place for one of the last pull's
    grantAnswer(RSN + pulls - 1, 2 * grantsEach + 1, 1);
    assertThat(pair.left.counters.value(CounterId.GRANTS_IGNORED)).isEqualTo(ignored);
    pair.left.endAll(1, "over");
  }

  private void grantAnswer(int rsn, long offset, long length) {
    ByteBuffer record = peer.record(PullGrantFlyweight.FIXED_LENGTH);
    new PullGrantFlyweight().wrapNew(record, 0).rsn(rsn).offset(offset).grantLength(length);
    peer.send(WindowClass.DATA, record);
  }

  @Test
  void shouldIgnoreAnErrorForWhatWasNeverSent() {
    pair.left.application.submit(false, 100);
    ByteBuffer record = peer.record(CompleteInErrorFlyweight.FIXED_LENGTH);
    new CompleteInErrorFlyweight().wrapNew(record, 0).rsn(RSN).code(1);
    peer.send(WindowClass.DATA, record);
    assertThat(pair.left.application.ended).isZero();
    assertThat(pair.left.counters.value(CounterId.COMPLETED_IGNORED)).isEqualTo(1);
  }

  @Test
  void shouldHoldAFinAgainstWhatWasSeen() {
    unfinished(RSN);
    assertThat(failure()).as("nothing was begun, nothing will be").isNull();
    unfinished(RSN);
    assertThat(failure()).as("the same again").isNull();
    assertThat(pair.left.solicitation.isPeerFinishing()).isTrue();
    piece(RSN, 0, 10, 10);
    assertThat(failure()).contains("final");
  }

  @Test
  void shouldRefuseAFinBelowWhatWasSeen() {
    piece(RSN + 3, 5, 20, 10);
    unfinished(RSN + 3);
    assertThat(failure()).contains("FIN");
  }

  @Test
  void shouldRefuseAFinBeyondTheSpan() {
    unfinished(RSN + Limits.RSN_SPAN_MAX + 1);
    assertThat(failure()).contains("FIN");
  }

  private void unfinished(int finalRsn) {
    ByteBuffer record = peer.record(FinFlyweight.FIXED_LENGTH);
    new FinFlyweight().wrapNew(record, 0).finalRsn(finalRsn);
    peer.send(WindowClass.DATA, record);
  }

  @Test
  void shouldEndTheConnectionAtAResyncOfWhatHasBegunOrWasCancelled() {
    ByteBuffer record = peer.record(8);
    record.put(0, (byte) RecordType.CANCEL).putShort(2, (short) 8).putInt(4, RSN);
    peer.send(WindowClass.DATA, record);
    assertThat(failure()).isNull();
    peer.send(WindowClass.DATA, record);
    assertThat(pair.left.counters.value(CounterId.RECORDS_IGNORED)).isEqualTo(1);
    record = peer.record(ResyncFlyweight.FIXED_LENGTH);
    new ResyncFlyweight().wrapNew(record, 0).rsn(RSN);
    peer.send(WindowClass.DATA, record);
    assertThat(failure()).contains("RESYNC");
  }

  private void resync(int rsn, long creditBytes) {
    ByteBuffer record = peer.record(ResyncFlyweight.FIXED_LENGTH);
    new ResyncFlyweight().wrapNew(record, 0).rsn(rsn).creditBytes(creditBytes);
    peer.send(WindowClass.DATA, record);
  }

  /** Every second RSN is given up, so each would be a range of ended RSNs of its own. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldBoundTheRsnsThatAPeerGivesUp(boolean isOrdered) {
    SolicitationPair.Settings settings = new SolicitationPair.Settings();
    settings.isOrdered = isOrdered;
    settings.outstandingMax = 256;
    pair = new SolicitationPair(new SplittableRandom(1), settings);
    peer = new ScriptedPeer(pair.left);
    int most = 0;
    for (int i = 1; i < 10_000 && failure() == null; i++) {
      resync(RSN + 2 * i, 0);
      pair.left.tellAll();
      most = Math.max(most, pair.left.transactions.peers().size());
    }
    assertThat(failure()).contains("transactions unended");
    assertThat(most).isBetween(256, 2 * 256);
  }

  /** As above, and then the RSN that all of them wait for ends. */
  @Test
  void shouldEndTheRsnsThatAPeerGaveUpOnceTheirTurnComes() {
    SolicitationPair.Settings settings = new SolicitationPair.Settings();
    settings.isOrdered = false;
    settings.outstandingMax = 4_096;
    pair = new SolicitationPair(new SplittableRandom(1), settings);
    peer = new ScriptedPeer(pair.left);
    for (int i = 1; i <= Limits.ENDED_RANGES_MAX + 20; i++) {
      resync(RSN + 2 * i, 0);
    }
    assertThat(failure()).isNull();
    assertThat(pair.left.transactions.peers().size()).isEqualTo(20);
    for (int i = 0; i <= Limits.ENDED_RANGES_MAX + 20; i++) {
      resync(RSN + 2 * i + (i == 0 ? 0 : -1), 0);
    }
    pair.left.tellAll();
    assertThat(failure()).isNull();
    assertThat(pair.left.transactions.peers().size()).isZero();
  }

  @Test
  void shouldIgnoreAResyncThatIsSaidAgainBeforeItsTurnAndAfterIt() {
    resync(RSN + 1, 40);
    long charged = pair.left.solicitation.creditChargedBytes();
    resync(RSN + 1, 40);
    assertThat(failure()).as("its turn has not come").isNull();
    assertThat(pair.left.counters.value(CounterId.RECORDS_IGNORED)).isEqualTo(1);
    resync(RSN, 0);
    resync(RSN, 0);
    resync(RSN + 1, 40);
    assertThat(failure()).as("both have ended").isNull();
    assertThat(pair.left.counters.value(CounterId.RECORDS_IGNORED)).isEqualTo(3);
    assertThat(pair.left.solicitation.creditChargedBytes()).isEqualTo(charged);
  }

  @Test
  void shouldEndTheConnectionAtAResyncThatDisagreesWithTheFirst() {
    resync(RSN + 1, 0);
    ByteBuffer record = peer.record(ResyncFlyweight.FIXED_LENGTH);
    ResyncFlyweight other = new ResyncFlyweight().wrapNew(record, 0).rsn(RSN + 1);
    other.ssn(settings.firstSsn).flags(ResyncFlyweight.FLAG_SSN);
    peer.send(WindowClass.DATA, record);
    assertThat(failure()).isEqualTo("RESYNC of RSN 4294967290, which has begun");
  }

  @Test
  void shouldSayNumbersWithoutASign() {
    solicitedData(RSN, 0, 10);
    assertThat(failure()).isEqualTo("PUSH_SOLICITED_DATA 0+10 not granted, RSN 4294967289");
    pair = pair();
    peer = new ScriptedPeer(pair.left);
    answer(RSN + 3, 0, 10, 10);
    assertThat(failure()).isEqualTo("PULL_DATA 0+10 of 10 was not asked for, RSN 4294967292");
    pair = pair();
    peer = new ScriptedPeer(pair.left);
    unfinished(RSN - 1);
    assertThat(failure())
        .isEqualTo("FIN final RSN 4294967288 does not fit highest 4294967288 and base 4294967289");
    pair = pair();
    peer = new ScriptedPeer(pair.left);
    request(RSN, settings.firstSsn - 1, 10);
    assertThat(failure()).contains("ssn=" + Integer.toUnsignedString(settings.firstSsn - 1));
  }

  @Test
  void shouldIgnoreACreditLimitFurtherAheadThanAgreed() {
    ByteBuffer record = peer.record(CompletedFlyweight.FIXED_LENGTH);
    new CompletedFlyweight()
        .wrapNew(record, 0)
        .baseRsn(RSN)
        .creditLimit(Limits.CREDIT_AHEAD_BYTES_MAX + 1);
    peer.send(WindowClass.DATA, record);
    assertThat(pair.left.counters.value(CounterId.CREDIT_IGNORED)).isEqualTo(1);
    assertThat(pair.left.solicitation.creditLeftBytes()).isEqualTo(settings.creditBytes);
  }

  @Test
  void shouldSurviveWhateverWellFormedRecordsComeAndGiveEverythingBack() {
    for (long seed = 1; seed <= 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      pair = pair();
      pair.left.application.isEnding = true;
      peer = new ScriptedPeer(pair.left);
      for (int i = 0; i < 200 && failure() == null; i++) {
        random(random);
        if (random.nextInt(4) == 0) {
          peer.pull();
        }
      }
      pair.left.endAll(1, "over");
      pair.right.endAll(1, "over");
      assertThat(pair.budgets.solicitation().countedBytes()).as("seed %s", seed).isZero();
      assertThat(pair.resources.transactions().inUse()).as("seed %s", seed).isZero();
      assertThat(pair.resources.reorderTable().size()).as("seed %s", seed).isZero();
      assertThat(pair.resources.holding().inUseBytes()).as("seed %s", seed).isZero();
    }
  }

  private void random(SplittableRandom random) {
    int rsn = RSN + random.nextInt(6);
    int length = random.nextInt(30);
    switch (random.nextInt(9)) {
      case 0 -> request(rsn, SSN + random.nextInt(4), 100);
      case 1 -> pullRequest(rsn, 100, random.nextInt(101));
      case 2 -> solicitedData(rsn, random.nextInt(101 - length), length);
      case 3 -> pair.left.application.submit(random.nextBoolean(), random.nextInt(20_000));
      case 4 -> {
        ByteBuffer record = peer.record(PushGrantFlyweight.FIXED_LENGTH);
        new PushGrantFlyweight()
            .wrapNew(record, 0)
            .rsn(rsn)
            .ssn(SSN + random.nextInt(4))
            .offset(random.nextInt(9000))
            .grantLength(random.nextInt(9000));
        peer.send(WindowClass.DATA, record);
      }
      case 5 -> {
        ByteBuffer record = peer.record(CompletedFlyweight.recordLength(1));
        new CompletedFlyweight()
            .wrapNew(record, 0)
            .baseRsn(RSN + random.nextInt(3))
            .words(1)
            .word(0, random.nextLong());
        peer.send(WindowClass.DATA, record);
      }
      case 6 -> {
        ByteBuffer record = peer.record(PullGrantFlyweight.FIXED_LENGTH);
        new PullGrantFlyweight()
            .wrapNew(record, 0)
            .rsn(rsn)
            .offset(random.nextInt(90))
            .grantLength(random.nextInt(20));
        peer.send(WindowClass.DATA, record);
      }
      case 7 -> peer.acknowledgeAll();
      default -> piece(rsn, 40 + random.nextInt(30), 100, length);
    }
  }
}
