package io.rtransport.core.window;

import io.rtransport.core.wire.SequenceNumbers;

/**
 * The sending half of one window. Packet numbers {@code [bsn, nsn)} have been sent and are not all
 * acknowledged. It decides how many more packets may be numbered, and which packets an
 * acknowledgement retires.
 */
final class TxWindow {
  private final SequenceNumberBitmap acknowledged;
  private final int limitMax;
  private int limit;
  private int nsn;
  private int unacknowledgedCount;

  /**
   * Creates an empty window.
   *
   * @param firstPsn the first packet number to use
   * @param capacity this side's configured window in packets, a power of two
   * @param peerWindow packets that the peer's receive window holds, at least 1
   */
  TxWindow(int firstPsn, int capacity, int peerWindow) {
    this.acknowledged = new SequenceNumberBitmap(capacity, firstPsn);
    this.limitMax = Math.min(capacity, peerWindow);
    this.limit = limitMax;
    this.nsn = firstPsn;
  }

  /** Returns BSN, the lowest packet number not acknowledged; {@link #nsn} if there is none. */
  int bsn() {
    return acknowledged.base();
  }

  /** Returns NSN, the next packet number to use. */
  int nsn() {
    return nsn;
  }

  /** Returns whether one more packet fits into the window. */
  boolean hasRoom() {
    return nsn - acknowledged.base() < limit;
  }

  /** Returns how many more packets fit into the window, at least 0. */
  int freePackets() {
    return Math.max(0, limit - (nsn - acknowledged.base()));
  }

  /** Limits the window to {@code packets}, if that is less than both sides hold. */
  void limit(int packets) {
    limit = Math.min(limitMax, packets);
  }

  int unacknowledgedCount() {
    return unacknowledgedCount;
  }

  boolean isAllAcknowledged() {
    return unacknowledgedCount == 0;
  }

  /** Takes the next packet number. */
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
   * Applies one bitmap word of an acknowledgement. The word must name sent packets only ({@link
   * #isBeyondSent}).
   *
   * @param wordPsn the packet number of bit 0, a multiple of 64
   * @return the bits that were not acknowledged before and are now
   */
  long acknowledge(int wordPsn, long word) {
    int below = bsn() - wordPsn;
    if (below >= 64) {
      return 0;
    }
    long bits = below > 0 ? word & (-1L << below) : word;
    // These bits are above the base. isBeyondSent keeps them inside [bsn, nsn). So no bit of the
    // ring's word that belongs to another word of the window can be set here.
    long fresh = bits & ~current(wordPsn);
    acknowledged.setBits(wordPsn, fresh);
    unacknowledgedCount -= Long.bitCount(fresh);
    return fresh;
  }

  private long current(int wordPsn) {
    return acknowledged.word((wordPsn - (bsn() & ~63)) >>> 6);
  }

  /**
   * Applies a base: all bits below {@code base} in the word at the aligned {@code wordPsn}. Returns
   * the bits of {@link #acknowledge}.
   */
  long acknowledgeBelow(int wordPsn, int base) {
    int count = base - wordPsn;
    return acknowledge(wordPsn, count >= 64 ? -1L : ~(-1L << count));
  }

  /** Moves BSN over all acknowledged packets. */
  void advance() {
    acknowledged.advance();
  }
}
