package io.rtransport.netty.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.node.MessageKind;
import io.rtransport.core.node.PendingMessage;
import io.rtransport.core.outcome.MessageStatus;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.stats.MessageTimes;
import io.rtransport.core.stats.PeerStats;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PeerCountsTest {
  private final PeerCounts counts = new PeerCounts();
  private long nowNs = 1_000;

  private Call taken() {
    PendingMessage state = new PendingMessage(MessageKind.PUT, false, 1_000_000, 3, 0, nowNs);
    Call call =
        new Call(1, MessageKind.PUT, new byte[0], null, 0, false, state, new CompletableFuture<>());
    counts.onTaken(call, nowNs);
    return call;
  }

  private void send(Call call, SentAgain again) {
    call.again = again;
    call.state.onSent(1);
    counts.onSent(call, nowNs);
  }

  @Test
  void shouldCountEachReasonToSendAgainAndNoneTwice() {
    for (SentAgain again : SentAgain.values()) {
      for (int i = 0; i <= again.ordinal(); i++) {
        Call call = taken();
        send(call, null);
        call.state.onAttemptEnded(Outcome.NOT_EXECUTED, nowNs);
        send(call, again);
        call.state.onAttemptEnded(Outcome.NOT_EXECUTED, nowNs);
        counts.onSent(call, nowNs); // the reason was counted
      }
    }
    PeerStats stats = counts.stats();
    assertThat(stats.messages()).isEqualTo(6);
    assertThat(stats.attempts()).isEqualTo(18);
    assertThat(stats.againAfterLoss()).isEqualTo(1);
    assertThat(stats.againAfterSilence()).isEqualTo(2);
    assertThat(stats.againAfterNoWay()).isEqualTo(3);
    assertThat(stats.attemptTimes()).as("none was answered").isEqualTo(MessageTimes.NONE);
    assertThat(stats.completedTimes()).isEqualTo(MessageTimes.NONE);
  }

  @Test
  void shouldMeasureAttemptsAloneAndMessagesWithTheirWaiting() {
    for (long waitNs : new long[] {100, 300}) {
      Call call = taken();
      nowNs += waitNs;
      send(call, null);
      nowNs += 50;
      call.state.onAttemptEnded(Outcome.COMPLETED, nowNs);
      counts.onAnswered(call, nowNs);
      counts.onEnded(call, nowNs);
    }
    assertThat(counts.stats().attemptTimes()).isEqualTo(new MessageTimes(50, 50, 50, 50));
    assertThat(counts.stats().completedTimes()).isEqualTo(new MessageTimes(250, 350, 350, 350));
  }

  @Test
  void shouldCountEachEnd() {
    Call failed = taken();
    send(failed, null);
    failed.state.onAttemptEnded(Outcome.FAILED, nowNs);
    Call unknown = taken();
    send(unknown, null);
    unknown.state.onNothingMore();
    Call never = taken();
    never.state.onNothingMore();
    for (Call call : new Call[] {failed, unknown, never}) {
      counts.onEnded(call, nowNs);
    }
    assertThat(unknown.state.status()).isEqualTo(MessageStatus.UNKNOWN);
    PeerStats stats = counts.stats();
    assertThat(stats.completed()).isZero();
    assertThat(stats.failed()).isEqualTo(1);
    assertThat(stats.unknown()).isEqualTo(1);
    assertThat(stats.notExecuted()).isEqualTo(1);
  }
}
