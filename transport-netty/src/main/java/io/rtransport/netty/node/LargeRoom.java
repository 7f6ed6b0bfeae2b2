package io.rtransport.netty.node;

import java.util.HashMap;
import java.util.Map;

/**
 * Room of a router for large messages of one kind towards one destination. One origin has at most
 * half of it, so that what it never sends, or nobody answers, does not stop the others. Used under
 * the lock of its {@link NextHop}.
 */
final class LargeRoom {
  private final int max;
  private final Map<String, Integer> ofOrigins = new HashMap<>();
  private int taken;

  LargeRoom(int max) {
    this.max = max;
  }

  /** Returns whether there is room for a message of an origin. */
  boolean isFree(String origin) {
    return taken < max && ofOrigins.getOrDefault(origin, 0) < max / 2;
  }

  /** Takes room that is free. */
  void take(String origin) {
    taken++;
    ofOrigins.merge(origin, 1, Integer::sum);
  }

  /** Gives room back. */
  void give(String origin) {
    taken--;
    ofOrigins.merge(origin, -1, (a, b) -> a + b == 0 ? null : a + b);
  }

  /** Returns how many messages have room. */
  int taken() {
    return taken;
  }
}
