package io.rtransport.netty.port;

import io.rtransport.core.burst.PacketBurst;

/** Finds the last packets of a burst. Their promises tell when the burst has left. */
final class BurstEnd {
  private BurstEnd() {}

  /** Returns the index of the last packet that is sent, or −1. */
  static int sent(PacketBurst burst) {
    int last = burst.count() - 1;
    while (last >= 0 && burst.isDropped(last)) {
      last--;
    }
    return last;
  }

  /**
   * Returns the index of the last packet that is pinned until it has left, or −1. This packet has a
   * promise, and so have all packets behind it: those are copied, and there may be no memory for a
   * copy.
   */
  static int stored(PacketBurst burst) {
    int last = sent(burst);
    while (last >= 0 && (burst.isDropped(last) || burst.token(last) == PacketBurst.TRANSIENT)) {
      last--;
    }
    return last;
  }
}
