package io.rtransport.core.window;

import io.rtransport.core.wire.SequenceNumbers;

/**
 * The sending half of one window: packet numbers {@code [bsn, nsn)} have been sent and not all of
 * them acknowledged. It decides how many packets more may be numbered, and which packets an
 * acknowledgement retires.
 */
final class TxWindow {
  private final SequenceNumberBitmap acknowledged;
  private final int limitMax;
  private int limit;
  private int nsn;
  private int unacknowledgedCount;

  /**
   * @param firstPsn the first packet number to be used
   * @param capacity own configuration, a power of two
   * @param peerWindow packets that the peer's receive window holds, at least 1
   */
  TxWindow(int firstPsn, int capacity, int peerWindow) {
    this.acknowledged = new SequenceNumberBitmap(capacity, firstPsn);
    this.limitMax = Math.min(capacity, peerWindow);
    this.limit = limitMax;
    this.nsn = firstPsn;
  }

  /**
   * Returns the BSN, the lowest packet number not acknowledged, or {@link #nsn} when there is none.
   */
  int bsn() {
    return acknowledged.base();
  }

  /** Returns the NSN, the next packet number to be used. */
  int nsn() {
    return nsn;
  }

  /** Returns whether one packet more fits into the window. */
  boolean hasRoom() {
    return nsn - acknowledged.base() < limit;
  }

  /** Takes no more than {@code packets} as long as that is below what both sides hold. */
  void limit(int packets) {
    limit = Math.min(limitMax, packets);
  }

  int unacknowledgedCount() {
    return unacknowledgedCount;
  }

  boolean isAllAcknowledged() {
    return unacknowledgedCount == 0;
  }

  /** Uses the next packet number. */
  int take() {
    unacknowledgedCount++;
    return nsn++;
  }

  boolean isAcknowledged(int psn) {
    if (SequenceNumbers.isBefore(psn, bsn())) {
      return true;
    }
    return SequenceNumbers.isBefore(psn, nsn) && acknowledged.isSet(psn);
  }

  boolean isStaleBase(int base) {
    return SequenceNumbers.isBefore(base, bsn());
  }

  /** Returns whether an acknowledgement with this base names a packet that was never sent. */
  boolean isBeyondSent(int base) {
    return SequenceNumbers.isAfter(base, nsn);
  }

  /**
   * Returns whether a bitmap word that begins at the aligned {@code wordPsn} names a packet that
   * was never sent.
   */
  boolean isBeyondSent(int wordPsn, long word) {
    int sent = nsn - wordPsn;
    return sent < 64 && (sent <= 0 ? word : word & (-1L << sent)) != 0;
  }

  /**
   * Takes one bitmap word of an acknowledgement. It names sent packets only ({@link
   * #isBeyondSent}).
   *
   * @param wordPsn the packet number of bit 0, a multiple of 64
   * @return the bits that were not acknowledged before, now taken as acknowledged
   */
  long acknowledge(int wordPsn, long word) {
    int below = bsn() - wordPsn;
    if (below >= 64) {
      return 0;
    }
    long bits = below > 0 ? word & (-1L << below) : word;
    // With bits above the base only, the ring's word holds no bit of another word of the window
    // that could be set here: isBeyondSent keeps the bits inside [bsn, nsn).
    long fresh = bits & ~current(wordPsn);
    acknowledged.setBits(wordPsn, fresh);
    unacknowledgedCount -= Long.bitCount(fresh);
    return fresh;
  }

  private long current(int wordPsn) {
    return acknowledged.word((wordPsn - (bsn() & ~63)) >>> 6);
  }

  /**
   * Takes a base: all bits of the word at the aligned {@code wordPsn} below {@code base}. As {@link
   * #acknowledge}.
   */
  long acknowledgeBelow(int wordPsn, int base) {
    int count = base - wordPsn;
    return acknowledge(wordPsn, count >= 64 ? -1L : ~(-1L << count));
  }

  /** Moves BSN over everything acknowledged. */
  void advance() {
    acknowledged.advance();
  }
}
