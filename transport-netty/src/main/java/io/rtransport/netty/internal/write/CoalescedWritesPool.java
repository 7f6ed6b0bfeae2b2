package io.rtransport.netty.internal.write;

import java.util.ArrayDeque;

/** Free {@link CoalescedWrites} of an event loop. Confined to it. */
public final class CoalescedWritesPool {
  /** Limit of the kept runs: 512 KiB. Further ones go to the garbage collector. */
  public static final int KEPT_MAX = 64;

  private final ArrayDeque<CoalescedWrites> free = new ArrayDeque<>(0);

  public CoalescedWrites take() {
    CoalescedWrites coalesced = free.poll();
    return coalesced == null ? new CoalescedWrites() : coalesced;
  }

  public void give(CoalescedWrites coalesced) {
    coalesced.clear();
    if (free.size() < KEPT_MAX) {
      free.push(coalesced);
    }
  }
}
