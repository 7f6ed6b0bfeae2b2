package io.rtransport.core.transaction;

/**
 * What {@link TransactionSublayer} and {@link InboundTransactions} ask of the sublayer below for
 * the peer's transactions. On the connection's loop only; none of the calls calls up.
 */
public interface TargetRole {
  /** Notes that the application acknowledged a transaction. */
  void onAcknowledged(Transaction peer);

  /** Returns whether an RSN is the lowest that has not ended. */
  boolean isLowestUnended(int rsn);

  /**
   * Notes that the application acknowledged the push at the lowest RSN that has not ended, of which
   * no transaction is kept.
   *
   * @param heldBytes bytes of it that have kept their credit
   */
  void onAcknowledged(int rsn, int lengthBytes, int heldBytes, boolean isUnawaited);

  /** Ends a transaction in error: code, text and flags are set. */
  void fail(Transaction peer);

  /** Notes that a pull has its answer: source, handle and length are set. */
  void onResponding(Transaction peer);

  /** Gives back all that a transaction holds, because the connection ended. */
  void abandon(Transaction peer);
}
