package io.rtransport.core.window;

/**
 * Whether the tail probe of a flight is still to come, and from when its delay counts. There is one
 * probe a flight; one that got no token of the {@link ProbeBudget} waits for another delay.
 * Loop-confined.
 */
final class TailProbe {
  private boolean isSpent;

  /** Whether, and since when, it waits for a token of the loop. */
  private boolean isPutOff;

  private long putOffNs;

  /** Returns whether this flight has no probe left. */
  boolean isSpent() {
    return isSpent;
  }

  /** Returns from when the probe delay counts. */
  long fromNs(long lastSendNs) {
    return isPutOff ? Math.max(putOffNs, lastSendNs) : lastSendNs;
  }

  /** Begins a flight, or goes on with it after progress: a probe is due again. */
  void onFlight() {
    isSpent = false;
    isPutOff = false;
  }

  /** Makes a probe due again after the peer has moved. */
  void onMoved() {
    isSpent = false;
  }

  void onSent() {
    isSpent = true;
    isPutOff = false;
  }

  /** Postpones the probe by a probe delay, because the loop has no token left. */
  void onPutOff(long nowNs) {
    isPutOff = true;
    putOffNs = nowNs;
  }
}
