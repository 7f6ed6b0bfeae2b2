package io.rtransport.simulator;

/**
 * What a network can do to a datagram, and a machine to a host. The minimiser drops them one by
 * one.
 */
public enum FaultKind {
  /** The datagram never arrives. */
  LOSS,
  /** It arrives after datagrams that were sent later. */
  REORDER,
  /** It arrives twice. */
  DUPLICATE,
  /** Bits are flipped, or its end is cut off, or bytes are appended. */
  CORRUPT,
  /** Its delay varies, without overtaking. */
  JITTER,
  /** Nothing passes in one direction for a while. */
  OUTAGE,
  /** A host does not run for a while. */
  PAUSE
}
