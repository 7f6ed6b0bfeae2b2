package io.rtransport.core.window;

/**
 * Conclusions from the peer's answers to a path's blind resends. These are packets that a probe or
 * a timer sent again without evidence of loss. A needless one teaches {@link ProbeDelay} patience.
 * A needed one shows that the path loses packets, so that silence is taken for loss for a while.
 */
final class BlindResends {
  /** Time after a loss in which silence is taken for another loss, ns. */
  static final long LOSSY_NS = 1_000_000_000;

  /**
   * Tokens given back to the loop that one path can be made to pay again: a peer cannot save them
   * up.
   */
  static final int RETURNED_MAX = 4;

  private final ProbeDelay probeDelay;
  private boolean hasLost;
  private long lostNs;

  // Since the acknowledgement that is being processed began.
  private boolean hasNeedless;
  private long needlessTookNs;

  /** Probes taken for needed ones whose token went back to the loop. */
  private int returnedCount;

  /**
   * Those that the peer counts as duplicates, and whose packets were not seen to be acknowledged
   * yet.
   */
  private int needlessCount;

  BlindResends(ProbeDelay probeDelay) {
    this.probeDelay = probeDelay;
  }

  /** Notes that the peer has counted so many duplicates that are theirs. */
  void onDuplicates(int count) {
    if (count > 0) {
      needlessCount += count;
      hasNeedless = true;
    }
  }

  /**
   * Notes that a packet was acknowledged before its blind resend can have arrived.
   *
   * @param tookNs from its first send to the answer, or 0 where that is not known
   */
  void onNeedless(long tookNs) {
    hasNeedless = true;
    needlessTookNs = Math.max(needlessTookNs, tookNs);
  }

  /**
   * Takes the acknowledgement of a packet that was resent blindly. Returns whether the resend was
   * needed, as far as the acknowledgement tells.
   */
  boolean isNeeded() {
    boolean isNeeded = needlessCount == 0;
    needlessCount -= isNeeded ? 0 : 1;
    return isNeeded;
  }

  /** Notes that a probe was needed, and its token went back to the loop. */
  void onTokenReturned() {
    returnedCount = Math.min(RETURNED_MAX, returnedCount + 1);
  }

  /** Returns whether the path's blind resends proved needless lately. */
  boolean areDoubtful() {
    return probeDelay.hasLearned();
  }

  /** Notes that something shows that a packet was lost. */
  void onLoss(long nowNs) {
    hasLost = true;
    lostNs = nowNs;
  }

  /** Returns whether the path had lost something shortly before {@code timeNs}. */
  boolean isLossy(long timeNs) {
    return hasLostWithin(LOSSY_NS, timeNs);
  }

  /**
   * Returns whether the path had lost something less than {@code periodNs} before {@code timeNs}.
   */
  boolean hasLostWithin(long periodNs, long timeNs) {
    return hasLost && timeNs - lostNs < periodNs;
  }

  /**
   * Notes that the acknowledgement has been processed. All needless resends that it told of are one
   * lesson.
   *
   * @return the tokens that went back to the loop for some of them, and that are owed again
   */
  int settle() {
    if (hasNeedless) {
      probeDelay.onNeedless(needlessTookNs);
      hasNeedless = false;
      needlessTookNs = 0;
    }
    int owed = Math.min(needlessCount, returnedCount);
    returnedCount -= owed;
    needlessCount = 0;
    return owed;
  }
}
