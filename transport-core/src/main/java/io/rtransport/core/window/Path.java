package io.rtransport.core.window;

import io.rtransport.core.adp.AdpTimer;
import io.rtransport.core.congestion.CongestionControl;
import io.rtransport.core.congestion.Pacer;
import io.rtransport.core.rail.PairHealth;

/**
 * One path of this connection's packets to the peer. It holds the packets in flight, the round
 * trip, the packet order and the timers of the path. A packet belongs to the path of its last
 * transmission. The timers run only while a packet of the path is unacknowledged:
 *
 * <ul>
 *   <li><b>loss</b>: the time limit for a packet that was overtaken by an acknowledged one ({@link
 *       LossDetector});
 *   <li><b>tail probe</b>: {@link ProbeDelay} after the last send, once a flight. The newest packet
 *       is resent, and no congestion state changes. Without a token of the {@link ProbeBudget} it
 *       waits for another probe delay;
 *   <li><b>ADP</b>: measured from the last send of the oldest packet. The oldest packet is resent,
 *       and the congestion window falls to its minimum.
 * </ul>
 *
 * <p>A strict profile, or a timer that does not adapt, has only the last timer. All resends by time
 * then use the profile's value. {@link Suspicion} decides whether a path of several takes packets.
 * Loop-confined.
 */
public final class Path {
  /**
   * Minimum of the ADP timer on a path without recent loss: three slices of the Linux scheduler. A
   * peer that is silent for less has more likely lost its processor than two packets in a row. The
   * tail probe finds a single lost packet.
   */
  static final long STEADY_TIMEOUT_NS_MIN = 10_000_000;

  /**
   * Most bytes that early resends may send above the congestion window at once. It is a quarter of
   * the bytes in flight on a fast path.
   */
  private static final long RESEND_ALLOWANCE_BYTES_MAX = 256 << 10;

  /** Room beyond one packet that counts as room to spare: three packets of the default length. */
  private static final long SPARE_BYTES = 4 << 10;

  private final int id;
  private final AdpTimer adp;
  private final CongestionControl congestion;
  private final Pacer pacer = new Pacer();
  private final RttEstimator rtt = new RttEstimator();
  private final TransmissionRing ring;
  private final LossDetector loss;
  private final ProbeDelay probeDelay;
  private final BlindResends blindResends;
  private PathMtuSearch mtu;

  /** Null on the only path. */
  private PairHealth health;

  private LossRate lossRate;
  private long progressNs;

  /** When a packet that arrived on this path was last acknowledged. */
  private boolean isProven;

  private long provenNs;

  /** The same, or when a packet left while none was unacknowledged on this path. */
  private long silentFromNs;

  private boolean isClosing;

  // Resends, for people who watch: those that left on this path; those of packets that this path
  // had carried last, wherever they left; and of these the ones that left on another path because
  // this one was suspect.
  private long resentOn;
  private long resentFrom;
  private long movedFrom;

  private long inFlightBytes;
  private int unacknowledgedCount;
  private long resendAllowanceBytes;
  private long lastSendNs;

  /** Bytes of all packets that left at {@link #lastSendNs}. */
  private int lastSendBytes;

  private long timerFromNs;
  private boolean isTimerStale;

  /** Whether a new packet may leave in addition to the packets that the expiry resends. */
  private boolean isNewWanted;

  private boolean hasExpired;
  private long expiredNs;
  private boolean isProbeSpent;

  /** Whether, and since when, a probe waits for a token of the loop. */
  private boolean isProbePutOff;

  private long probePutOffNs;

  private boolean isRoundTripWanted;

  // About the last expiry or row of expiries: the first sequence sent after it, and the number of
  // its resends that are still undecided.
  private int sequenceAfterExpiry;
  private int undecidedByExpiry;

  // Since the start of the acknowledgement that is being processed.
  private int retiredBytes;
  private int retiredCount;
  private boolean isArrivalSeen;
  private boolean hasHighest;
  private int reportedHighest;
  private int sampledHighest;
  private boolean wasSampled;

  /**
   * Creates a path with no late turns and the first transmission sequence 0.
   *
   * @param id the id on the wire, 0..255
   * @param ringCapacityMax the most transmissions remembered, a power of two ≥ 64; twice the
   *     packets of both windows is enough
   */
  public Path(int id, AdpTimer adp, CongestionControl congestion, int ringCapacityMax) {
    this(id, adp, congestion, new TurnLateness(), ringCapacityMax, 0);
  }

  /**
   * Creates a path.
   *
   * @param id the id on the wire, 0..255
   * @param lateness the lateness of the event loop's turns
   * @param ringCapacityMax the most transmissions remembered, a power of two ≥ 64
   * @param firstTransmissionSequence the first sequence; tests can begin near the end of its 24
   *     bits
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

  /** Counts a resend that leaves on this path, of a packet that {@code former} carried last. */
  void countResend(Path former, boolean isMoved) {
    resentOn++;
    former.resentFrom++;
    former.movedFrom += isMoved ? 1 : 0;
  }

  /** Returns how many resends left on this path. */
  public long resentOn() {
    return resentOn;
  }

  /** Returns how many resends there were of packets that this path had carried last. */
  public long resentFrom() {
    return resentFrom;
  }

  /** Returns how many of these left on another path, because this one was suspect. */
  public long movedFrom() {
    return movedFrom;
  }

  /** Returns the path's id in its packets. */
  public int id() {
    return id;
  }

  /** Returns SRTT in nanoseconds; 0 without a sample. */
  public long smoothedRttNs() {
    return rtt.smoothedNs();
  }

  /** Returns the lowest recent round trip in nanoseconds; 0 without a sample. */
  public long minRttNs() {
    return rtt.minNs();
  }

  /** Returns the bytes sent on this path that are neither acknowledged nor judged lost. */
  public long inFlightBytes() {
    return inFlightBytes;
  }

  /** Returns the number of unacknowledged packets whose last transmission took this path. */
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
   * Returns the search for the datagram length; null before the path belongs to a window sublayer.
   */
  public PathMtuSearch mtu() {
    return mtu;
  }

  /**
   * Sets the search for the datagram length. Without it the length is fixed. Call before the path
   * carries packets.
   */
  public Path mtu(PathMtuSearch search) {
    mtu = search;
    return this;
  }

  /** Sets how long the peer may hold an acknowledgement. Call before the path carries packets. */
  void peerAckDelayNs(long offeredNs) {
    probeDelay.peerAckDelayNs(offeredNs);
  }

  /** Returns the health of the interfaces at both ends; null: it does not matter. */
  PairHealth health() {
    return health;
  }

  /** Sets the interfaces at both ends. From now on the path's loss is counted. */
  void health(PairHealth ofBothEnds) {
    health = ofBothEnds;
    lossRate = new LossRate();
  }

  /** Returns the share of lost packets; null without {@link #health()}. */
  LossRate lossRate() {
    return lossRate;
  }

  /** Returns when a packet of this path was last acknowledged. */
  long progressNs() {
    return progressNs;
  }

  /**
   * Returns when this path is overdue: something is unacknowledged, and for a probe delay no
   * acknowledgement has shown an arrival by this path. {@link Long#MAX_VALUE} means never.
   */
  long overdueNs() {
    if (unacknowledgedCount == 0) {
      return Long.MAX_VALUE;
    }
    return silentFromNs + Math.max(probeDelay.delayNs(), sendGapNs());
  }

  /**
   * Returns whether an acknowledgement at or after {@code sinceNs} showed that a packet arrived on
   * this path.
   */
  boolean isProvenSince(long sinceNs) {
    return isProven && provenNs - sinceNs >= 0;
  }

  /** Returns since when the path is silent, if something is unacknowledged on it. */
  long silentFromNs() {
    return silentFromNs;
  }

  /** Handles the answer to a PING: for another probe delay the path is not overdue. */
  void onAnswered(long nowNs) {
    silentFromNs = nowNs;
  }

  /** Returns how long this path may be silent before it is probed, in nanoseconds. */
  long probeDelayNs() {
    return probeDelay.delayNs();
  }

  /**
   * Returns how long a packet sent now would take to arrive and be answered, in nanoseconds: SRTT ×
   * (1 + bytes in flight / congestion window).
   */
  long arrivalNs() {
    long roundTripNs = rtt.hasSample() ? rtt.smoothedNs() : LossDetector.ROUND_TRIP_UNSAMPLED_NS;
    double queued = (double) inFlightBytes / Math.max(1, congestion.windowBytes());
    return roundTripNs + (long) (roundTripNs * queued);
  }

  /** Handles a change of the path's datagram length. */
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
   * Returns whether the congestion window has room for a new packet of up to {@code length} bytes.
   * With nothing in flight one packet always leaves, at its paced time. With at most half of the
   * window in flight a packet may exceed the window. Otherwise, in a window of one or two packets,
   * short answers to the peer's bulk data would leave once a round trip.
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
   * Returns whether the sender need not wait for acknowledgements. That is the case if the
   * congestion window has room for several more packets, or if nothing is in flight. A message sent
   * alone can wait for its ack delay, until the next message comes.
   */
  public boolean hasRoomToSpare() {
    return inFlightBytes == 0
        || inFlightBytes + mtu.packetLengthMax() + SPARE_BYTES <= congestion.windowBytes();
  }

  /** Returns the bytes for which the congestion window has room, at least 0. */
  public long roomBytes() {
    return Math.max(0, congestion.windowBytes() - inFlightBytes);
  }

  /** Returns whether a packet was judged lost less than a smoothed round trip ago. */
  boolean isLosing(long nowNs) {
    return blindResends.hasLostWithin(rtt.smoothedNs(), nowNs);
  }

  /**
   * Returns whether a new packet of {@code length} bytes may leave. From the second expiry in a row
   * on, one new packet leaves with each expiry's resends (RFC 9002, 6.2.4). The oldest packet may
   * be one that never arrives. Then only the acknowledgement of another packet opens the window
   * again.
   */
  boolean hasNewRoom(int length, long nowNs) {
    return isNewWanted || hasCongestionRoom(length, nowNs);
  }

  /**
   * Returns the time between two packets while the window is below one packet. It is 0 if the timer
   * uses only the profile's value: such a profile also paces alone.
   */
  private long sendGapNs() {
    return adp.followsPath() ? congestion.sendGapNs(lastSendBytes) : 0;
  }

  /**
   * Returns when a paced window, or one below one packet, permits the next packet. {@link
   * Long#MAX_VALUE} means that only an acknowledgement permits it.
   */
  long nextSendNs() {
    if (inFlightBytes == 0) {
      return lastSendNs + sendGapNs();
    }
    return pacer.opensNs();
  }

  /**
   * Returns whether a lost packet may be resent. A congestion control may leave resends unbounded.
   * Then each acknowledged byte permits two resent bytes above the window. After an expiry hundreds
   * of packets may be judged lost at once. They leave only as the window opens.
   */
  boolean hasResendRoom(int length, long nowNs) {
    return hasCongestionRoom(length, nowNs)
        || resendAllowanceBytes >= length && !congestion.boundsResends();
  }

  /**
   * Records a packet sent on this path that is new, comes from another path, or was judged lost.
   * Returns its transmission sequence.
   */
  int onSent(int slot, int length, boolean isResend, long nowNs) {
    if (unacknowledgedCount == 0) {
      isProbeSpent = false;
      isProbePutOff = false;
      isTimerStale = true;
      silentFromNs = nowNs;
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

  /** Returns whether the packet sent last should ask for its acknowledgement. */
  boolean isRoundTripWanted() {
    return isRoundTripWanted;
  }

  /**
   * Records another transmission of a packet that is in flight on this path. It counts once.
   * Returns its transmission sequence.
   */
  int onTransmitted(int slot, int length, long nowNs) {
    lastSendBytes = nowNs == lastSendNs ? lastSendBytes + length : length;
    lastSendNs = nowNs;
    return ring.add(slot, nowNs);
  }

  /**
   * Records that the last transmission on this path was judged lost. Its bytes leave the count in
   * flight, but the packet stays unacknowledged here.
   */
  void onLost(int length, long sentAtNs, long nowNs) {
    blindResends.onLoss(nowNs);
    inFlightBytes -= length;
    congestion.onLost(length, sentAtNs, nowNs);
    countLost(nowNs);
  }

  /** Counts a transmission that has most likely been lost: its packet is sent again. */
  void countLost(long nowNs) {
    if (lossRate != null) {
      lossRate.onLost(nowNs);
    }
  }

  /**
   * Withdraws a transmission in flight whose packet is about to be sent again as a shorter one. The
   * transmission counts neither as lost nor as arrived.
   */
  void onWithdrawn(int length) {
    inFlightBytes -= length;
    congestion.onWithdrawn(length);
  }

  /**
   * Removes a packet that was judged lost and is about to be sent again from the unacknowledged
   * count.
   */
  void onLeaving() {
    unacknowledgedCount--;
  }

  /**
   * Records that the acknowledgement shows the arrival of a packet by this path. It does not if the
   * packet came from a suspect path and its earlier transmission may have arrived.
   */
  void onArrivalSeen() {
    isArrivalSeen = true;
  }

  /** Counts a packet that has arrived. */
  void countArrived(long nowNs) {
    if (lossRate != null) {
      lossRate.onArrived(nowNs);
    }
  }

  /** Records that a packet of this path was acknowledged. */
  void onRetired(int length, boolean wasLost, long nowNs) {
    unacknowledgedCount--;
    retiredCount++;
    if (!wasLost) {
      countArrived(nowNs);
      inFlightBytes -= length;
      retiredBytes += length;
    }
  }

  /** Removes a packet because the connection ends. */
  void onDropped(int length, boolean wasLost) {
    unacknowledgedCount--;
    inFlightBytes -= wasLost ? 0 : length;
  }

  /**
   * Handles an acknowledgement's report of this path's highest sequence. Until {@link
   * #onAcknowledgementEnd} packet order can be judged by it.
   *
   * @param isSample whether the acknowledgement came back on this path, so that the time that it
   *     took is a round trip of this path
   */
  void onHighest(int wireSequence, long heldNs, boolean isSample, long nowNs) {
    int sequence = ring.expand(wireSequence);
    if (!ring.isKept(sequence)) {
      return;
    }
    hasHighest = true;
    reportedHighest = sequence;
    if (isSample && (!wasSampled || sequence - sampledHighest > 0)) {
      wasSampled = true;
      sampledHighest = sequence;
      sample(nowNs - ring.sentNs(sequence), heldNs, nowNs);
    }
  }

  /** Handles a round trip that was measured by other means. */
  void onRttSample(long rttNs, long nowNs) {
    sample(rttNs, 0, nowNs);
  }

  private void sample(long elapsedNs, long heldNs, long nowNs) {
    probeDelay.onAnswer(elapsedNs);
    if (rtt.onSample(elapsedNs, heldNs, nowNs)) {
      congestion.onRoundTrip(rtt.latestNs(), nowNs - elapsedNs, nowNs);
    }
  }

  /** Returns whether the current acknowledgement reports the path's highest sequence. */
  boolean hasHighest() {
    return hasHighest;
  }

  /** Returns whether a transmission was made after the one reported as highest. */
  boolean isAboveHighest(int sequence) {
    return sequence - reportedHighest > 0;
  }

  /**
   * Handles the peer's cumulative count of duplicates on this path.
   *
   * @return the number of resends that prove needless
   */
  int onDuplicates(int cumulative, long nowNs) {
    int early = loss.onDuplicates(cumulative, nowNs);
    int blind = loss.takeNeedlessOthers();
    blindResends.onDuplicates(blind);
    for (int i = early + blind; lossRate != null && i > 0; i--) {
      lossRate.onNeedless();
    }
    return early + blind;
  }

  /**
   * Handles a packet that was acknowledged before its resend on this path can have arrived.
   *
   * @param tookNs the round trip of the transmission that arrived, or 0 if not known
   */
  void onNeedless(boolean isEarly, long tookNs, long nowNs) {
    loss.onSpurious(isEarly, tookNs, nowNs);
    if (lossRate != null) {
      lossRate.onNeedless();
    }
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
    if (isArrivalSeen) {
      isProven = true;
      isArrivalSeen = false;
      provenNs = nowNs;
      silentFromNs = nowNs;
    }
    adp.onProgress();
    isNewWanted = false;
    loss.onProgress(nowNs);
    isProbeSpent = false;
    isProbePutOff = false;
    isTimerStale = true;
    return true;
  }

  /** Records that the oldest packet was sent again or may be a different one. */
  void onOldestChanged() {
    isTimerStale = true;
  }

  /** Returns whether {@link #timerFrom} must be called with the oldest packet's last send time. */
  boolean isTimerStale() {
    return isTimerStale;
  }

  /**
   * Sets the start of the ADP timer, but not before its last expiry. So an expiry whose resend
   * still waits for room is not repeated at once.
   */
  void timerFrom(long lastSentNs) {
    timerFromNs = hasExpired ? Math.max(lastSentNs, expiredNs) : lastSentNs;
    isTimerStale = false;
  }

  /** Returns the judgement of resends by probe and timer. */
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
   * Returns when packets may be judged lost without another acknowledgement; {@link Long#MAX_VALUE}
   * for never. If the timer uses only the profile's value, only acknowledgements show a loss.
   */
  long lossDeadlineNs() {
    return adp.followsPath() ? loss.deadlineNs() : Long.MAX_VALUE;
  }

  /**
   * Returns when the tail probe is due. {@link Long#MAX_VALUE} means that this flight has no probe
   * left, or that the timer uses only the profile's value.
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

  /** Postpones the probe by a probe delay, because the loop has no token left. */
  void onProbePutOff(long nowNs) {
    isProbePutOff = true;
    probePutOffNs = nowNs;
  }

  /** Returns when the ADP timer expires; {@link Long#MAX_VALUE} if it is not running. */
  long adpDeadlineNs() {
    if (unacknowledgedCount == 0) {
      return Long.MAX_VALUE;
    }
    // A profile may set a value so large that the sum overflows.
    long deadlineNs = timerFromNs + timeoutNs();
    return deadlineNs < timerFromNs ? Long.MAX_VALUE : deadlineNs;
  }

  /** Returns the current value of the ADP timer. */
  long timeoutNs() {
    // ADP rule 7: the path itself showed this floor to be reasonable.
    long floorNs = AdpTimer.FLOOR_UNSAMPLED_NS;
    if (rtt.hasSample()) {
      long leastNs = blindResends.isLossy(lastSendNs) ? 0 : STEADY_TIMEOUT_NS_MIN;
      floorNs = Math.max(2 * probeDelay.delayNs(), leastNs);
    }
    return Math.max(adp.timeoutNs(floorNs), sendGapNs());
  }

  /**
   * Handles an expiry of the ADP timer, for which {@code resends} packets are resent. Without
   * progress these are the same packets as at the expiry before.
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
   * Handles the acknowledgement of a packet that was resent for an expiry. If every arrival
   * reported so far was sent before the expiry, the packet's arrival was too. The expiry was
   * needless if that holds for all packets that it resent. An acknowledgement without a highest
   * sequence tells nothing.
   *
   * @return whether the expiry is now known to be needless
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
   * Handles a change of the peer's address. Packets in flight to the old address are most likely
   * lost, but that says nothing about congestion. The tail probe is due again and finds them.
   * Without a tail probe, the ADP timer finds them. If the new address is another host's, all
   * measurements are discarded.
   */
  void onMoved(boolean isOtherHost, long rttNs, long nowNs) {
    if (isOtherHost) {
      rtt.restart(rttNs, nowNs);
      wasSampled = true;
      sampledHighest = ring.head() - 1; // packets sent to the old address give no sample
    }
    congestion.onMoved(isOtherHost, nowNs);
    adp.onProgress();
    undecidedByExpiry = 0;
    // The silence of the old address does not count: the timer runs from here.
    hasExpired = true;
    expiredNs = nowNs;
    isNewWanted = false; // the row of expiries that wanted one is over
    isProbeSpent = false;
    isTimerStale = true;
    restartMtu();
  }

  private void restartMtu() {
    int formerBytes = mtu.bytes();
    mtu.onMoved();
    if (mtu.bytes() != formerBytes) {
      onMtuChanged();
    }
  }

  /**
   * Handles the suspicion that this path does not work. Its congestion window falls to the minimum.
   * Nothing that was sent on it before gives a sample or shows the order of packets any more.
   */
  void onSuspected(long nowNs) {
    congestion.onTimeout(nowNs);
    wasSampled = true;
    sampledHighest = ring.head() - 1;
    resendAllowanceBytes = 0;
    undecidedByExpiry = 0;
    isNewWanted = false;
  }

  /**
   * Handles the end of a suspicion.
   *
   * @param isPrompt whether the path answered the first question: then the suspicion was a mistake
   */
  void onReturned(boolean isPrompt, long nowNs) {
    if (isPrompt) {
      congestion.onTimeoutSpurious(nowNs);
    } else {
      restartMtu();
    }
    congestion.onMoved(false, nowNs);
    adp.onProgress();
    silentFromNs = nowNs;
    isTimerStale = true;
  }

  /** Notes that this path takes no more packets and goes once it holds none. */
  void onClosing() {
    isClosing = true;
  }

  boolean isClosing() {
    return isClosing;
  }
}
