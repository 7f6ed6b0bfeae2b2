package io.rtransport.core.window;

import io.rtransport.core.window.RetransmissionEngine.Resend;

/**
 * Decides which packets of one path are lost, in transmission order. A packet is lost if packets
 * sent after it on the same path have arrived, and
 *
 * <ul>
 *   <li>there are at least {@link #threshold} of them, or
 *   <li>one of them was sent more than the <b>reorder window</b> after it, or
 *   <li>a round trip and the reorder window have passed since it was sent ({@link #deadlineNs}).
 * </ul>
 *
 * <p>In addition, a round trip must have passed since the packet was sent. This prevents two
 * resends of a packet within one round trip.
 *
 * <p>The reorder window is max(minRTT/4, 50 µs). A resend that proves unnecessary widens it at once
 * by at least the time that the packet was late. It also doubles both limits of this path, at most
 * once a round trip. The threshold doubles; beyond 64 only time shows a loss. The widening doubles
 * too, starting at minRTT/4. The reorder window is at most SRTT + 4 · RTTVAR; hardly any answer
 * comes later. Sixteen round trips without an unnecessary resend undo one doubling of both.
 *
 * <p>RFC 8985 adds minRTT/4 each time, up to SRTT. On a path where all datagrams overtake each
 * other that is too slow: it gets there when the transfer is over.
 *
 * <p>A resend is spurious if its packet is acknowledged while the path's highest sequence is below
 * the resend's. It is also spurious if the peer counts a duplicate soon after it.
 */
final class LossDetector {
  static final int THRESHOLD_MIN = 3;
  static final int THRESHOLD_MAX = 64;

  /** Disables the count of later packets: only time shows a loss. */
  static final int NO_THRESHOLD = Integer.MAX_VALUE;

  static final long REORDER_WINDOW_NS_MIN = 50_000;
  static final int CLEAN_ROUND_TRIPS = 16;

  /** Assumed round trip while there is no sample. */
  static final long ROUND_TRIP_UNSAMPLED_NS = 50_000_000;

  /** Receiver of each loss. */
  interface LossListener {
    void onLost(int slot, long nowNs);
  }

  private final TransmissionRing ring;
  private final RttEstimator rtt;
  private int threshold = THRESHOLD_MIN;
  private long extraWindowNs;
  private long lastChangeNs;
  private boolean isWidened;
  private long deadlineNs = Long.MAX_VALUE;

  // Resends whose need is not known yet. A duplicate counted by the peer is attributed to them.
  // Moved packets come first, then resends by probe or timer: they tell nothing about the order.
  private int otherResends;
  private int earlyResends;

  /** Packets that came from a suspect path. Duplicates of them tell nothing about this path. */
  private int movedResends;

  private long lastResendNs;
  private int duplicates;
  private int needlessOthers;

  LossDetector(TransmissionRing ring, RttEstimator rtt) {
    this.ring = ring;
    this.rtt = rtt;
  }

  int threshold() {
    return threshold;
  }

  long reorderWindowNs() {
    long plain = plainWindowNs();
    return Math.min(plain + extraWindowNs, Math.max(plain, windowNsMax()));
  }

  private long plainWindowNs() {
    return Math.max(rtt.minNs() / 4, REORDER_WINDOW_NS_MIN);
  }

  private long windowNsMax() {
    return rtt.smoothedNs() + 4 * rtt.variationNs();
  }

  /**
   * Returns when {@link #detect} may find a loss without another acknowledgement; {@link
   * Long#MAX_VALUE} for never.
   */
  long deadlineNs() {
    return deadlineNs;
  }

  /** Judges all packets that were sent before the newest packet that arrived. */
  void detect(LossListener listener, long nowNs) {
    detect(listener, true, nowNs);
  }

  /**
   * Judges them, after an acknowledgement that may have overtaken another one.
   *
   * @param isInOrder whether the acknowledgement came back on this path. If not, an older one may
   *     still be on its way there, and packets that it acknowledges look overtaken. Then only time
   *     shows a loss
   */
  void detect(LossListener listener, boolean isInOrder, long nowNs) {
    ring.trim();
    deadlineNs = Long.MAX_VALUE;
    if (!ring.hasUndecidedBelowHighest()) {
      return;
    }
    int highest = ring.highestAcknowledged();
    long highestSentNs = ring.sentNs(highest);
    long windowNs = reorderWindowNs();
    long roundTripNs = roundTripNs();
    int later = ring.acknowledgedFromTail();
    for (int sequence = ring.tail(); sequence != highest; sequence++) {
      if (ring.isAcknowledged(sequence)) {
        later--;
      } else if (ring.isLive(sequence)) {
        long sentNs = ring.sentNs(sequence);
        boolean isProven = isInOrder && (later >= threshold || highestSentNs - sentNs > windowNs);
        long lostAtNs = sentNs + (isProven ? rtt.minNs() : roundTripNs + windowNs);
        if (nowNs >= lostAtNs) {
          int slot = ring.slot(sequence);
          ring.kill(sequence);
          listener.onLost(slot, nowNs);
        } else {
          deadlineNs = Math.min(deadlineNs, lostAtNs);
        }
      }
    }
    ring.trim();
  }

  private long roundTripNs() {
    return rtt.hasSample() ? Math.max(rtt.smoothedNs(), rtt.latestNs()) : ROUND_TRIP_UNSAMPLED_NS;
  }

  /** Records that a packet was resent on this path, and why. */
  void onResent(Resend kind, long nowNs) {
    if (nowNs - lastResendNs > blameNs()) {
      earlyResends = 0;
      otherResends = 0;
      movedResends = 0;
    }
    switch (kind) {
      case EARLY -> earlyResends++;
      case MOVED -> movedResends++;
      default -> otherResends++;
    }
    lastResendNs = nowNs;
  }

  /** Returns the time after the last resend in which a duplicate may still be caused by it. */
  private long blameNs() {
    return 4 * roundTripNs();
  }

  /**
   * Handles a packet that was acknowledged before its resend on this path can have arrived.
   *
   * @param isEarly whether the packet had been judged lost
   * @param tookNs the round trip of the transmission that arrived, or 0 if not known
   */
  void onSpurious(boolean isEarly, long tookNs, long nowNs) {
    if (isEarly) {
      earlyResends = Math.max(0, earlyResends - 1);
      widen(tookNs - rtt.minNs() - plainWindowNs(), nowNs);
    } else {
      otherResends = Math.max(0, otherResends - 1);
    }
  }

  /**
   * Handles the peer's cumulative count of duplicates on this path. It can only widen the limits,
   * once a round trip, and only after early resends. Others are counted for {@link
   * #takeNeedlessOthers}.
   *
   * @return the number of early resends that prove unnecessary
   */
  int onDuplicates(int cumulative, long nowNs) {
    int fresh = cumulative - duplicates;
    if (fresh <= 0) {
      return 0;
    }
    duplicates = cumulative;
    if (nowNs - lastResendNs > blameNs()) {
      return 0;
    }
    int moved = Math.min(fresh, movedResends);
    int other = Math.min(fresh - moved, otherResends);
    int early = Math.min(fresh - moved - other, earlyResends);
    movedResends -= moved;
    otherResends -= other;
    earlyResends -= early;
    needlessOthers += other;
    if (early > 0) {
      widen(0, nowNs);
    }
    return early;
  }

  /**
   * Returns the resends by probe or timer that duplicates showed to be unnecessary since the last
   * call.
   */
  int takeNeedlessOthers() {
    int count = needlessOthers;
    needlessOthers = 0;
    return count;
  }

  private void widen(long lateNs, long nowNs) {
    extraWindowNs = Math.max(extraWindowNs, Math.min(lateNs, windowNsMax()));
    if (isWidened && nowNs - lastChangeNs < rtt.smoothedNs()) {
      return;
    }
    threshold = threshold >= THRESHOLD_MAX ? NO_THRESHOLD : Math.min(THRESHOLD_MAX, 2 * threshold);
    long doubledNs = Math.max(rtt.minNs() / 4, 2 * extraWindowNs);
    extraWindowNs = Math.max(extraWindowNs, Math.min(doubledNs, windowNsMax()));
    isWidened = true;
    lastChangeNs = nowNs;
  }

  /**
   * Handles progress by an acknowledgement on this path. After enough clean round trips the limits
   * shrink.
   */
  void onProgress(long nowNs) {
    if (isWidened && nowNs - lastChangeNs >= CLEAN_ROUND_TRIPS * roundTripNs()) {
      threshold =
          threshold == NO_THRESHOLD ? THRESHOLD_MAX : Math.max(THRESHOLD_MIN, threshold / 2);
      extraWindowNs = extraWindowNs <= rtt.minNs() / 4 ? 0 : extraWindowNs / 2;
      isWidened = threshold > THRESHOLD_MIN || extraWindowNs > 0;
      lastChangeNs = nowNs;
    }
  }
}
