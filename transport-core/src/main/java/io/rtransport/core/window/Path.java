package io.rtransport.core.window;

import io.rtransport.core.adp.AdpTimer;
import io.rtransport.core.congestion.CongestionControl;
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

  private final int id;
  private final AdpTimer adp;
  private final CongestionControl congestion;
  private final RttEstimator rtt = new RttEstimator();
  private final SendRoom room;
  private final TransmissionRing ring;
  private final LossDetector loss;
  private final ProbeDelay probeDelay;
  private final BlindResends blindResends;
  private final AdpExpiry expiry = new AdpExpiry();
  private final TailProbe probe = new TailProbe();
  private final Silence silence = new Silence();
  private final PathAcknowledgement acknowledgement = new PathAcknowledgement();
  private final ResendCounts resends = new ResendCounts();
  private PathMtuSearch mtu;

  /** Null on the only path. */
  private PairHealth health;

  private LossRate lossRate;
  private long progressNs;

  private boolean isClosing;

  private int unacknowledgedCount;
  private boolean isRoundTripWanted;

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
    this.room = new SendRoom(adp, congestion, rtt);
    this.ring = new TransmissionRing(firstTransmissionSequence, ringCapacityMax);
    this.loss = new LossDetector(ring, rtt);
    this.probeDelay = new ProbeDelay(rtt, lateness);
    this.blindResends = new BlindResends(probeDelay);
  }

  /** Returns how many of its packets were resent, and where. */
  public ResendCounts resends() {
    return resends;
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
    return room.inFlightBytes();
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
    return silence.fromNs() + Math.max(probeDelay.delayNs(), room.sendGapNs());
  }

  /** Returns since when no packet has shown that it arrived on this path. */
  Silence silence() {
    return silence;
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
    double queued = (double) room.inFlightBytes() / Math.max(1, congestion.windowBytes());
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

  /** Returns what may leave by the congestion window and its pace. */
  SendRoom room() {
    return room;
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
    return expiry.isNewWanted() || room.isOpen(length, nowNs);
  }

  /**
   * Records a packet sent on this path that is new, comes from another path, or was judged lost.
   * Returns its transmission sequence.
   */
  int onSent(int slot, int length, boolean isResend, long nowNs) {
    if (unacknowledgedCount == 0) {
      probe.onFlight();
      expiry.onOldestChanged();
      silence.onShown(nowNs);
    }
    room.onSent(length, isResend, nowNs);
    expiry.onSent(isResend);
    unacknowledgedCount++;
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
    room.onTransmitted(length, nowNs);
    return ring.add(slot, nowNs);
  }

  /**
   * Records that the last transmission on this path was judged lost. Its bytes leave the count in
   * flight, but the packet stays unacknowledged here.
   */
  void onLost(int length, long sentAtNs, long nowNs) {
    blindResends.onLoss(nowNs);
    room.onGone(length);
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
    room.onGone(length);
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
    silence.onArrivalSeen();
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
    acknowledgement.onRetired(wasLost ? 0 : length);
    if (!wasLost) {
      countArrived(nowNs);
      room.onGone(length);
    }
  }

  /** Removes a packet because the connection ends. */
  void onDropped(int length, boolean wasLost) {
    unacknowledgedCount--;
    room.onGone(wasLost ? 0 : length);
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
    acknowledgement.onHighest(sequence);
    if (isSample && acknowledgement.takeSample(sequence)) {
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
    return acknowledgement.hasHighest();
  }

  /** Returns whether a transmission was made after the one reported as highest. */
  boolean isAboveHighest(int sequence) {
    return sequence - acknowledgement.highest() > 0;
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
    int retiredBytes = acknowledgement.retiredBytes();
    if (!acknowledgement.end()) {
      return false;
    }
    room.onRetired(retiredBytes);
    if (retiredBytes > 0) {
      congestion.onAcknowledged(retiredBytes, rtt.latestNs(), nowNs);
    }
    progressNs = nowNs;
    silence.onAcknowledgementEnd(nowNs);
    adp.onProgress();
    expiry.onProgress();
    loss.onProgress(nowNs);
    probe.onFlight();
    return true;
  }

  /** Returns from when the ADP timer runs, and what its last expiry was. */
  AdpExpiry expiry() {
    return expiry;
  }

  /** Returns whether the tail probe of the flight is still to come. */
  TailProbe probe() {
    return probe;
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
    if (unacknowledgedCount == 0 || probe.isSpent() || !adp.followsPath()) {
      return Long.MAX_VALUE;
    }
    long fromNs = probe.fromNs(room.lastSendNs());
    return fromNs + Math.max(probeDelay.delayNs(), room.sendGapNs());
  }

  /** Returns when the ADP timer expires; {@link Long#MAX_VALUE} if it is not running. */
  long adpDeadlineNs() {
    if (unacknowledgedCount == 0) {
      return Long.MAX_VALUE;
    }
    // A profile may set a value so large that the sum overflows.
    long deadlineNs = expiry.timerFromNs() + timeoutNs();
    return deadlineNs < expiry.timerFromNs() ? Long.MAX_VALUE : deadlineNs;
  }

  /** Returns the current value of the ADP timer. */
  long timeoutNs() {
    // ADP rule 7: the path itself showed this floor to be reasonable.
    long floorNs = AdpTimer.FLOOR_UNSAMPLED_NS;
    if (rtt.hasSample()) {
      long leastNs = blindResends.isLossy(room.lastSendNs()) ? 0 : STEADY_TIMEOUT_NS_MIN;
      floorNs = Math.max(2 * probeDelay.delayNs(), leastNs);
    }
    return Math.max(adp.timeoutNs(floorNs), room.sendGapNs());
  }

  /**
   * Handles an expiry of the ADP timer, for which {@code resends} packets are resent. Without
   * progress these are the same packets as at the expiry before.
   */
  void onAdpTimeout(int resends, long nowNs) {
    if (adp.timeoutsInRow() == 0) {
      expiry.onFirst(ring.head());
      mtu.onExpiry(ring.head());
    }
    adp.onTimeout();
    expiry.onExpiry(resends, adp.timeoutsInRow(), nowNs);
    congestion.onTimeout(nowNs);
    room.onTimeout();
  }

  /**
   * Handles the acknowledgement of a packet that was resent for an expiry. An acknowledgement
   * without a highest sequence tells nothing.
   *
   * @return whether the expiry is now known to be needless
   */
  boolean onTimeoutResendAcknowledged(long nowNs) {
    boolean isSpurious = hasHighest() && expiry.isNeedlessBy(acknowledgement.highest());
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
      acknowledgement.ignoreThrough(ring.head() - 1); // what was sent to the old address
    }
    congestion.onMoved(isOtherHost, nowNs);
    adp.onProgress();
    expiry.onMoved(nowNs);
    probe.onMoved();
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
    acknowledgement.ignoreThrough(ring.head() - 1);
    room.onTimeout();
    expiry.onSuspected();
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
    silence.onShown(nowNs);
    expiry.onOldestChanged();
  }

  /** Notes that this path takes no more packets and goes once it holds none. */
  void onClosing() {
    isClosing = true;
  }

  boolean isClosing() {
    return isClosing;
  }
}
