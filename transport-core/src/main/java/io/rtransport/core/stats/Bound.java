package io.rtransport.core.stats;

/** Limit that keeps a connection's sending half from sending more. */
public enum Bound {
  /** The packet window: the peer tracks no more unacknowledged packets. */
  WINDOW,
  /** The congestion window of the path. */
  CONGESTION,
  /** Unsolicited messages wait until the peer raises its credit limit. */
  CREDIT,
  /** Long messages or answers wait for the peer's grants, or pulls wait for this node's budget. */
  GRANT,
  /** The retransmission store has no room for another packet. */
  STORE,
  /** Everything that the application gave has left, and some of it is unacknowledged. */
  APPLICATION,
  /** Nothing is in flight, or the port is busy sending: no limit of the protocol. */
  NONE
}
