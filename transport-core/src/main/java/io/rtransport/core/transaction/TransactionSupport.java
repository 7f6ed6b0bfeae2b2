package io.rtransport.core.transaction;

/**
 * Calls that {@link TransactionSublayer} makes to the sublayer below. On the connection's loop
 * only; none of them calls up.
 */
public interface TransactionSupport {
  /** Notes that the application acknowledged a peer's transaction. */
  void onAcknowledged(Transaction peer);

  /** Returns whether an RSN of the peer is the lowest that has not ended. */
  boolean isLowestUnended(int rsn);

  /**
   * Notes that the application acknowledged the peer's push at the lowest RSN that has not ended,
   * of which no transaction is kept.
   *
   * @param heldBytes bytes of it that have kept their credit
   */
  void onAcknowledged(int rsn, int lengthBytes, int heldBytes, boolean isUnawaited);

  /** Notes that a peer's transaction failed: code, text and flags are set. */
  void onFailed(Transaction peer);

  /** Notes that a peer's pull has its answer: source, handle and length are set. */
  void onResponding(Transaction peer);

  /**
   * Notes that an own transaction is about to end although nothing of it has left. The peer must be
   * told that its RSN is not used.
   */
  void onGivenUp(Transaction own);

  /**
   * Notes that an own transaction was cancelled after a part of it had left. It sends and takes
   * nothing more, and the peer is asked to end it.
   */
  void onCancelled(Transaction own);

  /**
   * Returns the lower of {@code rsn} and the lowest own RSN that was given up and that the peer may
   * not know of.
   */
  int lowestUnsettled(int rsn);

  /** Returns how many own RSNs were given up without the peer certainly knowing it. */
  int givenUpCount();

  /**
   * Notes that the outcome of an own transaction is set. It sends nothing more. Unless it
   * completed, it takes nothing more either.
   */
  void onEnded(Transaction own);

  /** Notes that an own transaction is handed up: it gives back all that it still holds. */
  void onRetired(Transaction own);

  /** Notes that the connection ended: a peer's transaction gives back all that it holds. */
  void onAbandoned(Transaction peer);

  /** Notes that the connection and all its transactions have ended. */
  void onAllEnded();
}
