package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.TransactionPool;
import io.rtransport.core.transaction.TransactionQueue;
import java.nio.ByteBuffer;

/**
 * Puts arriving bytes where they belong: to the application, as entries, where it has accepted the
 * message; else, for an unsolicited one that it has not accepted yet, into memory that its credit
 * has paid. Ranges come in any order, each byte is given once. Offsets and totals were held against
 * what the peer may send before this is called.
 *
 * <p>One piece is in hand at a time: {@link #poll} gives what of it is new, stretch after stretch,
 * and tells its owner when it is done. Until then nothing else is read. What is held of a message
 * that is accepted goes before it.
 */
final class Reassembler {
  private final HoldingMemory holding;

  /** Accepted, with bytes in holding memory that are to be given. */
  private final TransactionQueue accepted;

  // The message of which held bytes are given, if any. The bytes outlive it till the next entry.
  private Transaction given;
  private ByteBuffer heldBytes;
  private long heldFrom;

  // The piece in hand, if any.
  private Transaction inHand;
  private PieceOwner owner;
  private boolean isNew;
  private ByteBuffer buffer;
  private int index;
  private long offset;
  private long from;
  private long end;
  private long nowNs;

  Reassembler(HoldingMemory holding, TransactionPool pool) {
    this.holding = holding;
    accepted = new TransactionQueue(pool, Transaction.GRANT);
  }

  /** Takes {@code [ofOffset, ofOffset + length)} of the message from {@code in[at ..)} in hand. */
  void begin(
      PieceOwner of, Transaction t, long ofOffset, int length, ByteBuffer in, int at, long atNs) {
    assert inHand == null : "two pieces in hand";
    inHand = t;
    owner = of;
    isNew = true;
    buffer = in;
    index = at;
    offset = ofOffset;
    from = ofOffset;
    end = ofOffset + length;
    nowNs = atNs;
  }

  /** The message was accepted, and what is held of it is to be given before anything new. */
  void giveHeld(Transaction t) {
    accepted.addLast(t);
  }

  boolean hasInHand(Transaction t) {
    return inHand == t;
  }

  /** Whether the piece in hand is of this message, and nothing was asked or given of it yet. */
  boolean hasNewInHand(Transaction t) {
    return inHand == t && isNew;
  }

  /** Whether something is to be given that is held. */
  boolean hasHeld() {
    return given != null || !accepted.isEmpty();
  }

  /** Gives the next stretch of what is held or in hand; false when nothing is. */
  boolean poll(PieceOwner ofHeld, OutboxEntry into) {
    if (given == null && heldBytes != null) {
      dropHeld();
    }
    while (given != null || !accepted.isEmpty()) {
      if (giveHeld(ofHeld, into)) {
        return true;
      }
    }
    while (inHand != null) {
      if (givePiece(into)) {
        return true;
      }
    }
    return false;
  }

  private boolean giveHeld(PieceOwner of, OutboxEntry into) {
    if (given == null) {
      given = accepted.poll();
      heldBytes = given.held;
      given.held = null;
      heldFrom = 0;
    }
    Transaction t = given;
    long total = t.payloadBytes();
    while (heldFrom < total) {
      long at = heldFrom;
      long missing = t.ranges.firstMissing(at, total);
      if (missing > at) {
        heldFrom = missing;
        into.putBytes(t, at, heldBytes, (int) at, (int) (missing - at));
        return true;
      }
      heldFrom = t.ranges.missingEnd(at, total);
    }
    dropHeld();
    if (inHand != t) { // else its owner hears when that is given too
      of.onPieceDone(t);
    }
    return false;
  }

  private boolean givePiece(OutboxEntry into) {
    Transaction t = inHand;
    boolean goesOn = !isNew || owner.isWanted(t, offset, (int) (end - offset), nowNs);
    isNew = false;
    if (!goesOn || owner.passesBy(t, from, end)) {
      drop();
      return false;
    }
    if (from < end) {
      return giveNext(t, into);
    }
    PieceOwner told = owner;
    drop();
    told.onPieceDone(t);
    return false;
  }

  /** The next stretch of bytes that have not come before. */
  private boolean giveNext(Transaction t, OutboxEntry into) {
    long at = t.ranges.firstMissing(from, end);
    if (at >= end) {
      from = end;
      return false;
    }
    long to = t.ranges.missingEnd(at, end);
    if (!t.ranges.add(at, to)) {
      PieceOwner told = owner;
      drop();
      told.onTooManyPieces(t);
      return false;
    }
    from = to;
    int place = index + (int) (at - offset);
    int count = (int) (to - at);
    if (t.isDiscarding) {
      t.takenBytes += count;
    } else if (t.isOpen) {
      into.putBytes(t, at, buffer, place, count);
      return true;
    } else {
      hold(t).put((int) at, buffer, place, count);
    }
    return false;
  }

  /** How many of these bytes are new. */
  static long countNew(Transaction t, long offset, int length) {
    long end = offset + length;
    long count = 0;
    long from = t.ranges.firstMissing(offset, end);
    while (from < end) {
      long to = t.ranges.missingEnd(from, end);
      count += to - from;
      from = t.ranges.firstMissing(to, end);
    }
    return count;
  }

  private ByteBuffer hold(Transaction t) {
    if (t.held == null) {
      // Unsolicited: the whole length was charged to the peer's credit before this byte came.
      t.held = holding.acquire((int) t.payloadBytes());
    }
    return t.held;
  }

  /** Nobody wants the message any more: what was held, and what still comes, is thrown away. */
  void discard(Transaction t) {
    t.isDiscarding = true;
    accepted.remove(t);
    if (t.held != null) {
      holding.release(t.held);
      t.held = null;
    }
    if (given == t) {
      given = null;
    }
    if (inHand == t && !isNew) {
      drop();
    }
  }

  private void dropHeld() {
    holding.release(heldBytes);
    heldBytes = null;
    given = null;
  }

  /** What is in hand is not given any more. */
  void drop() {
    inHand = null;
    owner = null;
    buffer = null;
  }

  /** The connection has ended. */
  void close() {
    if (heldBytes != null) {
      dropHeld();
    }
    drop();
  }
}
