package io.rtransport.core.outcome;

/**
 * Why the system did not send a packet, as far as a connection goes by it. What the system says may
 * come from the network, where anybody can forge it. So it never costs health by itself: it only
 * has the path asked, and says later why a path is silent.
 */
public enum SendFailure {
  /** The peer's host says that nobody listens there. */
  NO_LISTENER,
  /** There is no way to the peer's address: no route, or a router or the local network says so. */
  NO_WAY,
  /** The system takes no packets here for another reason, such as no memory or no permission. */
  REFUSED
}
