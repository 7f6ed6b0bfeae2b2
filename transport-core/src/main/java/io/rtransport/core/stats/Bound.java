package io.rtransport.core.stats;

/** What holds a connection's sending half from sending more. */
public enum Bound {
  /** The packet window: as many packets are unacknowledged as the peer tracks. */
  WINDOW,
  /** The congestion window of the path. */
  CONGESTION,
  /** Unsolicited messages wait for the peer to raise its credit limit. */
  CREDIT,
  /**
   * Long messages, or answers, wait for the peer to grant bytes; or pulls for this node's budget.
   */
  GRANT,
  /** The retransmission store has no room for another packet. */
  STORE,
  /** All that the application gave has left, and some of it is not acknowledged yet. */
  APPLICATION,
  /** Nothing is on its way, or the port is busy sending: no bound of the protocol. */
  NONE
}
