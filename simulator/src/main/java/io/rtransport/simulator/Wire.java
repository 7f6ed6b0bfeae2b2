package io.rtransport.simulator;

import io.rtransport.core.wire.PacketBurst;

/** Where the packets of one connection leave. */
public interface Wire {
  void transmit(PacketBurst burst, long nowNs);

  boolean hasRoom(int pathIndex);

  /** Whether packets for the connection may lie unread below. */
  default boolean mayHaveUnread() {
    return false;
  }
}
