package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.CloseCode;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.transaction.PayloadSink;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.core.wire.RecordType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A message that fails in mid-transfer: what it held goes back at once, and the rest of it, which still comes, costs nothing. */
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
    pair.left.transactions.fail(RSN, 77, "disk full");
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
    pair.left.application.openAnswer = PayloadSink.LATER;
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
    pair.left.solicitation.taken(RSN, 300);
    send(data, 3, data.size());
    assertNothingHeld();
    assertThat(pair.left.solicitation.failure()).isNull();
  }

  private static PayloadSource zeros() {
    return new PayloadSource() {
      @Override
      public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
        return length;
      }

      @Override
      public void release(long handle) {}
    };
  }

  @Test
  void shouldDrawInAnAnswerThatItsPullerRefusesAndHoldNoneOfIt() {
    pair.left.application.isEnding = true;
    pair.left.application.openAnswer = PayloadSink.LATER;
    pair.left.application.submit(true, 300_000);
    pair.right.application.isMute = true;
    target.pull(WindowClass.REQUEST).forEach(r -> initiator.send(WindowClass.REQUEST, r));
    assertThat(pair.right.transactions.respond(RSN, zeros(), 0, 300_000)).isTrue();
    for (int round = 0; round < 10 && pair.left.application.ended == 0; round++) {
      for (ByteBuffer record : initiator.pull(WindowClass.DATA)) {
        assertThat(pair.left.application.ended).as("not before all has come").isZero();
        target.send(WindowClass.DATA, record);
      }
      target.pull(WindowClass.DATA).forEach(r -> initiator.send(WindowClass.DATA, r));
    }
    assertThat(pair.left.application.outcomes)
        .containsExactly("FAILED " + CloseCode.REFUSED_BY_SINK.code());
    assertThat(pair.left.counters.value(CounterId.MESSAGE_BYTES_RECEIVED)).isEqualTo(300_000);
    assertNothingHeld();
    assertThat(pair.budgets.solicitation().pullBytes()).isZero();
  }

  private void answerAPull(long openAnswer) {
    pair.left.application.isEnding = true;
    pair.left.application.openAnswer = openAnswer;
    pair.left.application.submit(true, 500);
    pair.right.application.isMute = true;
    target.pull(WindowClass.REQUEST).forEach(r -> initiator.send(WindowClass.REQUEST, r));
    assertThat(pair.right.transactions.respond(RSN, answerOf(0), 0, 500)).isTrue();
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

      @Override
      public void release(long handle) {}
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
    answerAPull(PayloadSink.refuse(77));
    assertThat(pair.left.application.outcomes).containsExactly("FAILED 77");
    assertThat(pair.left.application.endsByTransport).isZero();
  }

  @Test
  void shouldSayOfAnAnswerThatRtRefusedThatTheTransportDid() {
    answerAPull(PayloadSink.refuseByTransport(CloseCode.REFUSED_BY_SINK));
    assertThat(pair.left.application.outcomes)
        .containsExactly("FAILED " + CloseCode.REFUSED_BY_SINK.code());
    assertThat(pair.left.application.endsByTransport).isEqualTo(1);
  }
}
