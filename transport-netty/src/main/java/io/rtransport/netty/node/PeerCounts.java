package io.rtransport.netty.node;

import io.rtransport.core.outcome.MessageStatus;
import io.rtransport.core.stats.PeerStats;
import java.util.concurrent.atomic.LongAdder;

/** Counts the messages to one peer. Its links share it. Any thread. */
final class PeerCounts {
  private final LongAdder messages = new LongAdder();
  private final LongAdder attempts = new LongAdder();
  private final TimeCounts attemptTimes = new TimeCounts();
  private final TimeCounts completedTimes = new TimeCounts();
  private final LongAdder[] ends = adders(MessageStatus.values().length);
  private final LongAdder[] again = adders(SentAgain.values().length);

  private static LongAdder[] adders(int count) {
    LongAdder[] adders = new LongAdder[count];
    for (int i = 0; i < count; i++) {
      adders[i] = new LongAdder();
    }
    return adders;
  }

  void onTaken(Call call, long nowNs) {
    call.takenNs = nowNs;
    messages.increment();
  }

  void onSent(Call call, long nowNs) {
    call.sentNs = nowNs;
    attempts.increment();
    if (call.again != null) {
      again[call.again.ordinal()].increment();
      call.again = null;
    }
  }

  /** Counts an attempt that was answered. */
  void onAnswered(Call call, long nowNs) {
    attemptTimes.record(nowNs - call.sentNs);
  }

  void onEnded(Call call, long nowNs) {
    ends[call.state.status().ordinal()].increment();
    if (call.state.status() == MessageStatus.COMPLETED) {
      completedTimes.record(nowNs - call.takenNs);
    }
  }

  private long ended(MessageStatus status) {
    return ends[status.ordinal()].sum();
  }

  PeerStats stats() {
    return new PeerStats(
        messages.sum(),
        ended(MessageStatus.COMPLETED),
        ended(MessageStatus.FAILED),
        ended(MessageStatus.UNKNOWN),
        ended(MessageStatus.NOT_EXECUTED),
        attempts.sum(),
        again[SentAgain.LOSS.ordinal()].sum(),
        again[SentAgain.SILENCE.ordinal()].sum(),
        again[SentAgain.NO_WAY.ordinal()].sum(),
        attemptTimes.times(),
        completedTimes.times());
  }
}
