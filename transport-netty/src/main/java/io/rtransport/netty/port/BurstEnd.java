package io.rtransport.netty.port;

import io.rtransport.core.wire.PacketBurst;

/** The last packets of a burst, whose promises tell when it has left. */
final class BurstEnd {
  private BurstEnd() {}

  /** The last that is to be sent, or −1. */
  static int sent(PacketBurst burst) {
    int last = burst.count() - 1;
    while (last >= 0 && burst.isDropped(last)) {
      last--;
    }
    return last;
  }

  /**
   * The last that is to be pinned until it has left, or −1. It has a promise, as all behind it
   * have: these are copied, and there may be no memory for that.
   */
  static int stored(PacketBurst burst) {
    int last = sent(burst);
    while (last >= 0 && (burst.isDropped(last) || burst.token(last) == PacketBurst.TRANSIENT)) {
      last--;
    }
    return last;
  }
}
