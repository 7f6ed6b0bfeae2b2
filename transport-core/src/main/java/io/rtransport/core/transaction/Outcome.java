package io.rtransport.core.transaction;

/** End of a transaction. Each transaction ends exactly once. */
public enum Outcome {
  /** The peer's application acknowledged the push, or the whole answer to the pull arrived. */
  COMPLETED,
  /** The transaction failed, and the peer's application certainly did not execute it. */
  NOT_EXECUTED,
  /** The peer's application answered with an error. */
  FAILED,
  /**
   * The result is unknown: the connection died, part of it had been delivered, or the peer's
   * application threw while it handled it.
   */
  UNKNOWN
}
