package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.Transaction;

/**
 * Decides about a piece of a message that has arrived, at its target or at the puller. The {@link
 * Reassembler} asks it, and gives the bytes to the application one stretch after the other.
 */
interface PieceOwner {
  /**
   * Returns whether the piece {@code [offset, offset + length)} is to be given, now that it can be.
   */
  boolean isWanted(Transaction t, long offset, int length, long nowNs);

  /**
   * Returns whether the rest of a piece, {@code [from, end)}, is thrown away, because the message
   * was given up meanwhile.
   */
  boolean passesBy(Transaction t, long from, long end);

  /** Notes that all of the piece was given. */
  void onPieceDone(Transaction t);

  /** Notes that the message is in more pieces than packets could make. */
  void onTooManyPieces(Transaction t);
}
