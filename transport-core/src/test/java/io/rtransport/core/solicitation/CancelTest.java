package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.core.wire.CancelFlyweight;
import io.rtransport.core.wire.RecordType;
import io.rtransport.core.wire.ResyncFlyweight;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is given up, at each stage that it can be in, at both ends: {@code right} begins, {@code
 * left} serves.
 */
class CancelTest {
  private static final int RSN = -7;
  private static final String NOT_EXECUTED = "NOT_EXECUTED " + CloseCode.CANCELLED.code();
  private static final String UNKNOWN = "UNKNOWN " + CloseCode.CANCELLED.code();
  private static final String COMPLETED = "COMPLETED 0";

  private final SolicitationPair.Settings settings = new SolicitationPair.Settings();
  private SolicitationPair pair;
  private ScriptedPeer target;
  private ScriptedPeer initiator;

  private void start() {
    pair = new SolicitationPair(new SplittableRandom(3), settings);
    target = new ScriptedPeer(pair.left);
    initiator = new ScriptedPeer(pair.right);
    pair.left.application.isPlain = true;
    pair.right.application.isPlain = true;
    pair.right.application.isEnding = true;
  }

  private boolean cancel(int tag) {
    return pair.right.transactions.cancel(Integer.toUnsignedLong(RSN + tag));
  }

  private List<String> outcomes() {
    pair.right.tellAll();
    return pair.right.application.outcomes;
  }

  private static boolean isRequest(ByteBuffer record) {
    return record.get(0) == RecordType.PUSH_SOLICITED_REQUEST
        || record.get(0) == RecordType.PULL_REQUEST;
  }

  private void toTarget(List<ByteBuffer> records) {
    records.forEach(r -> target.send(isRequest(r) ? WindowClass.REQUEST : WindowClass.DATA, r));
  }

  /** Everything goes both ways, in order, until nothing moves. */
  private void settle() {
    pair.settle();
  }

  private static List<Integer> types(List<ByteBuffer> records) {
    List<Integer> types = new ArrayList<>();
    records.forEach(r -> types.add((int) r.get(0)));
    return types;
  }

  private void assertAtRest() {
    initiator.acknowledgeAll();
    target.acknowledgeAll();
    pair.left.solicitation.finish();
    pair.right.solicitation.finish();
    settle();
    assertThat(pair.left.solicitation.isFinished()).isTrue();
    assertThat(pair.right.solicitation.isFinished()).isTrue();
    assertThat(pair.left.solicitation.creditUsedBytes()).isZero();
    assertThat(pair.left.solicitation.heldBytes()).isZero();
    assertThat(pair.right.solicitation.heldBytes()).isZero();
    pair.checkReleased();
  }

  // ---- nothing of it has left

  @Test
  void shouldEndWhatWaitsForCreditAtOnceAndFillItsRsn() {
    settings.creditBytes = 8 << 10;
    start();
    pair.right.application.submit(false, 7_000);
    pair.right.application.submit(false, 7_000);
    pair.right.application.submit(false, 10);
    List<ByteBuffer> first = initiator.pull();
    assertThat(cancel(1)).isTrue();
    assertThat(cancel(1)).as("twice").isFalse();
    assertThat(outcomes()).as("its turn has not come").isEmpty();
    List<ByteBuffer> then = initiator.pull();
    ResyncFlyweight resync = new ResyncFlyweight().wrap(then.get(0), 0);
    assertThat(resync.type()).isEqualTo(RecordType.RESYNC);
    assertThat(resync.rsn()).isEqualTo(RSN + 1);
    assertThat(resync.creditBytes()).isZero();
    assertThat(resync.hasSsn()).isFalse();
    assertThat(types(then)).containsExactly(RecordType.RESYNC, RecordType.PUSH_UNSOLICITED_DATA);
    toTarget(then); // before what stands in front of it
    toTarget(first);
    settle();
    assertThat(outcomes()).containsExactly(COMPLETED, NOT_EXECUTED, COMPLETED);
    assertAtRest();
  }

  @Test
  void shouldFillTheSsnAndGiveBackTheCreditOfWhatWasAdmittedAndDidNotLeave() {
    start();
    pair.right.application.submit(false, 20_000);
    pair.right.application.submit(false, 30_000);
    pair.right.application.submit(true, 100);
    // One request a packet leaves the other admitted.
    ByteBuffer packet = ByteBuffer.allocate(1_408);
    int length =
        pair.right.solicitation.pullRecords(
            WindowClass.REQUEST, 1, packet, 0, 16 + ToyApplication.HEADER_LENGTH, 0);
    assertThat(pair.right.solicitation.hasRecords(WindowClass.REQUEST, 0)).isTrue();
    assertThat(cancel(1)).isTrue();
    List<ByteBuffer> records = initiator.pull();
    ByteBuffer record =
        records.stream().filter(r -> r.get(0) == RecordType.RESYNC).findFirst().orElseThrow();
    ResyncFlyweight resync = new ResyncFlyweight().wrap(record, 0);
    assertThat(resync.rsn()).isEqualTo(RSN + 1);
    assertThat(resync.hasSsn()).isTrue();
    assertThat(resync.ssn()).isEqualTo(settings.firstSsn + 1);
    assertThat(resync.creditBytes()).isEqualTo(ToyApplication.HEADER_LENGTH);
    toTarget(records);
    assertThat(pair.left.solicitation.creditUsedBytes()).isEqualTo(ToyApplication.HEADER_LENGTH);
    toTarget(List.of(packet.slice(0, length)));
    pair.right.application.submit(false, 40_000);
    settle();
    assertThat(outcomes()).containsExactly(COMPLETED, NOT_EXECUTED, COMPLETED, COMPLETED);
    assertAtRest();
  }

  @Test
  void shouldCountWhatWasGivenUpAsUnendedUntilThePeerKnows() {
    settings.outstandingMax = 16;
    start();
    for (int tag = 0; tag < 16; tag++) {
      assertThat(pair.right.application.submit(false, 10)).isTrue();
      assertThat(cancel(tag)).isTrue();
    }
    assertThat(outcomes()).hasSize(16).containsOnly(NOT_EXECUTED);
    assertThat(pair.right.application.submit(false, 10)).as("its table could overflow").isFalse();
    assertThat(pair.right.transactions.submittable()).isZero();
    List<ByteBuffer> resyncs = initiator.pull();
    assertThat(resyncs).hasSize(16);
    assertThat(pair.right.application.submit(false, 10)).isFalse();
    initiator.acknowledgeAll();
    assertThat(pair.right.application.submit(false, 10)).isTrue();
    toTarget(resyncs);
    assertThat(pair.left.solicitation.failure()).isNull();
    settle();
    assertThat(outcomes()).hasSize(17).endsWith(COMPLETED);
    assertAtRest();
  }

  // ---- pushes of which something has left

  @Test
  void shouldAskForTheEndOfASmallPushThatHasLeftAndBelieveTheAnswer() {
    start();
    pair.right.application.submit(false, 10);
    pair.right.application.submit(false, 10);
    List<ByteBuffer> pushes = initiator.pull();
    assertThat(cancel(0) && cancel(1)).isTrue();
    assertThat(cancel(0)).isFalse();
    assertThat(cancel(2)).as("never submitted").isFalse();
    List<ByteBuffer> cancels = initiator.pull();
    assertThat(types(cancels)).containsExactly(RecordType.CANCEL, RecordType.CANCEL);
    assertThat(new CancelFlyweight().wrap(cancels.get(0), 0).rsn()).isEqualTo(RSN);
    toTarget(pushes.subList(0, 1));
    toTarget(cancels);
    toTarget(pushes.subList(1, 2));
    settle();
    assertThat(outcomes()).containsExactly(COMPLETED, NOT_EXECUTED);
    assertThat(pair.left.application.delivered).isEqualTo(1);
    assertThat(pair.left.counters.value(CounterId.TRANSACTIONS_CANCELLED_BY_PEER)).isEqualTo(1);
    assertAtRest();
  }

  @Test
  void shouldStopSendingGiveBackWhatATargetHoldsAndGoOnWithTheNext() {
    settings.aheadBytes = 256 << 10;
    start();
    pair.left.application.bytesLeft = 500; // of each write, to hold some of the budget
    pair.right.application.submit(false, 600_000);
    pair.right.application.submit(false, 20_000);
    toTarget(initiator.pull(WindowClass.REQUEST));
    target.pull().forEach(grant -> initiator.send(WindowClass.DATA, grant));
    toTarget(initiator.pull(WindowClass.DATA).subList(0, 50));
    List<ByteBuffer> more = target.pull();
    assertThat(pair.left.solicitation.heldBytes()).isGreaterThan(200_000);
    assertThat(cancel(0)).isTrue();
    more.forEach(grant -> initiator.send(WindowClass.DATA, grant));
    List<ByteBuffer> rest = initiator.pull(WindowClass.DATA);
    assertThat(types(rest)).containsExactly(RecordType.CANCEL);
    toTarget(rest);
    assertThat(pair.left.solicitation.heldBytes()).isLessThanOrEqualTo(20_000);
    assertThat(pair.left.solicitation.creditUsedBytes()).isEqualTo(ToyApplication.HEADER_LENGTH);
    settle();
    assertThat(outcomes()).containsExactly(NOT_EXECUTED, COMPLETED);
  }

  @Test
  void shouldWithdrawAPushThatWasGrantedBeforeItsTurn() {
    start();
    pair.right.application.submit(false, 20_000);
    pair.right.application.submit(false, 20_000);
    pair.right.application.submit(false, 20_000);
    toTarget(initiator.pull(WindowClass.REQUEST));
    List<ByteBuffer> grants = target.pull();
    assertThat(types(grants)).containsOnly(RecordType.PUSH_GRANT).hasSize(3);
    initiator.send(WindowClass.DATA, grants.get(1));
    initiator.send(WindowClass.DATA, grants.get(2));
    assertThat(cancel(1)).isTrue();
    initiator.send(WindowClass.DATA, grants.get(0));
    settle();
    assertThat(outcomes()).containsExactly(COMPLETED, NOT_EXECUTED, COMPLETED);
    assertAtRest();
  }

  @Test
  void shouldLetAPushThatIsWithTheApplicationEndAsItWould() {
    start();
    pair.left.application.isSilent = true;
    pair.right.application.submit(false, 10);
    toTarget(initiator.pull());
    assertThat(cancel(0)).isTrue();
    toTarget(initiator.pull());
    settle();
    assertThat(outcomes()).isEmpty();
    pair.left.transactions.inbound().acknowledge(Integer.toUnsignedLong(RSN));
    settle();
    assertThat(outcomes()).containsExactly(COMPLETED);
    assertAtRest();
  }

  @Test
  void shouldTakeBackAWholePushBeforeItsTurnAndCloseItsSink() {
    start();
    pair.right.application.submit(false, 10);
    pair.right.application.submit(false, 6_000);
    List<ByteBuffer> records = initiator.pull();
    toTarget(records.subList(1, records.size()));
    assertThat(cancel(1)).isTrue();
    toTarget(initiator.pull());
    pair.left.application.checkNoneOpen();
    assertThat(pair.left.application.delivered).isZero();
    toTarget(records.subList(0, 1));
    settle();
    assertThat(outcomes()).containsExactly(COMPLETED, NOT_EXECUTED);
    assertAtRest();
  }

  @Test
  void shouldEndAPushWithoutItsHeaderOnlyOnceThatHasCome() {
    start();
    pair.right.application.submit(false, 6_000);
    List<ByteBuffer> records = initiator.pull();
    toTarget(records.subList(1, 2));
    assertThat(pair.resources.holding().inUseBytes()).isPositive();
    assertThat(cancel(0)).isTrue();
    toTarget(initiator.pull());
    assertThat(pair.resources.holding().inUseBytes()).as("nobody wants it").isZero();
    assertThat(target.pull()).as("what it cost is not known").isEmpty();
    toTarget(records.subList(0, 1));
    assertThat(types(target.pull())).contains(RecordType.COMPLETE_IN_ERROR);
    assertThat(pair.left.solicitation.creditUsedBytes()).isZero();
  }

  // ---- before its transaction

  @ParameterizedTest
  @ValueSource(longs = {0, 10, 6_000, 50_000})
  void shouldRememberACancelThatComesBeforeItsPush(long length) {
    start();
    pair.right.application.submit(false, length);
    List<ByteBuffer> records = initiator.pull();
    assertThat(cancel(0)).isTrue();
    toTarget(initiator.pull());
    toTarget(records);
    settle();
    assertThat(outcomes()).containsExactly(NOT_EXECUTED);
    assertThat(pair.left.application.delivered).isZero();
    assertAtRest();
  }

  @Test
  void shouldRememberACancelThatComesBeforeItsPull() {
    start();
    pair.right.application.submit(true, 50_000);
    List<ByteBuffer> records = initiator.pull();
    assertThat(cancel(0)).isTrue();
    assertThat(pair.right.solicitation.heldBytes()).as("its reservation").isZero();
    toTarget(initiator.pull());
    toTarget(records);
    settle();
    assertThat(outcomes()).containsExactly(NOT_EXECUTED);
    assertThat(pair.left.application.delivered).isZero();
    assertAtRest();
  }

  @Test
  void shouldRememberAsManyAsThePeerMayHaveUnendedAndNoMore() {
    settings.outstandingMax = 16;
    start();
    for (int i = 0; i < 16; i++) {
      cancelFromPeer(RSN + 15 - i);
    }
    assertThat(pair.left.solicitation.failure()).isNull();
    cancelFromPeer(RSN + 16);
    assertThat(pair.left.solicitation.failure()).contains("16 transactions");
  }

  private void cancelFromPeer(int rsn) {
    ByteBuffer record = target.record(CancelFlyweight.FIXED_LENGTH);
    new CancelFlyweight().wrapNew(record, 0).rsn(rsn);
    target.send(WindowClass.DATA, record);
  }

  // ---- pulls

  /** The target's application answers the first pull. */
  private boolean respond(long length) {
    PayloadSource source =
        new PayloadSource() {
          @Override
          public int copy(long handle, long offset, ByteBuffer to, int index, int count) {
            for (int i = 0; i < count; i++) {
              to.put(index + i, ToyApplication.contentAt(0, true, offset + i));
            }
            return count;
          }
        };
    return pair.left.transactions.inbound().respond(Integer.toUnsignedLong(RSN), source, 0, length);
  }

  @Test
  void shouldThrowTheRestOfAnAnswerAwayAndSayUnknown() {
    start();
    pair.left.application.isMute = true;
    pair.right.application.submit(true, 300_000);
    toTarget(initiator.pull());
    assertThat(respond(300_000)).isTrue();
    List<ByteBuffer> answer = target.pull(WindowClass.DATA);
    answer.subList(0, 10).forEach(r -> initiator.send(WindowClass.DATA, r));
    assertThat(cancel(0)).isTrue();
    assertThat(pair.right.solicitation.heldBytes()).isZero();
    pair.right.tellAll();
    pair.right.application.checkNoneOpen();
    answer.subList(10, answer.size()).forEach(r -> initiator.send(WindowClass.DATA, r));
    assertThat(outcomes()).as("its target has not ended it").isEmpty();
    toTarget(initiator.pull());
    settle();
    assertThat(outcomes()).containsExactly(UNKNOWN);
    assertAtRest();
  }

  @Test
  void shouldEndAPullWhoseAnswerHadLeftWholeOnceAllOfItHasPassedBy() {
    start();
    pair.left.application.isMute = true;
    pair.right.application.submit(true, 20_000);
    toTarget(initiator.pull());
    assertThat(respond(20_000)).isTrue();
    List<ByteBuffer> answer = target.pull(WindowClass.DATA);
    assertThat(cancel(0)).isTrue();
    toTarget(initiator.pull());
    answer.forEach(r -> initiator.send(WindowClass.DATA, r));
    assertThat(outcomes()).containsExactly(UNKNOWN);
    assertAtRest();
  }

  @Test
  void shouldEndAPullThatNobodyHasAnsweredAndDropTheAnswer() {
    start();
    pair.left.application.isMute = true;
    pair.right.application.submit(true, 20_000);
    toTarget(initiator.pull());
    assertThat(cancel(0)).isTrue();
    toTarget(initiator.pull());
    assertThat(respond(100)).isFalse();
    settle();
    assertThat(outcomes()).containsExactly(UNKNOWN);
    assertAtRest();
  }
}
