package io.rtransport.core.window;

import io.rtransport.core.adp.AdpTimer;
import io.rtransport.core.adp.NoProgressClock;
import io.rtransport.core.congestion.CongestionControl;
import io.rtransport.core.congestion.Pacer;

/**
 * One way of this connection's packets to the peer: what is in flight on it, its round trip, its
 * order, and its timers. A packet belongs to the path of its last transmission. Timers, all running
 * only while something is unacknowledged here:
 *
 * <ul>
 *   <li><b>loss</b>: a packet overtaken by an acknowledged one gets old ({@link LossDetector});
 *   <li><b>tail probe</b>: {@link ProbeDelay} after the last send, once a flight: the newest packet
 *       is resent, no congestion state is touched; without a token of the {@link ProbeBudget} so
 *       much later again;
 *   <li><b>ADP</b>: from the last send of the oldest packet; the oldest is resent and the
 *       congestion window falls to its minimum;
 *   <li><b>total</b>: no progress for so long that the path gives up.
 * </ul>
 *
 * A strict profile, or a timer that does not adapt, has the last two only: whatever is resent by
 * time is resent at the profile's value. Loop-confined.
 */
public final class Path {
  /**
   * The least value of the ADP timer where nothing was lost of late: three slices of Linux'
   * scheduler. A peer that is silent for less has more likely lost its processor than two packets
   * in a row, and a packet lost alone the probe finds.
   */
  static final long STEADY_TIMEOUT_NS_MIN = 10_000_000;

  /**
   * Limit of what early resends may send above the congestion window at once: a quarter of what a
   * fast path has in flight.
   */
  private static final long RESEND_ALLOWANCE_BYTES_MAX = 256 << 10;

  /**
   * Room of a congestion window beyond one packet that is room to spare: three packets of the
   * default length.
   */
  private static final long SPARE_BYTES = 4 << 10;

  private final int id;
  private final AdpTimer adp;
  private final CongestionControl congestion;
  private final Pacer pacer = new Pacer();
  private final RttEstimator rtt = new RttEstimator();
  private final NoProgressClock noProgress = new NoProgressClock();
  private final TransmissionRing ring;
  private final LossDetector loss;
  private final ProbeDelay probeDelay;
  private final BlindResends blindResends;
  private PathMtuSearch mtu;
  private long progressNs;

  private long inFlightBytes;
  private int unacknowledgedCount;
  private long resendAllowanceBytes;
  private long lastSendNs;

  /** Bytes of all that left at that moment. */
  private int lastSendBytes;

  private long timerFromNs;
  private boolean isTimerStale;

  /** A packet that was never sent may go beside what the expiry sends again. */
  private boolean isNewWanted;

  private boolean hasExpired;
  private long expiredNs;
  private boolean isProbeSpent;

  /** Whether, and since when, a probe waits for a token of the loop's. */
  private boolean isProbePutOff;

  private long probePutOffNs;

  private boolean isRoundTripWanted;

  // The last expiry, or row of expiries: the first sequence sent after it, and the number of its
  // resends whose fate is not known.
  private int sequenceAfterExpiry;
  private int undecidedByExpiry;

  // Since the acknowledgement that is being processed began.
  private int retiredBytes;
  private int retiredCount;
  private boolean hasHighest;
  private int reportedHighest;
  private int sampledHighest;
  private boolean wasSampled;

  /**
   * @param id on the wire, 0..255
   * @param ringCapacityMax limit of the transmissions remembered, a power of two ≥ 64; twice the
   *     packets of both windows is enough
   */
  public Path(int id, AdpTimer adp, CongestionControl congestion, int ringCapacityMax) {
    this(id, adp, congestion, new TurnLateness(), ringCapacityMax, 0);
  }

  /**
   * Makes a path as the constructor above does.
   *
   * @param lateness of the event loop's turns
   * @param firstTransmissionSequence so that tests can begin near the end of its 24 bits
   */
  public Path(
      int id,
      AdpTimer adp,
      CongestionControl congestion,
      TurnLateness lateness,
      int ringCapacityMax,
      int firstTransmissionSequence) {
    this.id = id;
    this.adp = adp;
    this.congestion = congestion;
    this.ring = new TransmissionRing(firstTransmissionSequence, ringCapacityMax);
    this.loss = new LossDetector(ring, rtt);
    this.probeDelay = new ProbeDelay(rtt, lateness);
    this.blindResends = new BlindResends(probeDelay);
  }

  /** Returns the path's id in the packets it carries. */
  public int id() {
    return id;
  }

  /** Returns SRTT, nanoseconds; 0 without a sample. */
  public long smoothedRttNs() {
    return rtt.smoothedNs();
  }

  /** Returns the least round trip seen lately, nanoseconds; 0 without a sample. */
  public long minRttNs() {
    return rtt.minNs();
  }

  /** Bytes sent on this path that are neither acknowledged nor judged lost. */
  public long inFlightBytes() {
    return inFlightBytes;
  }

  /** Packets whose last transmission took this path and that are not acknowledged. */
  public int unacknowledgedCount() {
    return unacknowledgedCount;
  }

  public CongestionControl congestion() {
    return congestion;
  }

  public AdpTimer adp() {
    return adp;
  }

  /**
   * Returns the search for the length of its datagrams; null before a window sublayer has the path.
   */
  public PathMtuSearch mtu() {
    return mtu;
  }

  /**
   * Gives the path its search for the length of its datagrams; without, it is fixed. Before the
   * path carries anything.
   */
  public Path mtu(PathMtuSearch search) {
    mtu = search;
    return this;
  }

  /**
   * Sets how long the peer may hold an acknowledgement. Called before the path carries anything.
   */
  void peerAckDelayNs(long offeredNs) {
    probeDelay.peerAckDelayNs(offeredNs);
  }

  /** Returns when something was last acknowledged here. */
  long progressNs() {
    return progressNs;
  }

  /** Notes that the length of its datagrams has changed. */
  void onMtuChanged() {
    congestion.onPacketLength(mtu.bytes());
  }

  RttEstimator rtt() {
    return rtt;
  }

  LossDetector loss() {
    return loss;
  }

  TransmissionRing ring() {
    return ring;
  }

  /**
   * Returns whether the congestion window takes another new packet of up to {@code length} bytes.
   * One packet always goes, in its time, and one that may be too long beside short ones that fill
   * no more than half of the window: what answers somebody else's bulk is short, and would
   * otherwise go once a round trip where the window is a packet or two.
   */
  boolean hasCongestionRoom(int length, long nowNs) {
    if (inFlightBytes != 0) {
      long windowBytes = congestion.windowBytes();
      return pacer.isOpen(windowBytes, rtt.smoothedNs(), rtt.minNs(), nowNs)
          && (inFlightBytes + length <= windowBytes || inFlightBytes <= windowBytes >> 1);
    }
    long gapNs = sendGapNs();
    return gapNs == 0 || nowNs - lastSendNs >= gapNs;
  }

  /**
   * Returns whether acknowledgements are not waited for: the congestion window takes several
   * packets more, or nothing is in flight. A message that goes alone has its ack delay until the
   * next one comes.
   */
  public boolean hasRoomToSpare() {
    return inFlightBytes == 0
        || inFlightBytes + mtu.packetLengthMax() + SPARE_BYTES <= congestion.windowBytes();
  }

  /** Bytes that the congestion window takes now, at least 0. */
  public long roomBytes() {
    return Math.max(0, congestion.windowBytes() - inFlightBytes);
  }

  /** Returns whether a packet was found lost less than a smoothed round trip ago. */
  boolean isLosing(long nowNs) {
    return blindResends.hasLostWithin(rtt.smoothedNs(), nowNs);
  }

  /**
   * Returns whether a packet of {@code length} bytes may go that was never sent. From the second
   * expiry in a row on one goes beside what each sends again (RFC 9002, 6.2.4): the oldest may be
   * one that never arrives, and then only another's acknowledgement opens the window again.
   */
  boolean hasNewRoom(int length, long nowNs) {
    return isNewWanted || hasCongestionRoom(length, nowNs);
  }

  /**
   * Returns the time that a window below one packet keeps between two sends. A timer that is the
   * profile's alone also paces alone.
   */
  private long sendGapNs() {
    return adp.followsPath() ? congestion.sendGapNs(lastSendBytes) : 0;
  }

  /**
   * Returns when a window below one packet, or one that is paced, takes the next; {@link
   * Long#MAX_VALUE}: acknowledgements will say.
   */
  long nextSendNs() {
    if (inFlightBytes == 0) {
      return lastSendNs + sendGapNs();
    }
    return pacer.opensNs();
  }

  /**
   * Returns whether a lost packet may be resent. Where the congestion control does not bound
   * resends they are not held back as long as acknowledgements come in: each byte acknowledged lets
   * two resent bytes pass above the window. After an expiry, when hundreds are judged lost at once,
   * they go out as the window opens.
   */
  boolean hasResendRoom(int length, long nowNs) {
    return hasCongestionRoom(length, nowNs)
        || resendAllowanceBytes >= length && !congestion.boundsResends();
  }

  /**
   * Notes that a packet leaves by this path, new or moved here or judged lost before. Returns its
   * transmission sequence.
   */
  int onSent(int slot, int length, boolean isResend, long nowNs) {
    if (unacknowledgedCount == 0) {
      isProbeSpent = false;
      isProbePutOff = false;
      isTimerStale = true;
    }
    if (isResend && !hasCongestionRoom(length, nowNs)) {
      resendAllowanceBytes = Math.max(0, resendAllowanceBytes - length);
    }
    isNewWanted &= isResend;
    unacknowledgedCount++;
    inFlightBytes += length;
    pacer.onSent(length);
    isRoundTripWanted = congestion.onSent(length, nowNs) | rtt.isPromptWanted(nowNs);
    return onTransmitted(slot, length, nowNs);
  }

  /** Returns whether the packet that was sent last should ask for its acknowledgement. */
  boolean isRoundTripWanted() {
    return isRoundTripWanted;
  }

  /**
   * Notes that a packet that is in flight here leaves by this path once more: it counts once.
   * Returns its transmission sequence.
   */
  int onTransmitted(int slot, int length, long nowNs) {
    noProgress.onOutstanding(nowNs);
    lastSendBytes = nowNs == lastSendNs ? lastSendBytes + length : length;
    lastSendNs = nowNs;
    return ring.add(slot, nowNs);
  }

  /**
   * Notes that the last transmission on this path was judged lost: its bytes are in flight no more,
   * the packet is still unacknowledged here.
   */
  void onLost(int length, long sentAtNs, long nowNs) {
    blindResends.onLoss(nowNs);
    inFlightBytes -= length;
    congestion.onLost(length, sentAtNs, nowNs);
  }

  /**
   * Notes that a packet in flight is about to be sent again as a shorter one: the earlier
   * transmission counts no more, and nothing is said of it.
   */
  void onWithdrawn(int length) {
    inFlightBytes -= length;
    congestion.onWithdrawn(length);
  }

  /**
   * Notes that a packet that was judged lost here, and still counts as unacknowledged here, is
   * about to be sent again.
   */
  void onLeaving() {
    unacknowledgedCount--;
  }

  /** Notes that a packet of this path was acknowledged. */
  void onRetired(int length, boolean wasLost) {
    unacknowledgedCount--;
    retiredCount++;
    if (!wasLost) {
      inFlightBytes -= length;
      retiredBytes += length;
    }
  }

  /** Notes that the connection ends, and this packet with it. */
  void onDropped(int length, boolean wasLost) {
    unacknowledgedCount--;
    inFlightBytes -= wasLost ? 0 : length;
    if (unacknowledgedCount == 0) {
      noProgress.stop();
    }
  }

  /**
   * Notes that an acknowledgement reports this path's highest sequence; until {@link
   * #onAcknowledgementEnd} order can be judged by it.
   */
  void onHighest(int wireSequence, long heldNs, long nowNs) {
    int sequence = ring.expand(wireSequence);
    if (!ring.isKept(sequence)) {
      return;
    }
    hasHighest = true;
    reportedHighest = sequence;
    if (!wasSampled || sequence - sampledHighest > 0) {
      wasSampled = true;
      sampledHighest = sequence;
      sample(nowNs - ring.sentNs(sequence), heldNs, nowNs);
    }
  }

  /** Notes a round trip that was measured otherwise. */
  void onRttSample(long rttNs, long nowNs) {
    sample(rttNs, 0, nowNs);
  }

  private void sample(long elapsedNs, long heldNs, long nowNs) {
    probeDelay.onAnswer(elapsedNs);
    if (rtt.onSample(elapsedNs, heldNs, nowNs)) {
      congestion.onRoundTrip(rtt.latestNs(), nowNs - elapsedNs, nowNs);
    }
  }

  /** Returns whether this acknowledgement reports the path's highest sequence. */
  boolean hasHighest() {
    return hasHighest;
  }

  /** Returns whether a transmission was made after the one reported as the highest. */
  boolean isAboveHighest(int sequence) {
    return sequence - reportedHighest > 0;
  }

  /**
   * Returns the peer's count of duplicates on this path, cumulative.
   *
   * @return the resends that it shows to have been needless
   */
  int onDuplicates(int cumulative, long nowNs) {
    int early = loss.onDuplicates(cumulative, nowNs);
    int blind = loss.takeNeedlessOthers();
    blindResends.onDuplicates(blind);
    return early + blind;
  }

  /**
   * Notes that a packet was acknowledged before its resend on this path can have arrived.
   *
   * @param tookNs the round trip of the transmission that arrived, or 0 where it is not known
   */
  void onNeedless(boolean isEarly, long tookNs, long nowNs) {
    loss.onSpurious(isEarly, tookNs, nowNs);
    if (!isEarly) {
      blindResends.onNeedless(tookNs);
    }
  }

  /**
   * Ends the processing of an acknowledgement. Returns whether it retired a packet of this path.
   */
  boolean onAcknowledgementEnd(long nowNs) {
    hasHighest = false;
    if (retiredCount == 0) {
      return false;
    }
    resendAllowanceBytes =
        Math.min(RESEND_ALLOWANCE_BYTES_MAX, resendAllowanceBytes + 2L * retiredBytes);
    if (retiredBytes > 0) {
      congestion.onAcknowledged(retiredBytes, rtt.latestNs(), nowNs);
    }
    retiredBytes = 0;
    retiredCount = 0;
    progressNs = nowNs;
    adp.onProgress();
    isNewWanted = false;
    noProgress.onProgress(nowNs, unacknowledgedCount > 0);
    loss.onProgress(nowNs);
    isProbeSpent = false;
    isProbePutOff = false;
    isTimerStale = true;
    return true;
  }

  /** Notes that the oldest packet may be another one, or was sent again. */
  void onOldestChanged() {
    isTimerStale = true;
  }

  /** Returns whether {@link #timerFrom} must be told again which packet is the oldest. */
  boolean isTimerStale() {
    return isTimerStale;
  }

  /**
   * Makes the ADP timer run from here, unless it expired later: an expiry whose resend still waits
   * for room is not repeated at once.
   */
  void timerFrom(long lastSentNs) {
    timerFromNs = hasExpired ? Math.max(lastSentNs, expiredNs) : lastSentNs;
    isTimerStale = false;
  }

  /** Returns what the path's answers tell of resends by probe and timer. */
  BlindResends blindResends() {
    return blindResends;
  }

  /** Returns how long the answer to a PING may take; a guess before the first sample. */
  long answerNs(long peerAckDelayNs) {
    return rtt.hasSample()
        ? 2 * rtt.smoothedNs() + 4 * rtt.variationNs() + peerAckDelayNs
        : PathMtuSearch.PROBE_NS_UNSAMPLED;
  }

  /**
   * Returns when packets may be judged lost without another acknowledgement; {@link
   * Long#MAX_VALUE}: never. Where the timer is the profile's alone, an acknowledgement judges, and
   * time does not.
   */
  long lossDeadlineNs() {
    return adp.followsPath() ? loss.deadlineNs() : Long.MAX_VALUE;
  }

  /**
   * Returns when the tail probe is due; {@link Long#MAX_VALUE}: not in this flight, or never, for
   * the timer is the profile's alone.
   */
  long probeDeadlineNs() {
    if (unacknowledgedCount == 0 || isProbeSpent || !adp.followsPath()) {
      return Long.MAX_VALUE;
    }
    long fromNs = isProbePutOff ? Math.max(probePutOffNs, lastSendNs) : lastSendNs;
    return fromNs + Math.max(probeDelay.delayNs(), sendGapNs());
  }

  void onProbe() {
    isProbeSpent = true;
    isProbePutOff = false;
  }

  /** Notes that the loop has spent its share of probes: this one is due a probe's delay later. */
  void onProbePutOff(long nowNs) {
    isProbePutOff = true;
    probePutOffNs = nowNs;
  }

  /** Returns when the ADP timer expires; {@link Long#MAX_VALUE}: not running. */
  long adpDeadlineNs() {
    if (unacknowledgedCount == 0) {
      return Long.MAX_VALUE;
    }
    // A profile may arm a value so long that it never ends.
    long deadlineNs = timerFromNs + timeoutNs();
    return deadlineNs < timerFromNs ? Long.MAX_VALUE : deadlineNs;
  }

  /** Returns the value that the ADP timer has now. */
  long timeoutNs() {
    // ADP rule 7: the floor that the path itself has shown to be reasonable.
    long floorNs = AdpTimer.FLOOR_UNSAMPLED_NS;
    if (rtt.hasSample()) {
      long leastNs = blindResends.isLossy(lastSendNs) ? 0 : STEADY_TIMEOUT_NS_MIN;
      floorNs = Math.max(2 * probeDelay.delayNs(), leastNs);
    }
    return Math.max(adp.timeoutNs(floorNs), sendGapNs());
  }

  /**
   * Notes that the ADP timer expired; so many packets are resent for it, the same number as at the
   * expiry before if there was no progress.
   */
  void onAdpTimeout(int resends, long nowNs) {
    if (adp.timeoutsInRow() == 0) {
      sequenceAfterExpiry = ring.head();
      mtu.onExpiry(sequenceAfterExpiry);
    }
    undecidedByExpiry = resends;
    adp.onTimeout();
    isNewWanted = adp.timeoutsInRow() > 1;
    congestion.onTimeout(nowNs);
    resendAllowanceBytes = 0;
    hasExpired = true;
    expiredNs = nowNs;
    timerFrom(nowNs);
  }

  /**
   * Notes that a packet that was resent for an expiry was acknowledged. If everything that is known
   * to have arrived was sent before that expiry, then so was the packet. Once that is true of all
   * that the expiry had resent it was needless. An acknowledgement without a highest sequence tells
   * nothing.
   *
   * @return whether the expiry is now known to have been needless
   */
  boolean onTimeoutResendAcknowledged(long nowNs) {
    if (undecidedByExpiry == 0 || !hasHighest) {
      return false;
    }
    undecidedByExpiry = reportedHighest - sequenceAfterExpiry < 0 ? undecidedByExpiry - 1 : 0;
    boolean isSpurious = undecidedByExpiry == 0 && reportedHighest - sequenceAfterExpiry < 0;
    if (isSpurious) {
      congestion.onTimeoutSpurious(nowNs);
      adp.onTimeoutsNeedless();
    }
    return isSpurious;
  }

  /**
   * Notes that the path leads to another address from now on. What was in flight to the old one is
   * most likely lost, which says nothing of congestion; it is found by the tail probe, which is due
   * again, or by the ADP timer where there is none. Behind another host's address all that was
   * learned is void.
   */
  void onMoved(boolean isOtherHost, long rttNs, long nowNs) {
    if (isOtherHost) {
      rtt.restart(rttNs, nowNs);
      wasSampled = true;
      sampledHighest = ring.head() - 1; // what was sent the old way is no sample of the new
    }
    congestion.onMoved(isOtherHost, nowNs);
    adp.onProgress();
    undecidedByExpiry = 0;
    hasExpired =
        true; // the silence of the old way is none of the new one's: the timer runs from here
    expiredNs = nowNs;
    isProbeSpent = false;
    isTimerStale = true;
    int formerBytes = mtu.bytes();
    mtu.onMoved();
    if (mtu.bytes() != formerBytes) {
      onMtuChanged();
    }
  }

  /** Returns when the path gives up; {@link Long#MAX_VALUE}: not running. */
  long totalDeadlineNs() {
    return noProgress.reachesAtNs(adp.totalNs());
  }

  /** Returns whether the path has been without progress for its total. Asked at a deadline. */
  boolean isExhausted(long nowNs) {
    return noProgress.hasReached(adp.totalNs(), nowNs);
  }
}
