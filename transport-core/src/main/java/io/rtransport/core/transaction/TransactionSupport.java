package io.rtransport.core.transaction;

/**
 * What {@link TransactionSublayer} asks of the sublayer below. Called on the connection's loop
 * only; none of it calls up.
 */
public interface TransactionSupport {
  /** A peer's transaction was acknowledged by the application. */
  void onAcknowledged(Transaction peer);

  /** A peer's transaction failed: code, text and flags are set. */
  void onFailed(Transaction peer);

  /** A peer's pull has its answer: source, handle and length are set. */
  void onResponding(Transaction peer);

  /**
   * An own transaction of which nothing has left is about to end: the peer must hear that its RSN
   * is not used.
   */
  void onGivenUp(Transaction own);

  /**
   * An own transaction of which something has left was cancelled: it sends and takes nothing more,
   * and the peer is asked to end it.
   */
  void onCancelled(Transaction own);

  /**
   * The lower of {@code rsn} and the lowest own RSN that was given up and may be unknown to the
   * peer.
   */
  int lowestUnsettled(int rsn);

  /** How many own RSNs were given up and may be unknown to the peer. */
  int givenUpCount();

  /**
   * An own transaction's outcome is set: it sends nothing more, and unless it completed takes
   * nothing more.
   */
  void onEnded(Transaction own);

  /** An own transaction is handed up: it gives back all that it still holds. */
  void onRetired(Transaction own);

  /** The connection ended: the same for a peer's transaction. */
  void onAbandoned(Transaction peer);

  /** The connection ended, and every transaction before it. */
  void onAllEnded();
}
