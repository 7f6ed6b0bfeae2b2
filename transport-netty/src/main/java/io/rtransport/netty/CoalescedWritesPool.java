package io.rtransport.netty;

import java.util.ArrayDeque;

/** The free {@link CoalescedWrites} of an event loop. Confined to it. */
final class CoalescedWritesPool {
  /** More than that are the collector's: 512 KiB. */
  static final int KEPT_MAX = 64;

  private final ArrayDeque<CoalescedWrites> free = new ArrayDeque<>(0);

  CoalescedWrites take() {
    CoalescedWrites coalesced = free.poll();
    return coalesced == null ? new CoalescedWrites() : coalesced;
  }

  void give(CoalescedWrites coalesced) {
    coalesced.clear();
    if (free.size() < KEPT_MAX) {
      free.push(coalesced);
    }
  }
}
