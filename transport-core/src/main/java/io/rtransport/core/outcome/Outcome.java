package io.rtransport.core.outcome;

/** End of a transaction. Each transaction ends exactly once. */
public enum Outcome {
  /** The peer's application acknowledged the push, or the whole answer to the pull arrived. */
  COMPLETED,
  /** The transaction failed, and the peer's application certainly did not execute it. */
  NOT_EXECUTED,
  /** The peer's application answered with an error. */
  FAILED,
  /**
   * Nobody can say whether it was executed: the connection died, the peer's application threw while
   * it handled it, or a pull was given up after the peer's application had seen it.
   */
  UNKNOWN
}
