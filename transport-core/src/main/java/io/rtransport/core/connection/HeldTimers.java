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

  /** Whether they must wait. Asked when they are due, again and again. */
  boolean mustWait(Link link, Counters counters, long nowNs) {
    if (!link.mayHaveUnread()) {
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
    return true;
  }

  /** They have acted, or are due no more. */
  void release() {
    isHeld = false;
  }
}
