package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.wire.CompleteInErrorFlyweight;
import io.rtransport.core.wire.FinFlyweight;
import io.rtransport.core.wire.RecordType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ClosingTransactionsTest {
  private final SolicitationPair pair =
      new SolicitationPair(new SplittableRandom(3), new SolicitationPair.Settings());

  ClosingTransactionsTest() {
    pair.left.application.isPlain = true;
    pair.right.application.isPlain = true;
  }

  @Test
  void shouldLetWhatWasSubmittedEndAndTakeNothingMore() {
    pair.left.application.submit(false, 50_000);
    pair.left.application.submit(true, 1_000);
    pair.left.solicitation.finish();
    assertThat(pair.left.application.submit(false, 1)).isFalse();
    assertThat(pair.left.application.submit(true, 1)).isFalse();
    pair.settle();
    assertThat(pair.left.application.ended).isEqualTo(2);
    assertThat(pair.right.solicitation.isPeerFinishing()).isTrue();
    assertThat(pair.right.solicitation.isPeerFinished()).isTrue();
    assertThat(pair.left.solicitation.isFinished()).as("the other side has not finished").isFalse();
    pair.right.application.submit(false, 20_000);
    pair.right.solicitation.finish();
    pair.settle();
    assertThat(pair.right.application.ended).isEqualTo(1);
    assertThat(pair.left.solicitation.isFinished()).isTrue();
    assertThat(pair.right.solicitation.isFinished()).isTrue();
    pair.checkAtRest();
  }

  @Test
  void shouldAnswerNewTransactionsThatTheyWereNotExecuted() {
    pair.right.application.isEnding = true;
    pair.left.solicitation.refuseNew();
    pair.right.application.submit(false, 10);
    pair.right.application.submit(false, 5_000);
    pair.right.application.submit(false, 50_000);
    pair.right.application.submit(true, 10);
    pair.settle();
    assertThat(pair.right.application.ended).isEqualTo(4);
    assertThat(pair.right.application.outcomes)
        .containsOnly("NOT_EXECUTED " + CloseCode.CLOSING.code());
    assertThat(pair.left.application.delivered).isZero();
    pair.left.solicitation.finish();
    pair.right.solicitation.finish();
    pair.settle();
    assertThat(pair.left.solicitation.isFinished() && pair.right.solicitation.isFinished())
        .isTrue();
    pair.checkReleased();
  }

  @Test
  void shouldSendOneFinAndAgreeOnItsNumber() {
    ScriptedPeer peer = new ScriptedPeer(pair.left);
    pair.left.application.submit(false, 10);
    pair.left.solicitation.finish();
    List<ByteBuffer> records = peer.pull(WindowClass.DATA);
    ByteBuffer fin =
        records.stream().filter(r -> r.get(0) == RecordType.FIN).findFirst().orElseThrow();
    assertThat(new FinFlyweight().wrap(fin, 0).finalRsn()).isEqualTo(-6);
    assertThat(peer.pull()).isEmpty();
    assertThat(pair.left.solicitation.isFinished()).isFalse();
  }

  @Test
  void shouldSayItsFinAgainWhenItClosesAndOnlyThen() {
    ScriptedPeer peer = new ScriptedPeer(pair.left);
    pair.left.solicitation.finish();
    assertThat(finFlags(peer)).containsExactly(0);
    pair.left.solicitation.finish();
    assertThat(finFlags(peer)).isEmpty();
    pair.left.solicitation.close();
    assertThat(finFlags(peer)).containsExactly(FinFlyweight.FLAG_CLOSING);
    pair.left.solicitation.close();
    pair.left.solicitation.finish();
    assertThat(finFlags(peer)).isEmpty();
  }

  @Test
  void shouldNotAskAPeerThatClosesForItsFin() {
    ScriptedPeer peer = new ScriptedPeer(pair.left);
    ByteBuffer record = peer.record(FinFlyweight.FIXED_LENGTH);
    new FinFlyweight().wrapNew(record, 0).finalRsn(-7).flags(FinFlyweight.FLAG_CLOSING);
    peer.send(WindowClass.DATA, record);
    assertThat(pair.left.solicitation.isPeerClosing()).isTrue();
    pair.left.solicitation.close();
    assertThat(finFlags(peer)).containsExactly(0);
  }

  private static List<Integer> finFlags(ScriptedPeer peer) {
    return peer.pull(WindowClass.DATA).stream()
        .filter(r -> r.get(0) == RecordType.FIN)
        .map(r -> (int) r.get(1))
        .toList();
  }

  @Test
  void shouldSayOfAnErrorOfItsOwnThatItIsTheTransports() {
    ScriptedPeer peer = new ScriptedPeer(pair.left);
    pair.left.solicitation.refuseNew();
    pair.right.application.submit(true, 10);
    ScriptedPeer other = new ScriptedPeer(pair.right);
    peer.send(WindowClass.REQUEST, other.pull(WindowClass.REQUEST).get(0));
    CompleteInErrorFlyweight error = new CompleteInErrorFlyweight().wrap(peer.pull().get(0), 0);
    assertThat(error.type()).isEqualTo(RecordType.COMPLETE_IN_ERROR);
    assertThat(error.isFromTransport()).isTrue();
    assertThat(error.code()).isEqualTo(CloseCode.CLOSING.code());
  }

  @Test
  void shouldEndWhatNothingWasSentOfAsNotExecutedAndTheRestAsUnknown() {
    pair.left.application.isEnding = true;
    pair.left.application.submit(false, 20_000);
    new ScriptedPeer(pair.left).pull();
    pair.left.application.submit(false, 10);
    pair.left.endAll(2, "gone");
    pair.left.endAll(2, "gone");
    assertThat(pair.left.application.outcomes).containsExactly("UNKNOWN 2", "NOT_EXECUTED 2");
    pair.right.endAll(2, "gone");
    pair.checkReleased();
  }

  /**
   * Admitted is paid for and numbered, and yet nothing of it has left: nobody can have executed it.
   */
  @Test
  void shouldEndWhatWasAdmittedAndNotSentAsNotExecuted() {
    pair.left.application.isEnding = true;
    pair.left.application.submit(false, 10);
    pair.left.application.submit(false, 20_000);
    pair.left.application.submit(true, 1_000);
    pair.left.application.submit(false, 30);
    assertThat(pair.left.solicitation.hasRecords(WindowClass.DATA, pair.nowNs)).isTrue();
    assertThat(pair.left.solicitation.hasRecords(WindowClass.REQUEST, pair.nowNs)).isTrue();
    assertThat(stage(0)).isEqualTo(Stage.ADMITTED);
    assertThat(stage(1)).isEqualTo(Stage.ADMITTED);
    assertThat(stage(3)).isEqualTo(Stage.QUEUED);
    new ScriptedPeer(pair.left).pull(WindowClass.REQUEST);
    assertThat(stage(1)).isEqualTo(Stage.STARTED);
    pair.left.endAll(2, "gone");
    assertThat(pair.left.application.outcomes)
        .containsExactly("NOT_EXECUTED 2", "UNKNOWN 2", "UNKNOWN 2", "NOT_EXECUTED 2");
    pair.right.endAll(2, "gone");
    pair.checkReleased();
  }

  private Stage stage(int index) {
    return pair.left.transactions.findOwn(-7 + index).stage();
  }

  @Test
  void shouldLetAnAnswerBreakOff() {
    PayloadSource broken =
        new PayloadSource() {
          @Override
          public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
            int count = (int) Math.max(0, Math.min(length, 5_000 - offset));
            for (int i = 0; i < count; i++) {
              to.put(index + i, ToyApplication.contentAt(0, true, offset + i));
            }
            return count;
          }
        };
    pair.left.application.isEnding = true;
    pair.right.application.isMute = true;
    pair.left.application.submit(true, 2_000_000);
    pair.settle();
    long rsn = 0xFFFF_FFF9L;
    assertThat(pair.right.transactions.inbound().respond(rsn, broken, 1_000_000, 900_000)).isTrue();
    pair.settle();
    assertThat(pair.left.application.ended).as("the source has no more").isZero();
    assertThat(pair.right.transactions.peers().size()).isEqualTo(1);
    pair.right.transactions.inbound().fail(rsn, 55, "the disk broke");
    pair.right.transactions.inbound().fail(rsn, 56, "again");
    pair.settle();
    assertThat(pair.left.application.outcomes).containsExactly("FAILED 55");
    assertThat(pair.right.application.foreignReleases).isEqualTo(1);
    pair.checkReleased();
  }
}
