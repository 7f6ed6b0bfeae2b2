package io.rtransport.core.rail;

/** Why selection finds no pair of interfaces for a message. */
public enum NoPairReason {
  /** The given source is not an interface of ours, or we have none at all. */
  NO_LOCAL_NI,
  /** Our interfaces that could be used have failed. */
  LOCAL_NI_DOWN,
  /** No interface of the peer is on a network of our interfaces. */
  NO_COMMON_NETWORK,
  /** The peer's interfaces that could be used have failed. */
  PEER_NI_FAILED,
  /** There is no route, or no router has an interface that could be used. */
  NO_ROUTE,
  /** A resend would go to an unhealthy interface of a peer that is not multi-rail. */
  PEER_NI_UNHEALTHY,
  /** A resend would leave by an unhealthy interface, and the peer knows us by that one. */
  LOCAL_NI_UNHEALTHY
}
