package io.rtransport.core.solicitation;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.TransactionQueue;
import io.rtransport.core.window.RecordSource;
import io.rtransport.core.wire.PullRequestFlyweight;
import io.rtransport.core.wire.PushSolicitedRequestFlyweight;
import io.rtransport.core.wire.PushUnsolicitedDataFlyweight;

/**
 * Decides whether submissions wait for others to share a packet with: none without a window, which
 * is the default. With one the first submission that finds nothing before it waits for so long, and
 * those that come meanwhile wait with it. Together they go sooner
 *
 * <ul>
 *   <li>when they fill a packet;
 *   <li>when a packet is to leave anyway: an acknowledgement that is due, grants, completions,
 *       data; so what the peer waits for is never late;
 *   <li>when one of them has a deadline that would come first.
 * </ul>
 *
 * Once they may go, all do, and what is submitted before the last has gone too: that is
 * back-pressure, and needs no more delay.
 */
final class FlushWindow {
  private enum State {
    /** Nothing is submitted that has not gone. */
    EMPTY,
    /** Submissions wait for others. */
    HOLDING,
    /** They go, as far as there is room. */
    PASSING
  }

  private long windowNs;
  private final int packetBytes;
  private final Counters counters;
  private State state = State.EMPTY;
  private long endNs = Long.MAX_VALUE;

  /**
   * @param windowNs how long a submission waits at the most; 0 = none does
   * @param packetBytes of records in a full packet
   */
  FlushWindow(long windowNs, int packetBytes, Counters counters) {
    this.windowNs = windowNs;
    this.packetBytes = packetBytes;
    this.counters = counters;
  }

  /** From now on; what is held goes with the next transmission. */
  void windowNs(long newWindowNs) {
    windowNs = newWindowNs;
    if (state == State.HOLDING) {
      state = State.PASSING;
      endNs = Long.MAX_VALUE;
    }
  }

  /** Whether it holds anything. */
  boolean isOn() {
    return windowNs > 0;
  }

  boolean isHolding() {
    return state == State.HOLDING;
  }

  /** When what is held must go; {@link Long#MAX_VALUE}: nothing is. */
  long endNs() {
    return endNs;
  }

  /**
   * A transmission begins. Only where the window is on.
   *
   * @param isLeaving whether a packet leaves anyway
   */
  void onTransmitting(TransactionQueue submitted, boolean isLeaving, long nowNs) {
    if (submitted.isEmpty()) {
      onTransmitted(submitted);
      return;
    }
    if (state == State.EMPTY && !isLeaving && !isPressing(submitted, nowNs + windowNs)) {
      state = State.HOLDING;
      endNs = nowNs + windowNs;
      counters.increment(CounterId.FLUSHES_HELD);
    } else if (state == State.EMPTY
        || state == State.HOLDING
            && (isLeaving || nowNs >= endNs || isPressing(submitted, endNs))) {
      state = State.PASSING;
      endNs = Long.MAX_VALUE;
    }
  }

  /** It is over. */
  void onTransmitted(TransactionQueue submitted) {
    if (submitted.isEmpty()) {
      state = State.EMPTY;
      endNs = Long.MAX_VALUE;
    }
  }

  /** Whether they fill a packet, or one of them may not wait until {@code untilNs}. */
  private boolean isPressing(TransactionQueue submitted, long untilNs) {
    long bytes = 0;
    int records = 0;
    for (Transaction t = submitted.peek(); t != null; t = submitted.after(t)) {
      bytes += recordBytes(t);
      records++;
      if (bytes >= packetBytes || records >= RecordSource.RECORDS_MAX || t.deadlineNs <= untilNs) {
        return true;
      }
    }
    return false;
  }

  /** At the most; which way a push will go is not known before it does. */
  private static long recordBytes(Transaction t) {
    if (t.kind() == Kind.PULL) {
      return PullRequestFlyweight.FIXED_LENGTH + t.headerLength;
    }
    int headerBytes =
        t.headerLength == 0
            ? 0
            : t.headerLength + PushUnsolicitedDataFlyweight.HEADER_LENGTH_LENGTH;
    return Math.max(
        PushSolicitedRequestFlyweight.FIXED_LENGTH + t.headerLength,
        PushUnsolicitedDataFlyweight.FIXED_LENGTH + headerBytes + t.lengthBytes);
  }
}
