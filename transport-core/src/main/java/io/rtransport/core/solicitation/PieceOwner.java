package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.Transaction;

/**
 * What becomes of a piece of a message that has arrived, at its target or at the puller: asked by
 * the {@link Reassembler}, which gives the bytes to the application one stretch after the other.
 */
interface PieceOwner {
  /** Whether the piece {@code [offset, offset + length)} is to be given, now that it can be. */
  boolean isWanted(Transaction t, long offset, int length, long nowNs);

  /**
   * Whether the rest of a piece, {@code [from, end)}, is not given any more, for the message was
   * given up meanwhile.
   */
  boolean passesBy(Transaction t, long from, long end);

  /** All of the piece was given. */
  void onPieceDone(Transaction t);

  /** The message lies in more pieces than packets could make. */
  void onTooManyPieces(Transaction t);
}
