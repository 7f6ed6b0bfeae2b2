package io.rtransport.core.window;

/**
 * Decides which packets of one path are lost. Order is judged in transmission order: a packet is lost when packets sent after it on the
 * same path have arrived, and
 *
 * <ul>
 *   <li>there are at least {@link #threshold} of them, or
 *   <li>one of them was sent more than the <b>reorder window</b> after it, or
 *   <li>a round trip and the reorder window have passed since it was sent ({@link #deadlineNs}),
 * </ul>
 *
 * <p>and a round trip has passed since it was sent, so that no packet is resent twice in one.
 *
 * <p>The reorder window is max(minRTT/4, 50 µs). A resend that proves to have been unnecessary widens both for this path: the threshold
 * doubles, up to 64, and the window grows by minRTT/4, up to SRTT; at most once a round trip. Sixteen round trips without one take a
 * step back. A resend is known to be spurious when its packet is acknowledged while the path's highest sequence is below the resend's,
 * or when the peer counts a duplicate soon after it.
 */
final class LossDetector {
  static final int THRESHOLD_MIN = 3;
  static final int THRESHOLD_MAX = 64;
  static final long REORDER_WINDOW_NS_MIN = 50_000;
  static final int CLEAN_ROUND_TRIPS = 16;

  /** Stands for the round trip while there is no sample. */
  static final long ROUND_TRIP_UNSAMPLED_NS = 50_000_000;

  /** Told of each loss. */
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

  // Resends whose need is not known yet: a duplicate counted by the peer is laid to them, those
  // that say nothing about the order first.
  private int otherResends;
  private int earlyResends;
  private long lastResendNs;
  private int duplicates;

  LossDetector(TransmissionRing ring, RttEstimator rtt) {
    this.ring = ring;
    this.rtt = rtt;
  }

  int threshold() {
    return threshold;
  }

  long reorderWindowNs() {
    long plain = Math.max(rtt.minNs() / 4, REORDER_WINDOW_NS_MIN);
    return Math.min(plain + extraWindowNs, Math.max(plain, rtt.smoothedNs()));
  }

  /** When {@link #detect} may find a loss without another acknowledgement; {@link Long#MAX_VALUE}: never. */
  long deadlineNs() {
    return deadlineNs;
  }

  /** Judges all packets sent before the newest that arrived. */
  void detect(LossListener listener, long nowNs) {
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
        boolean isProven = later >= threshold || highestSentNs - sentNs > windowNs;
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

  /** A packet was sent again on this path; {@code isEarly}: because it was judged lost. */
  void onResent(boolean isEarly, long nowNs) {
    if (nowNs - lastResendNs > blameNs()) {
      earlyResends = 0;
      otherResends = 0;
    }
    if (isEarly) {
      earlyResends++;
    } else {
      otherResends++;
    }
    lastResendNs = nowNs;
  }

  /** How long after the last resend a duplicate may still be its doing. */
  private long blameNs() {
    return 4 * roundTripNs();
  }

  /** A packet was acknowledged before its resend on this path can have arrived. */
  void onSpurious(boolean isEarly, long nowNs) {
    if (isEarly) {
      earlyResends = Math.max(0, earlyResends - 1);
      widen(nowNs);
    } else {
      otherResends = Math.max(0, otherResends - 1);
    }
  }

  /**
   * The peer's count of duplicates on this path, cumulative. It can only widen, once a round trip, and only after early resends.
   *
   * @return the resends that it shows to have been unnecessary
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
    int other = Math.min(fresh, otherResends);
    int early = Math.min(fresh - other, earlyResends);
    otherResends -= other;
    earlyResends -= early;
    if (early > 0) {
      widen(nowNs);
    }
    return other + early;
  }

  private void widen(long nowNs) {
    if (isWidened && nowNs - lastChangeNs < rtt.smoothedNs()) {
      return;
    }
    threshold = Math.min(THRESHOLD_MAX, threshold * 2);
    extraWindowNs = Math.min(extraWindowNs + rtt.minNs() / 4, rtt.smoothedNs());
    isWidened = true;
    lastChangeNs = nowNs;
  }

  /** An acknowledgement made progress on this path: perhaps enough round trips were clean. */
  void onProgress(long nowNs) {
    if (isWidened && nowNs - lastChangeNs >= CLEAN_ROUND_TRIPS * roundTripNs()) {
      threshold = Math.max(THRESHOLD_MIN, threshold / 2);
      extraWindowNs = Math.max(0, extraWindowNs - Math.max(1, rtt.minNs() / 4));
      isWidened = threshold > THRESHOLD_MIN || extraWindowNs > 0;
      lastChangeNs = nowNs;
    }
  }
}
