package io.rtransport.simulator;

/**
 * Fault of a network for datagrams, or of a machine for a host. The minimiser removes them one by
 * one.
 */
public enum FaultKind {
  /** The datagram never arrives. */
  LOSS,
  /** The datagram arrives after datagrams that were sent later. */
  REORDER,
  /** The datagram arrives twice. */
  DUPLICATE,
  /** Bits are flipped, or the end is cut off, or bytes are appended. */
  CORRUPT,
  /** The delay varies, without overtaking. */
  JITTER,
  /** Nothing passes in one direction for a while. */
  OUTAGE,
  /** A host does not run for a while. */
  PAUSE
}
