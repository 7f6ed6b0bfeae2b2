package io.rtransport.core.connection;

import io.rtransport.core.wire.PacketBurst;

/**
 * What one connection hands to its link before it is the others' turn: what its window would let go beyond that leaves when the event loop has
 * read what came in meanwhile and served the loop's other connections. So one that pushes megabytes holds up a short message of another for
 * a fraction of a millisecond, however far its window is open.
 */
final class SendTurn {
  private final int bytesMax;
  private int leftBytes;

  SendTurn(int bytesMax) {
    this.bytesMax = bytesMax;
    leftBytes = bytesMax;
  }

  void begin() {
    leftBytes = bytesMax;
  }

  /** {@code burst} is being handed over. The last of a turn may exceed it. */
  void take(PacketBurst burst) {
    leftBytes -= burst.lengthBytes();
  }

  /** Whether the rest, if there is any, has to wait for the next turn. */
  boolean isOver() {
    return leftBytes <= 0;
  }
}
