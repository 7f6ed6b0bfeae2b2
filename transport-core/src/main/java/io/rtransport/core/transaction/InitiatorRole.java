package io.rtransport.core.transaction;

/**
 * What {@link TransactionSublayer} asks of the sublayer below for this side's own transactions. On
 * the connection's loop only; none of the calls calls up.
 */
public interface InitiatorRole {
  /**
   * Notes that a transaction is about to end although nothing of it has left. The peer must be told
   * that its RSN is not used.
   */
  void onGivenUp(Transaction own);

  /**
   * Notes that a transaction was cancelled after a part of it had left. It sends and takes nothing
   * more, and the peer is asked to end it.
   */
  void onCancelled(Transaction own);

  /**
   * Returns the lower of {@code rsn} and the lowest RSN that was given up and that the peer may not
   * know of.
   */
  int lowestUnsettled(int rsn);

  /** Returns how many RSNs were given up without the peer certainly knowing it. */
  int givenUpCount();

  /**
   * Notes that the outcome of a transaction is set. It sends nothing more. Unless it completed, it
   * takes nothing more either.
   */
  void onEnded(Transaction own);

  /** Notes that a transaction is handed up: it gives back all that it still holds. */
  void onRetired(Transaction own);
}
