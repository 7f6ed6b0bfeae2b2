package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.IncomingPayload;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.TransactionPool;
import io.rtransport.core.transaction.TransactionQueue;
import java.nio.ByteBuffer;

/**
 * Gives arriving bytes their place. If the application has accepted the message, they go to the
 * application as entries. An unsolicited message that is not accepted yet goes into memory that its
 * credit has paid for. Ranges come in any order, and each byte is given once. The caller has
 * already checked offsets and totals against what the peer may send.
 *
 * <p>One piece is in hand at a time. {@link #poll} gives its new bytes, stretch after stretch, and
 * tells the piece's owner when it is done. Until then nothing else is read. Held bytes of an
 * accepted message go before the piece in hand.
 */
final class Reassembler {
  private final HoldingMemory holding;

  /** Accepted messages with bytes in holding memory that are to be given. */
  private final TransactionQueue accepted;

  // The message whose held bytes are being given, if any. The bytes stay until the next entry, even
  // after the message is gone.
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

  /**
   * Takes {@code [ofOffset, ofOffset + length)} of the message, from {@code in[at ..)}, in hand.
   */
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

  /** Queues an accepted message: its held bytes are given before anything new. */
  void giveHeld(Transaction t) {
    accepted.addLast(t);
  }

  boolean hasInHand(Transaction t) {
    return inHand == t;
  }

  /**
   * Returns whether the piece in hand belongs to this message, and nothing of it was asked or given
   * yet.
   */
  boolean hasNewInHand(Transaction t) {
    return inHand == t && isNew;
  }

  /** Returns whether held bytes are to be given. */
  boolean hasHeld() {
    return given != null || !accepted.isEmpty();
  }

  /**
   * Gives the next stretch of held bytes or of the piece in hand; returns false when there is none.
   */
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
      heldBytes = given.incoming().giveHeld();
      heldFrom = 0;
    }
    Transaction t = given;
    IncomingPayload payload = t.incoming();
    long total = t.payloadBytes();
    while (heldFrom < total) {
      long at = heldFrom;
      long missing = payload.firstMissing(at, total);
      if (missing > at) {
        heldFrom = missing;
        into.putBytes(t, at, heldBytes, (int) at, (int) (missing - at));
        return true;
      }
      heldFrom = payload.missingEnd(at, total);
    }
    dropHeld();
    if (inHand != t) { // otherwise its owner is told when that piece is given too
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

  /** Gives the next stretch of bytes that have not come before. */
  private boolean giveNext(Transaction t, OutboxEntry into) {
    IncomingPayload payload = t.incoming();
    long at = payload.firstMissing(from, end);
    if (at >= end) {
      from = end;
      return false;
    }
    long to = payload.missingEnd(at, end);
    if (!payload.add(at, to)) {
      PieceOwner told = owner;
      drop();
      told.onTooManyPieces(t);
      return false;
    }
    from = to;
    int place = index + (int) (at - offset);
    int count = (int) (to - at);
    if (payload.isDiscarding()) {
      payload.take(count);
    } else if (payload.isOpen()) {
      into.putBytes(t, at, buffer, place, count);
      return true;
    } else {
      hold(t).put((int) at, buffer, place, count);
    }
    return false;
  }

  private ByteBuffer hold(Transaction t) {
    if (t.incoming().held() == null) {
      // Unsolicited: the whole length was charged to the peer's credit before this byte came.
      t.incoming().hold(holding.acquire((int) t.payloadBytes()));
    }
    return t.incoming().held();
  }

  /**
   * Throws the message away, because nobody wants it any more: its held bytes, and the bytes that
   * still come.
   */
  void discard(Transaction t) {
    t.incoming().discard();
    accepted.remove(t);
    if (t.incoming().held() != null) {
      holding.release(t.incoming().giveHeld());
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

  /** Drops the piece in hand. */
  void drop() {
    inHand = null;
    owner = null;
    buffer = null;
  }

  /** Closes: the connection has ended. */
  void close() {
    if (heldBytes != null) {
      dropHeld();
    }
    drop();
  }
}
