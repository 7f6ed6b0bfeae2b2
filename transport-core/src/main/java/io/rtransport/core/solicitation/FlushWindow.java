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
 * Decides whether submissions wait for others to share a packet. Without a window, which is the
 * default, none waits. With a window, a submission with no other before it waits for that time, and
 * submissions that come meanwhile wait with it. They go sooner in three cases:
 *
 * <ul>
 *   <li>they fill a packet;
 *   <li>a packet leaves anyway, with an acknowledgement that is due, grants, completions or data:
 *       so nothing that the peer waits for is late;
 *   <li>one of them has a deadline that would come first.
 * </ul>
 *
 * <p>Once they may go, all of them go, and so do later submissions until the last has gone.
 * Submissions then wait only for room, and this is delay enough.
 */
final class FlushWindow {
  private enum State {
    /** All submissions have gone. */
    EMPTY,
    /** Submissions wait for others. */
    HOLDING,
    /** Submissions go, as far as there is room. */
    PASSING
  }

  private long windowNs;
  private final int packetBytes;
  private final Counters counters;
  private State state = State.EMPTY;
  private long endNs = Long.MAX_VALUE;

  /**
   * @param windowNs how long a submission waits at the most; 0: no submission waits
   * @param packetBytes bytes of records in a full packet
   */
  FlushWindow(long windowNs, int packetBytes, Counters counters) {
    this.windowNs = windowNs;
    this.packetBytes = packetBytes;
    this.counters = counters;
  }

  /** Sets the window. Held submissions go with the next transmission. */
  void windowNs(long newWindowNs) {
    windowNs = newWindowNs;
    if (state == State.HOLDING) {
      state = State.PASSING;
      endNs = Long.MAX_VALUE;
    }
  }

  /** Returns whether submissions are ever held. */
  boolean isOn() {
    return windowNs > 0;
  }

  boolean isHolding() {
    return state == State.HOLDING;
  }

  /** Returns when held submissions must go; {@link Long#MAX_VALUE}: none is held. */
  long endNs() {
    return endNs;
  }

  /**
   * Decides at the start of a transmission. Only with a window.
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

  /** Notes that a transmission is over. */
  void onTransmitted(TransactionQueue submitted) {
    if (submitted.isEmpty()) {
      state = State.EMPTY;
      endNs = Long.MAX_VALUE;
    }
  }

  /**
   * Returns whether the submissions fill a packet, or one of them must not wait until {@code
   * untilNs}.
   */
  private boolean isPressing(TransactionQueue submitted, long untilNs) {
    long bytes = 0;
    int records = 0;
    for (Transaction t = submitted.peek(); t != null; t = submitted.after(t)) {
      bytes += recordBytes(t);
      records++;
      if (bytes >= packetBytes
          || records >= RecordSource.RECORDS_MAX
          || t.deadlineNs() <= untilNs) {
        return true;
      }
    }
    return false;
  }

  /** Returns an upper bound. It is not known in advance whether a push will be solicited. */
  private static long recordBytes(Transaction t) {
    if (t.kind() == Kind.PULL) {
      return PullRequestFlyweight.FIXED_LENGTH + t.headerLength();
    }
    int headerBytes =
        t.headerLength() == 0
            ? 0
            : t.headerLength() + PushUnsolicitedDataFlyweight.HEADER_LENGTH_LENGTH;
    return Math.max(
        PushSolicitedRequestFlyweight.FIXED_LENGTH + t.headerLength(),
        PushUnsolicitedDataFlyweight.FIXED_LENGTH + headerBytes + t.lengthBytes());
  }
}
