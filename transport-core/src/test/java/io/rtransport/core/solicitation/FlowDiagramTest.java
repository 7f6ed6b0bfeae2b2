package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.CompleteInErrorFlyweight;
import io.rtransport.core.wire.CompletedFlyweight;
import io.rtransport.core.wire.PullDataFlyweight;
import io.rtransport.core.wire.PullRequestFlyweight;
import io.rtransport.core.wire.PushGrantFlyweight;
import io.rtransport.core.wire.PushSolicitedDataFlyweight;
import io.rtransport.core.wire.PushSolicitedRequestFlyweight;
import io.rtransport.core.wire.PushUnsolicitedDataFlyweight;
import io.rtransport.core.wire.RecordFlyweight;
import io.rtransport.core.wire.RecordType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * The flow diagrams of the patent, one end against records written by hand. RSNs start at −7, SSNs
 * at −2: all cross the wrap.
 */
class FlowDiagramTest {
  private static final int RSN = -7;
  private static final int SSN = -2;
  private static final int LARGE = 20_000;

  private final SolicitationPair pair =
      new SolicitationPair(new SplittableRandom(1), new SolicitationPair.Settings());
  private final ScriptedPeer peer = new ScriptedPeer(pair.left);

  FlowDiagramTest() {
    pair.left.application.isPlain = true;
    pair.right.application.isPlain = true;
  }

  private ToyApplication application() {
    return pair.left.application;
  }

  private void grant(int index, int ssn, long offset, long length) {
    ByteBuffer record = peer.record(PushGrantFlyweight.FIXED_LENGTH);
    new PushGrantFlyweight()
        .wrapNew(record, 0)
        .rsn(RSN + index)
        .ssn(ssn)
        .offset(offset)
        .grantLength(length);
    peer.send(WindowClass.DATA, record);
  }

  private void completedBelow(int base) {
    ByteBuffer record = peer.record(CompletedFlyweight.FIXED_LENGTH);
    new CompletedFlyweight().wrapNew(record, 0).baseRsn(base).creditLimit(1 << 20);
    peer.send(WindowClass.DATA, record);
  }

  private void pullData(int index, long tag, int length) {
    ByteBuffer record = peer.record(PullDataFlyweight.FIXED_LENGTH + length);
    PullDataFlyweight data =
        new PullDataFlyweight().wrapNew(record, 0, PullDataFlyweight.FLAG_WHOLE);
    data.rsn(RSN + index).payloadLength(length);
    for (int i = 0; i < length; i++) {
      record.put(data.payloadOffset() + i, ToyApplication.contentAt(tag, true, i));
    }
    peer.send(WindowClass.DATA, record);
  }

  /** The RSNs of the records of a type that left, in order, each once. */
  private List<Integer> rsnsSent(int type) {
    List<Integer> rsns = new ArrayList<>();
    for (ByteBuffer record : peer.pull()) {
      if ((record.get(0) & 0xFF) == type) {
        int rsn = record.getInt(RecordFlyweight.HEADER_LENGTH) - RSN;
        if (rsns.isEmpty() || rsns.get(rsns.size() - 1) != rsn) {
          rsns.add(rsn);
        }
      }
    }
    return rsns;
  }

  // ------------------------------------------------------------------ Figure 8A: initiator send

  @Test
  void figure8ShouldNumberRequestsByRsnAndSolicitedOnesBySsnAndSendEachInItsWindow() {
    application().submit(false, LARGE);
    application().submit(true, 500);
    application().submit(false, LARGE);
    application().submit(false, 100);
    List<ByteBuffer> requests = peer.pull(WindowClass.REQUEST);
    assertThat(requests).hasSize(3);
    PushSolicitedRequestFlyweight first =
        new PushSolicitedRequestFlyweight().wrap(requests.get(0), 0);
    assertThat(first.type()).isEqualTo(RecordType.PUSH_SOLICITED_REQUEST);
    assertThat(first.rsn()).isEqualTo(RSN);
    assertThat(first.ssn()).isEqualTo(SSN);
    assertThat(first.messageLength()).isEqualTo(LARGE);
    assertThat(first.headerLength()).isEqualTo(ToyApplication.HEADER_LENGTH);
    PullRequestFlyweight pull = new PullRequestFlyweight().wrap(requests.get(1), 0);
    assertThat(pull.type()).isEqualTo(RecordType.PULL_REQUEST);
    assertThat(pull.rsn()).isEqualTo(RSN + 1);
    assertThat(pull.maxLength()).isEqualTo(500);
    assertThat(pull.grantedBytes()).isEqualTo(500);
    PushSolicitedRequestFlyweight third =
        new PushSolicitedRequestFlyweight().wrap(requests.get(2), 0);
    assertThat(third.rsn()).isEqualTo(RSN + 2);
    assertThat(third.ssn()).isEqualTo(SSN + 1);
    List<ByteBuffer> data = peer.pull(WindowClass.DATA);
    assertThat(data).hasSize(1);
    PushUnsolicitedDataFlyweight push = new PushUnsolicitedDataFlyweight().wrap(data.get(0), 0);
    assertThat(push.type()).isEqualTo(RecordType.PUSH_UNSOLICITED_DATA);
    assertThat(push.rsn()).isEqualTo(RSN + 3);
    assertThat(push.isWhole()).isTrue();
    assertThat(pair.resources.reorderTable().size()).as("in order, nothing is registered").isZero();
  }

  // ------------------------------------------------------------------ Figure 8B: grants

  @Test
  void figure8ShouldSendWhatWasGrantedAtItsTurn() {
    application().submit(false, LARGE);
    peer.pull();
    grant(0, SSN, 0, 5_000);
    long bytes = 0;
    for (ByteBuffer record : peer.pull()) {
      PushSolicitedDataFlyweight data = new PushSolicitedDataFlyweight().wrap(record, 0);
      assertThat(data.offset()).isEqualTo(bytes);
      bytes += data.payloadLength();
    }
    assertThat(bytes).as("to the last byte granted and no further").isEqualTo(5_000);
    grant(0, SSN, 5_000, LARGE - 5_000);
    assertThat(rsnsSent(RecordType.PUSH_SOLICITED_DATA)).containsExactly(0);
    assertThat(pair.resources.reorderTable().size()).isZero();
  }

  @Test
  void figure8ShouldHoldAGrantThatCameBeforeItsTurnInTheReorderEngineAndLookItUpWhenTheBaseMoves() {
    for (int i = 0; i < 3; i++) {
      application().submit(false, LARGE);
    }
    peer.pull();
    grant(2, SSN + 2, 0, LARGE);
    grant(1, SSN + 1, 0, LARGE);
    assertThat(rsnsSent(RecordType.PUSH_SOLICITED_DATA)).isEmpty();
    assertThat(pair.resources.reorderTable().size()).isEqualTo(2);
    grant(0, SSN, 0, LARGE);
    assertThat(rsnsSent(RecordType.PUSH_SOLICITED_DATA)).containsExactly(0, 1, 2);
    assertThat(pair.resources.reorderTable().size()).isZero();
  }

  @Test
  void figure8ShouldTakeTheRangesOfAMessageInAnyOrderAndSendWithoutAGap() {
    application().submit(false, LARGE);
    peer.pull();
    grant(0, SSN, 10_000, 10_000);
    assertThat(rsnsSent(RecordType.PUSH_SOLICITED_DATA)).isEmpty();
    grant(0, SSN, 0, 10_000);
    long bytes = 0;
    for (ByteBuffer record : peer.pull()) {
      bytes += new PushSolicitedDataFlyweight().wrap(record, 0).payloadLength();
    }
    assertThat(bytes).isEqualTo(LARGE);
  }

  @Test
  void figure8ShouldIgnoreAGrantThatMatchesNoEntry() {
    application().submit(false, LARGE);
    peer.pull();
    grant(0, SSN + 1, 0, LARGE);
    grant(0, SSN, 1, LARGE);
    grant(9, SSN, 0, 10);
    assertThat(rsnsSent(RecordType.PUSH_SOLICITED_DATA)).isEmpty();
    assertThat(pair.left.counters.value(CounterId.GRANTS_IGNORED)).isEqualTo(3);
    grant(0, SSN, 0, LARGE);
    assertThat(rsnsSent(RecordType.PUSH_SOLICITED_DATA)).containsExactly(0);
  }

  @Test
  void figure8ShouldCountALateGrantAsARecordOfWhatHasEnded() {
    application().submit(false, LARGE);
    application().isEnding = true;
    peer.pull();
    ByteBuffer record = peer.record(CompleteInErrorFlyweight.FIXED_LENGTH);
    new CompleteInErrorFlyweight().wrapNew(record, 0).rsn(RSN).code(1);
    peer.send(WindowClass.DATA, record);
    assertThat(application().ended).isEqualTo(1);
    grant(0, SSN, 0, LARGE);
    assertThat(pair.left.counters.value(CounterId.RECORDS_IGNORED)).isEqualTo(1);
    assertThat(pair.left.counters.value(CounterId.GRANTS_IGNORED)).isZero();
    grant(1, SSN, 0, LARGE);
    assertThat(pair.left.counters.value(CounterId.GRANTS_IGNORED)).as("never begun").isEqualTo(1);
  }

  // ------------------------------------------------------------------ Figure 9: answers to pulls

  @Test
  void figure9ShouldHandUpAnAnswerAtItsTurnAndHoldOneThatCameBefore() {
    application().submit(true, 500);
    application().submit(true, 500);
    application().submit(true, 500);
    peer.pull();
    pullData(2, 2, 30);
    pullData(1, 1, 20);
    assertThat(pair.resources.reorderTable().size()).as("both are held by their RSN").isZero();
    assertThat(application().ended).isZero();
    assertThat(application().delivered).isZero();
    pullData(0, 0, 10);
    assertThat(application().ended).isEqualTo(3);
    assertThat(application().delivered).isEqualTo(3);
    assertThat(pair.budgets.solicitation().countedBytes()).isZero();
  }

  @Test
  void figure9ShouldHoldThePushesBehindAPull() {
    application().submit(true, 500);
    application().submit(false, 100);
    peer.pull();
    completedBelow(RSN + 2);
    assertThat(application().ended).as("the pull is first").isZero();
    pullData(0, 0, 500);
    assertThat(application().ended).isEqualTo(2);
  }

  // ------------------------------------------------------------------ Figure 10: completion

  @Test
  void figure10ShouldEndPushesByCompletedAndNotByAnAcknowledgement() {
    for (int i = 0; i < 4; i++) {
      application().submit(false, 100);
    }
    peer.pull();
    peer.acknowledgeAll();
    assertThat(application().ended).as("received is not completed").isZero();
    completedBelow(RSN + 3);
    assertThat(application().ended).isEqualTo(3);
    completedBelow(RSN + 2);
    assertThat(application().ended).as("an old one is no harm").isEqualTo(3);
    completedBelow(RSN + 4);
    assertThat(application().ended).isEqualTo(4);
    assertThat(pair.resources.transactions().inUse()).isZero();
  }

  @Test
  void figure10ShouldHoldAnEndAboveOneThatIsOpen() {
    for (int i = 0; i < 100; i++) {
      application().submit(false, 10);
    }
    peer.pull();
    ByteBuffer record = peer.record(CompletedFlyweight.recordLength(2));
    CompletedFlyweight completed =
        new CompletedFlyweight().wrapNew(record, 0).baseRsn(RSN).words(2);
    // Aligned to absolute RSNs: bit 57 of the word of −7 is −7 itself, bit 58 is −6; word 1 begins
    // at 0.
    completed.wordOffset(0).word(0, 1L << 58).word(1, 1L);
    peer.send(WindowClass.DATA, record);
    assertThat(pair.resources.reorderTable().size()).as("two are held by their RSN").isZero();
    assertThat(application().ended).isZero();
    completedBelow(RSN + 1);
    assertThat(application().ended).isEqualTo(2);
    completedBelow(RSN + 7);
    assertThat(application().ended).as("RSN 0 had its bit").isEqualTo(8);
  }

  @Test
  void figure10ShouldIgnoreWhatCannotHaveCompleted() {
    application().submit(false, 10);
    application().submit(false, LARGE);
    peer.pull();
    completedBelow(RSN + 3);
    assertThat(application().ended).as("there is no third").isZero();
    completedBelow(RSN + 2);
    assertThat(application().ended).as("the second was not sent").isEqualTo(1);
    assertThat(pair.left.counters.value(CounterId.COMPLETED_IGNORED)).isEqualTo(2);
  }

  @Test
  void figure10ShouldLetTheFollowingSsnGoOnWhenOneEndsInError() {
    application().submit(false, LARGE);
    application().submit(false, LARGE);
    application().isEnding = true;
    peer.pull();
    grant(1, SSN + 1, 0, LARGE);
    ByteBuffer record = peer.record(CompleteInErrorFlyweight.FIXED_LENGTH);
    new CompleteInErrorFlyweight().wrapNew(record, 0).rsn(RSN).code(4);
    peer.send(WindowClass.DATA, record);
    assertThat(application().ended).isEqualTo(1);
    assertThat(rsnsSent(RecordType.PUSH_SOLICITED_DATA)).containsExactly(1);
  }

  // ------------------------------------------------------------------ Figures 11 and 12: target

  private void solicitedRequest(int index, int ssn, long tag, int length) {
    ByteBuffer record =
        peer.record(PushSolicitedRequestFlyweight.FIXED_LENGTH + ToyApplication.HEADER_LENGTH);
    PushSolicitedRequestFlyweight request = new PushSolicitedRequestFlyweight().wrapNew(record, 0);
    request
        .rsn(RSN + index)
        .ssn(ssn)
        .messageLength(length)
        .headerLength(ToyApplication.HEADER_LENGTH);
    record.putLong(request.headerOffset(), tag).putInt(request.headerOffset() + 8, length);
    peer.send(WindowClass.REQUEST, record);
  }

  private void solicitedData(int index, long tag, int offset, int length) {
    ByteBuffer record = peer.record(PushSolicitedDataFlyweight.FIXED_LENGTH + length);
    PushSolicitedDataFlyweight data = new PushSolicitedDataFlyweight().wrapNew(record, 0);
    data.rsn(RSN + index).offset(offset).payloadLength(length);
    for (int i = 0; i < length; i++) {
      record.put(data.payloadOffset() + i, ToyApplication.contentAt(tag, false, offset + i));
    }
    peer.send(WindowClass.DATA, record);
  }

  private void unsolicited(int index, long tag, int length) {
    ByteBuffer record = peer.record(10 + ToyApplication.HEADER_LENGTH + length);
    int flags = PushUnsolicitedDataFlyweight.FLAG_WHOLE | PushUnsolicitedDataFlyweight.FLAG_HEADER;
    PushUnsolicitedDataFlyweight data =
        new PushUnsolicitedDataFlyweight().wrapNew(record, 0, flags);
    data.rsn(RSN + index).headerLength(ToyApplication.HEADER_LENGTH);
    record.putLong(data.headerOffset(), tag).putInt(data.headerOffset() + 8, length);
    data.payloadLength(length);
    for (int i = 0; i < length; i++) {
      record.put(data.payloadOffset() + i, ToyApplication.contentAt(tag, false, i));
    }
    peer.send(WindowClass.DATA, record);
  }

  @Test
  void figure11ShouldGrantARequestAtItsTurnAndHoldOneThatCameBefore() {
    solicitedRequest(1, SSN + 1, 1, 9_000);
    assertThat(rsnsSent(RecordType.PUSH_GRANT)).isEmpty();
    assertThat(pair.resources.reorderTable().size()).isEqualTo(1);
    solicitedRequest(0, SSN, 0, 9_000);
    assertThat(rsnsSent(RecordType.PUSH_GRANT)).containsExactly(0, 1);
    assertThat(pair.resources.reorderTable().size()).isZero();
    assertThat(pair.left.solicitation.heldBytes()).isEqualTo(18_000);
  }

  @Test
  void figure11ShouldAskTheSinkBeforeTheFirstGrant() {
    List<Long> asked = new ArrayList<>();
    application().onOpen = asked::add;
    application().openAnswer = ToyApplication.LATER;
    solicitedRequest(0, SSN, 0, 9_000);
    assertThat(asked).hasSize(1);
    assertThat(rsnsSent(RecordType.PUSH_GRANT)).as("its sink wants it later").isEmpty();
  }

  @Test
  void figure12ShouldAskTheSinkBeforeTheTurnOfAnUnsolicitedMessage() {
    List<Long> asked = new ArrayList<>();
    application().onOpen = asked::add;
    unsolicited(2, 2, 50);
    assertThat(asked)
        .as("asked at its first bytes")
        .containsExactly(Integer.toUnsignedLong(RSN + 2));
    assertThat(pair.resources.holding().inUseBytes()).as("its sink has the bytes").isZero();
    assertThat(application().delivered).as("delivered at its turn").isZero();
  }

  @Test
  void figure12ShouldDeliverInRsnOrderWhateverCameFirst() {
    unsolicited(2, 2, 50);
    solicitedRequest(0, SSN, 0, 1_000);
    peer.pull();
    unsolicited(1, 1, 60);
    assertThat(application().delivered).isZero();
    assertThat(pair.resources.reorderTable().size()).as("two wait for their turn").isEqualTo(2);
    solicitedData(0, 0, 500, 500);
    assertThat(application().delivered).isZero();
    solicitedData(0, 0, 0, 500);
    assertThat(application().delivered).isEqualTo(3);
    assertThat(pair.resources.reorderTable().size()).isZero();
    assertThat(pair.resources.transactions().inUse()).as("all were acknowledged at once").isZero();
    List<ByteBuffer> answer = peer.pull();
    assertThat(answer).as("one COMPLETED for all").hasSize(1);
    assertThat(new CompletedFlyweight().wrap(answer.get(0), 0).baseRsn()).isEqualTo(RSN + 3);
  }

  @Test
  void figure12ShouldLetWhatComesInOrderPassWithoutAnEntry() {
    int[] transactions = new int[1];
    int[] rows = new int[1];
    int[] passed = new int[1];
    application().onPass =
        rsn -> {
          transactions[0] += pair.resources.transactions().inUse();
          passed[0]++;
        };
    application().onOpen = rsn -> rows[0] += pair.resources.reorderTable().size();
    for (int i = 0; i < 50; i++) {
      pair.left.solicitation.wholeLengthMax(i % 2 == 0 ? 64 : 63);
      unsolicited(i, i, 64);
      assertThat(pair.resources.transactions().inUse()).isZero();
      assertThat(pair.resources.reorderTable().size()).isZero();
    }
    assertThat(application().delivered).isEqualTo(50);
    assertThat(passed[0]).as("those of 64 bytes where that many are taken whole").isEqualTo(25);
    assertThat(transactions[0]).as("while the application has it").isZero();
    assertThat(rows[0]).as("while the application is asked").isZero();
  }
}
