package io.rtransport.core.connection;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;

/**
 * Decides whether expired timers of a connection must wait. The packets for which they wait may
 * have come in time and lie unread, because this host is late. The timers wait until those packets
 * were read, but no longer than {@link #HELD_NS_MAX}.
 */
final class HeldTimers {
  /** Longest wait: the time that an event loop needs for a full socket buffer of short packets. */
  static final long HELD_NS_MAX = 100_000_000;

  private boolean isHeld;
  private long sinceNs;
  private long putOffNs;

  /** Returns whether the timers must wait. Called each time they are due. */
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

  /** Returns whether the timers were put off at this instant. */
  boolean isPutOff(long nowNs) {
    return isHeld && putOffNs == nowNs;
  }

  /** Ends the wait: the timers have acted, or are due no more. */
  void release() {
    isHeld = false;
  }
}
