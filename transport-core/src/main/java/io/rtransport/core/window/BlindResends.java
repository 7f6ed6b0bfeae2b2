package io.rtransport.core.window;

/**
 * Judges a path's blind resends by the peer's answers. A blind resend is a packet that the tail
 * probe or the ADP timer sent again without evidence of loss. A needless one lengthens {@link
 * ProbeDelay}. A needed one shows that the path loses packets. Silence then counts as loss for some
 * time.
 */
final class BlindResends {
  /** Time after a loss in which silence counts as another loss. */
  static final long LOSSY_NS = 1_000_000_000;

  /** Most returned tokens that one path can be made to pay again. So a peer cannot save them up. */
  static final int RETURNED_MAX = 4;

  private final ProbeDelay probeDelay;
  private boolean hasLost;
  private long lostNs;

  // Since the start of the acknowledgement that is being processed.
  private boolean hasNeedless;
  private long needlessTookNs;

  /** Probes judged as needed, whose token went back to the loop. */
  private int returnedCount;

  /**
   * Blind resends that the peer counted as duplicates and whose packets were not yet seen
   * acknowledged.
   */
  private int needlessCount;

  BlindResends(ProbeDelay probeDelay) {
    this.probeDelay = probeDelay;
  }

  /** Handles {@code count} duplicates counted by the peer that blind resends caused. */
  void onDuplicates(int count) {
    if (count > 0) {
      needlessCount += count;
      hasNeedless = true;
    }
  }

  /**
   * Handles a packet that was acknowledged before its blind resend can have arrived.
   *
   * @param tookNs the time from its first send to the answer, or 0 if not known
   */
  void onNeedless(long tookNs) {
    hasNeedless = true;
    needlessTookNs = Math.max(needlessTookNs, tookNs);
  }

  /**
   * Handles the acknowledgement of a packet that was resent blindly. Returns whether the resend was
   * needed, as far as the acknowledgement shows.
   */
  boolean isNeeded() {
    boolean isNeeded = needlessCount == 0;
    needlessCount -= isNeeded ? 0 : 1;
    return isNeeded;
  }

  /** Records that a probe was needed and that its token went back to the loop. */
  void onTokenReturned() {
    returnedCount = Math.min(RETURNED_MAX, returnedCount + 1);
  }

  /** Returns whether the path's blind resends proved needless lately. */
  boolean areDoubtful() {
    return probeDelay.hasLearned();
  }

  /** Records evidence of a lost packet. */
  void onLoss(long nowNs) {
    hasLost = true;
    lostNs = nowNs;
  }

  /** Returns whether the path lost a packet less than {@link #LOSSY_NS} before {@code timeNs}. */
  boolean isLossy(long timeNs) {
    return hasLostWithin(LOSSY_NS, timeNs);
  }

  /** Returns whether the path lost a packet less than {@code periodNs} before {@code timeNs}. */
  boolean hasLostWithin(long periodNs, long timeNs) {
    return hasLost && timeNs - lostNs < periodNs;
  }

  /**
   * Ends the processing of an acknowledgement. All needless resends that it showed count as one
   * lesson for the probe delay.
   *
   * @return the tokens that went back to the loop for needless resends, and that are owed again
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
