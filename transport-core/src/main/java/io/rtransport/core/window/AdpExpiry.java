package io.rtransport.core.window;

/**
 * From when the ADP timer of a path runs, and what its last expiry, or row of expiries, was:
 * whether a new packet may leave beside its resends, and whether it proves to be needless.
 * Loop-confined.
 */
final class AdpExpiry {
  private long timerFromNs;
  private boolean isTimerStale;
  private boolean hasExpired;
  private long expiredNs;

  /** Whether a new packet may leave in addition to the packets that the expiry resends. */
  private boolean isNewWanted;

  /** The first sequence sent after the first expiry of the row. */
  private int sequenceAfter;

  /** Number of resends of the last expiry that are still undecided. */
  private int undecidedCount;

  /** Returns from when the timer runs. */
  long timerFromNs() {
    return timerFromNs;
  }

  /** Returns whether {@link #timerFrom} must be called with the oldest packet's last send time. */
  boolean isTimerStale() {
    return isTimerStale;
  }

  /**
   * Sets the start of the timer, but not before its last expiry. So an expiry whose resend still
   * waits for room is not repeated at once.
   */
  void timerFrom(long lastSentNs) {
    timerFromNs = hasExpired ? Math.max(lastSentNs, expiredNs) : lastSentNs;
    isTimerStale = false;
  }

  /** Records that the oldest packet was sent again or may be a different one. */
  void onOldestChanged() {
    isTimerStale = true;
  }

  /** Returns whether a new packet may leave though the window has no room. */
  boolean isNewWanted() {
    return isNewWanted;
  }

  /** Records a packet that left. The new one that was wanted may be it. */
  void onSent(boolean isResend) {
    isNewWanted &= isResend;
  }

  /** Records that a packet of the path was acknowledged. */
  void onProgress() {
    isNewWanted = false;
    isTimerStale = true;
  }

  /** Records the first sequence sent after the first expiry of a row. */
  void onFirst(int sequence) {
    sequenceAfter = sequence;
  }

  /**
   * Handles an expiry, the {@code inRow}th without progress, for which {@code resends} packets are
   * resent.
   */
  void onExpiry(int resends, int inRow, long nowNs) {
    undecidedCount = resends;
    isNewWanted = inRow > 1;
    hasExpired = true;
    expiredNs = nowNs;
    timerFrom(nowNs);
  }

  /**
   * Handles the acknowledgement of a packet that was resent for the expiry. If every arrival
   * reported so far was sent before the expiry, the packet's arrival was too. The expiry was
   * needless if that holds for all packets that it resent.
   *
   * @return whether the expiry is now known to be needless
   */
  boolean isNeedlessBy(int reportedHighest) {
    if (undecidedCount == 0) {
      return false;
    }
    boolean isBefore = reportedHighest - sequenceAfter < 0;
    undecidedCount = isBefore ? undecidedCount - 1 : 0;
    return isBefore && undecidedCount == 0;
  }

  /** Ends the row: the peer has moved. The silence of its old address does not count. */
  void onMoved(long nowNs) {
    undecidedCount = 0;
    hasExpired = true;
    expiredNs = nowNs;
    isNewWanted = false;
    isTimerStale = true;
  }

  /** Ends the row: the path most likely does not work. */
  void onSuspected() {
    undecidedCount = 0;
    isNewWanted = false;
  }
}
