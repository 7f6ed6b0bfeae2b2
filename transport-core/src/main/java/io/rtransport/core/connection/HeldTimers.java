package io.rtransport.core.connection;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;

/**
 * Decides whether a connection's timers that are due wait: what they wait for may have come in time
 * and lie unread, because this host is late. They wait until that has been read, but no longer than
 * {@link #HELD_NS_MAX}.
 */
final class HeldTimers {
  /** As long as an event loop takes for a full socket buffer of short packets. */
  static final long HELD_NS_MAX = 100_000_000;

  private boolean isHeld;
  private long sinceNs;
  private long putOffNs;

  /** Whether they must wait. Asked when they are due, again and again. */
  boolean mustWait(boolean mayHaveUnread, Counters counters, long nowNs) {
    if (!mayHaveUnread) {
      return false;
    }
    if (!isHeld) {
      isHeld = true;
      sinceNs = nowNs;
    }
    if (nowNs - sinceNs >= HELD_NS_MAX) {
      return false;
    }
    counters.increment(CounterId.TIMERS_PUT_OFF);
    putOffNs = nowNs;
    return true;
  }

  /** Whether they were put off at this instant. */
  boolean isPutOff(long nowNs) {
    return isHeld && putOffNs == nowNs;
  }

  /** They have acted, or are due no more. */
  void release() {
    isHeld = false;
  }
}
