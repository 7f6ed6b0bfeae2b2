package io.rtransport.core.transaction;

/** How a transaction ended. Each ends exactly once. */
public enum Outcome {
  /** The peer's application acknowledged it (push), or the whole answer arrived (pull). */
  COMPLETED,
  /** It failed, and the peer's application certainly did not execute it. */
  NOT_EXECUTED,
  /** The peer's application answered with an error. */
  FAILED,
  /**
   * Nobody can say: the connection died, part of it had been delivered, or the peer's application
   * broke off over it.
   */
  UNKNOWN
}
