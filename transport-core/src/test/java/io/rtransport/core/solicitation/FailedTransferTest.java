package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.core.wire.RecordType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * A message that fails in mid-transfer: what it held goes back at once, and the rest of it, which
 * still comes, costs nothing.
 */
class FailedTransferTest {
  private static final long RSN = -7 & 0xFFFF_FFFFL;

  private final SolicitationPair pair = pair();
  private final ScriptedPeer target = new ScriptedPeer(pair.left);
  private final ScriptedPeer initiator = new ScriptedPeer(pair.right);

  FailedTransferTest() {
    pair.left.application.isPlain = true;
    pair.right.application.isPlain = true;
    pair.right.application.isEnding = true;
  }

  private static SolicitationPair pair() {
    SolicitationPair.Settings settings = new SolicitationPair.Settings();
    settings.aheadBytes = 1 << 20;
    return new SolicitationPair(new SplittableRandom(3), settings);
  }

  private void send(List<ByteBuffer> records, int from, int to) {
    for (ByteBuffer record : records.subList(from, to)) {
      boolean isRequest = record.get(0) == RecordType.PUSH_SOLICITED_REQUEST;
      target.send(isRequest ? WindowClass.REQUEST : WindowClass.DATA, record);
    }
  }

  private void fail() {
    pair.left.transactions.inbound().fail(RSN, 77, "disk full");
  }

  private void assertNothingHeld() {
    assertThat(pair.budgets.solicitation().countedBytes()).isZero();
    assertThat(pair.budgets.solicitation().givenAwayBytes()).isZero();
    assertThat(pair.budgets.solicitation().staleBytes()).isZero();
    assertThat(pair.left.solicitation.heldBytes()).isZero();
    assertThat(pair.left.solicitation.creditUsedBytes()).isZero();
    assertThat(pair.resources.holding().inUseBytes()).isZero();
  }

  @Test
  void shouldReturnTheBudgetOfASolicitedPushAndLetItsRestPassBy() {
    pair.left.application.bytesLeft = 500; // of each write, to hold some of the budget
    pair.right.application.submit(false, 600_000);
    send(initiator.pull(WindowClass.REQUEST), 0, 1);
    target.pull().forEach(grant -> initiator.send(WindowClass.DATA, grant));
    List<ByteBuffer> data = initiator.pull(WindowClass.DATA);
    send(data, 0, 50);
    assertThat(pair.left.solicitation.heldBytes()).isGreaterThan(500_000);

    fail();
    assertNothingHeld();
    send(data, 50, 100);
    assertNothingHeld();
    assertThat(target.pull()).as("its error, and no grant").hasSize(1);
    target.acknowledgeAll();
    target.send(WindowClass.DATA, data.get(100));
    assertThat(pair.left.transactions.peers().size()).as("told, and forgotten").isZero();
    send(data, 101, data.size());
    assertThat(pair.left.solicitation.failure()).isNull();
    assertThat(pair.left.counters.value(CounterId.RECORDS_IGNORED)).isEqualTo(data.size() - 50);
    assertNothingHeld();
  }

  @Test
  void shouldGrantWhatComesBehindTheFailedOneAtOnce() {
    pair.right.application.submit(false, 4_000_000);
    pair.right.application.submit(false, 20_000);
    send(initiator.pull(WindowClass.REQUEST), 0, 2);
    target.pull();
    fail();
    assertThat(target.pull().stream().map(r -> (int) r.get(0)).toList())
        .containsExactlyInAnyOrder(RecordType.PUSH_GRANT, RecordType.COMPLETE_IN_ERROR);
    assertThat(pair.left.solicitation.heldBytes()).isEqualTo(20_000);
  }

  @Test
  void shouldReturnWhatAnUnsolicitedPushHeldBeforeItWasOpened() {
    pair.left.application.openAnswer = ToyApplication.LATER;
    pair.right.application.submit(false, 6_000);
    List<ByteBuffer> data = initiator.pull(WindowClass.DATA);
    send(data, 0, 3);
    assertThat(pair.resources.holding().inUseBytes()).isPositive();
    assertThat(pair.left.solicitation.creditUsedBytes()).isGreaterThan(6_000);

    fail();
    assertNothingHeld();
    send(data, 3, data.size());
    assertNothingHeld();
    target.pull();
    target.acknowledgeAll();
    target.send(WindowClass.DATA, data.get(3));
    assertThat(pair.left.transactions.peers().size()).isZero();
  }

  @Test
  void shouldReturnWhatAnUnsolicitedPushHeldOfWhichTheSinkTookAPart() {
    pair.left.application.bytesLeft = 100;
    pair.right.application.submit(false, 6_000);
    List<ByteBuffer> data = initiator.pull(WindowClass.DATA);
    send(data, 0, 3);
    fail();
    assertNothingHeld();
    pair.left.solicitation.sinks().taken(RSN, 300);
    send(data, 3, data.size());
    assertNothingHeld();
    assertThat(pair.left.solicitation.failure()).isNull();
  }

  /** The data of an answer as far as it leaves at first, and nothing of it delivered. */
  private List<ByteBuffer> pull(int answerLength) {
    pair.left.application.isEnding = true;
    pair.left.application.submit(true, answerLength);
    pair.right.application.isMute = true;
    target.pull(WindowClass.REQUEST).forEach(r -> initiator.send(WindowClass.REQUEST, r));
    assertThat(pair.right.transactions.inbound().respond(RSN, answerOf(0), 0, answerLength))
        .isTrue();
    List<ByteBuffer> records = initiator.pull(WindowClass.DATA);
    return records.stream().filter(r -> r.get(0) == RecordType.PULL_DATA).toList();
  }

  private void assertRefused() {
    assertThat(pair.left.application.outcomes)
        .containsExactly("FAILED " + CloseCode.REFUSED_BY_SINK.code());
    assertThat(pair.left.application.ended).isOne();
    assertNothingHeld();
    assertThat(pair.budgets.solicitation().pullBytes()).isZero();
    assertThat(pair.left.solicitation.failure()).isNull();
    assertThat(pair.right.solicitation.failure()).isNull();
  }

  /** Everything that either has to say reaches the other. */
  private void exchange() {
    for (int round = 0; round < 10; round++) {
      target.pull(WindowClass.DATA).forEach(r -> initiator.send(WindowClass.DATA, r));
      initiator.pull(WindowClass.DATA).forEach(r -> target.send(WindowClass.DATA, r));
    }
  }

  @Test
  void shouldStopAnAnswerThatItsPullerRefusesAndHoldNoneOfIt() {
    pair.left.application.openAnswer = ToyApplication.LATER; // which an answer cannot
    List<ByteBuffer> data = pull(300_000);
    target.send(WindowClass.DATA, data.get(0));
    assertNothingHeld();
    List<ByteBuffer> records = target.pull(WindowClass.DATA);
    assertThat(records.stream().map(r -> (int) r.get(0)).toList())
        .as("no grant")
        .containsExactly(RecordType.CANCEL);
    assertThat(pair.left.transactions.cancel(RSN)).as("it is given up already").isFalse();
    data.subList(1, data.size()).forEach(r -> target.send(WindowClass.DATA, r));
    assertThat(pair.left.application.ended).as("not before the target has answered").isZero();
    records.forEach(r -> initiator.send(WindowClass.DATA, r));
    exchange();
    assertRefused();
    assertThat(pair.left.counters.value(CounterId.MESSAGE_BYTES_RECEIVED)).isLessThan(2_000);
    assertThat(pair.right.counters.value(CounterId.MESSAGE_BYTES_SENT)).isLessThan(100_000);
  }

  @Test
  void shouldStopAnAnswerWhoseSinkFailsInTheMiddle() {
    List<ByteBuffer> data = pull(300_000);
    data.subList(0, 10).forEach(r -> target.send(WindowClass.DATA, r));
    pair.left.application.isBroken = true;
    data.subList(10, data.size()).forEach(r -> target.send(WindowClass.DATA, r));
    assertNothingHeld();
    exchange();
    assertRefused();
    assertThat(pair.right.counters.value(CounterId.MESSAGE_BYTES_SENT)).isLessThan(100_000);
  }

  @Test
  void shouldEndARefusedAnswerThatHadLeftWholeOnceAllOfItHasPassedBy() {
    pair.left.application.openAnswer = ToyApplication.LATER;
    List<ByteBuffer> data = pull(20_000);
    target.send(WindowClass.DATA, data.get(0));
    target.pull(WindowClass.DATA).forEach(r -> initiator.send(WindowClass.DATA, r));
    for (int i = data.size() - 1; i > 0; i--) {
      assertThat(pair.left.application.ended).isZero();
      target.send(WindowClass.DATA, data.get(i));
    }
    assertRefused();
  }

  @Test
  void shouldEndAnAnswerWhoseSinkFailsAtItsLastByteWithoutAWish() {
    pair.left.application.isBroken = true;
    pull(500).forEach(r -> target.send(WindowClass.DATA, r));
    assertRefused();
    assertThat(target.pull(WindowClass.DATA)).isEmpty();
  }

  @Test
  void shouldEndAPushWhoseSinkFailsHoweverItCame() {
    pair.right.application.submit(false, 100);
    pair.right.application.submit(false, 6_000);
    pair.right.application.submit(false, 4_000_000);
    pair.left.application.isBroken = true;
    send(initiator.pull(WindowClass.REQUEST), 0, 1);
    exchange();
    target.acknowledgeAll();
    String refused = "NOT_EXECUTED " + CloseCode.REFUSED_BY_SINK.code();
    assertThat(pair.right.application.outcomes).containsExactly(refused, refused, refused);
    assertThat(pair.right.counters.value(CounterId.MESSAGE_BYTES_SENT)).isLessThan(2_000_000);
    assertThat(pair.left.application.delivered).isZero();
    assertNothingHeld();
    assertThat(pair.left.transactions.peers().size()).isZero();
  }

  @Test
  void shouldEndAPushWhoseSinkFailsOverWhatWasHeldForIt() {
    pair.left.application.openAnswer = ToyApplication.LATER;
    pair.right.application.submit(false, 6_000);
    List<ByteBuffer> data = initiator.pull(WindowClass.DATA);
    send(data, 0, 3);
    pair.left.application.isBroken = true;
    pair.left.solicitation.sinks().retryOpen(RSN);
    pair.left.solicitation.onTimeout(pair.nowNs);
    pair.left.tellAll();
    assertNothingHeld();
    send(data, 3, data.size());
    exchange();
    assertThat(pair.right.application.outcomes)
        .containsExactly("NOT_EXECUTED " + CloseCode.REFUSED_BY_SINK.code());
  }

  private void answerAPull(long openAnswer) {
    pair.left.application.isEnding = true;
    pair.left.application.openAnswer = openAnswer;
    pair.left.application.submit(true, 500);
    pair.right.application.isMute = true;
    target.pull(WindowClass.REQUEST).forEach(r -> initiator.send(WindowClass.REQUEST, r));
    assertThat(pair.right.transactions.inbound().respond(RSN, answerOf(0), 0, 500)).isTrue();
    initiator.pull(WindowClass.DATA).forEach(r -> target.send(WindowClass.DATA, r));
  }

  private static PayloadSource answerOf(long tag) {
    return new PayloadSource() {
      @Override
      public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
        for (int i = 0; i < length; i++) {
          to.put(index + i, ToyApplication.contentAt(tag, true, offset + i));
        }
        return length;
      }
    };
  }

  @Test
  void shouldNotSayOfAnAnswerThatWasTakenThatTheTransportRefusedIt() {
    answerAPull(0);
    assertThat(pair.left.application.outcomes).containsExactly("COMPLETED 0");
    assertThat(pair.left.application.endsByTransport).isZero();
  }

  @Test
  void shouldSayOfAnAnswerThatTheApplicationRefusedThatTheApplicationDid() {
    answerAPull(ToyApplication.refuse(77));
    assertThat(pair.left.application.outcomes).containsExactly("FAILED 77");
    assertThat(pair.left.application.endsByTransport).isZero();
  }

  @Test
  void shouldSayOfAnAnswerThatRtRefusedThatTheTransportDid() {
    answerAPull(ToyApplication.refuseByTransport(CloseCode.REFUSED_BY_SINK));
    assertThat(pair.left.application.outcomes)
        .containsExactly("FAILED " + CloseCode.REFUSED_BY_SINK.code());
    assertThat(pair.left.application.endsByTransport).isEqualTo(1);
  }
}
