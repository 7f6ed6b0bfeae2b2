package io.rtransport.simulator;

import io.rtransport.core.burst.PacketBurst;

/** Exit for the packets of one connection. */
public interface Wire {
  void transmit(PacketBurst burst, long nowNs);

  boolean hasRoom(int pathIndex);

  /** Returns whether packets for the connection may wait unread below. */
  default boolean mayHaveUnread() {
    return false;
  }
}
