package io.rtransport.core.congestion;

/**
 * Congestion control by delay, after Kumar et al., "Swift: Delay is Simple and Effective for
 * Congestion Control in the Datacenter" (SIGCOMM 2020). It steers the round trip to a target, so
 * that the queue of the narrowest link stays short. A loss alone changes nothing.
 *
 * <pre>
 *   target   = max(T, base + max(T/2, base/4, min(4 · jitter, 3 T)) + evenness)
 *              + T/2 · scale(window)
 *   base     : {@link PathBase}
 *   evenness = max(0, base/4 − 3 T) · min(1, 1/√(window · (T/2)/base)),
 *              window in units of 1,408 bytes: the number sent in T/2
 *   jitter  += (|delay − delay of the round before| − jitter) / 16
 *   scale    = (1/√window − 1/√100) / (1/√0.1 − 1/√100), in 0..1, window in packets
 *
 *   A round ends with the answer to a packet sent in it:
 *     delay ≤ target  the window grows by half a packet each round trip, at most by 1/8 of itself
 *     delay > target  × max(1 − β·(delay − target)/delay, 1 − max_mdf), once each round; above one
 *                     packet only from the second late round in a row
 *   loss              × (1 − max_mdf), once each round trip, if this round and the last are above
 *                     the target, or one sixth of all packets is lost; else nothing
 *   ADP expiry        one packet; half of the window at each further expiry in a row
 *   below one packet  a gap after each packet, in round trips by its share of the window:
 *                     {@link #sendGapNs}
 * </pre>
 *
 * <p><b>Target.</b> T comes from the configuration. A base below T/2 does not count. Flows that
 * started while a queue stood there measure a longer base, and must not aim higher because of it.
 * On longer paths the queue may take T/2, or a quarter of the base.
 *
 * <p><b>Flow scaling.</b> With more flows on a link, their windows are smaller and their sum
 * fluctuates more. The term in 1/√window gives them room. It also gives the smaller of two windows
 * the higher target. This makes them equal even where additive increase does not. On a long path,
 * windows are larger only because the path is long. There <b>evenness</b> has the same effect,
 * based on the bytes sent in T/2, which is a rate: 200 packets at 20 ms are as few as 2.5 at 0.25
 * ms. Evenness takes the part of the allowed queue above the most room for jitter, so jitter never
 * makes windows unequal.
 *
 * <p><b>Bursts.</b> A window leaves in bursts. The last packet of a burst waits behind the whole
 * burst, so its round trip shows the length of the burst, not of the queue. In slow start, and on
 * paths longer than T/2, the first packet of each round therefore asks for an acknowledgement. The
 * least round trip of the round is then that packet's.
 *
 * <p><b>Pauses.</b> A process that pauses for 50 ms (garbage collection) sees every answer of that
 * time late, and so does its peer. The signal is therefore the least round trip of a round. The
 * first late round in a row does not cut a window above one packet: the round after a pause has
 * seen packets sent after the pause. If a pause made the timer expire and the expiry proves
 * needless, the window returns at once. Otherwise it returns by slow start up to half of the former
 * window.
 *
 * <p><b>Jitter.</b> On busy hosts a process sometimes waits for its processor as long as a queue of
 * hundreds of packets would take. The delays of successive rounds then differ much. A standing
 * queue is in both rounds. So their difference, measured as in RTP (RFC 3550, 6.4.1), is no sign of
 * a queue, and the target leaves room for it. A full queue is constant and adds no jitter. The
 * oscillation of windows that are cut does add jitter, which is one reason for the limit of the
 * room. The room for jitter, and the first late round without a cut, make random losses harmless
 * over loopback.
 *
 * <p><b>Delay that is not our queue.</b> As long as nothing is lost, the window stays at one packet
 * or more. A loss in a late round removes this floor for one second: with a thousand flows the fair
 * share is a tenth of a packet. If {@value #LATE_ROUNDS} rounds in a row are late at one packet or
 * less, the path is longer, or the hosts are busy. Their least round trip then counts as base,
 * until a shorter one is seen.
 *
 * <p><b>Start and idleness.</b> The window starts at 64 packets, for the reasons of {@link Aimd}.
 * Slow start lasts as long as the delay is below the middle between base and target. A window that
 * was never in flight is a guess. So is the window of a path that was idle for one second, which
 * falls back to 64 packets. If the first answer is late, a guess falls to one packet and starts
 * slow start from there.
 *
 * <p>A window grows only by acknowledgements while at least half of it is filled, because more
 * would be untested. Up to {@value #UNUSED_PACKETS} packets it grows by any acknowledgement.
 * Otherwise the pauses of busy hosts would keep a flow of short messages, which never fills its
 * window, at one packet for ever.
 *
 * <p>Windows are doubles, because one acknowledgement adds far less than a byte. Quotients and
 * roots of binary64 are equal on every machine (since Java 17), and so is a simulation's trace.
 */
public final class SwiftWindow implements CongestionControl {
  /** Packets at the start and after idleness. Source: {@link Aimd#INITIAL_PACKETS}. */
  public static final int INITIAL_PACKETS = Aimd.INITIAL_PACKETS;

  /**
   * Unit of the window in the evenness term, bytes. A constant keeps it independent of the datagram
   * length.
   */
  private static final int EVEN_PACKET_BYTES = 1_408;

  /**
   * Least window, packets: 3,500 flows share a path that holds 109. The paper has 1/1000, for paths
   * a hundred times as wide.
   */
  static final double MINIMUM_PACKETS = 1.0 / 32;

  /**
   * Least window after cuts by delay alone, packets. Only losses show that the delay is a queue.
   * Own value.
   */
  static final int QUIET_MINIMUM_PACKETS = 1;

  /**
   * Least window after cuts by losses alone, packets. Like {@link Aimd#MINIMUM_PACKETS}: three
   * later packets must be able to show a loss.
   */
  static final int LOSSY_MINIMUM_PACKETS = Aimd.MINIMUM_PACKETS;

  /** max_mdf of the paper, 0..1: largest share of the window that one cut takes. */
  static final double CUT_MAX = 0.5;

  /** β of the paper, 0..1: share of the excess that a cut takes. */
  static final double CUT_GAIN = 0.8;

  /**
   * ai of the paper, packets each round trip. Half of the paper's value: with a whole packet,
   * windows of four to eight packets would grow multiplicatively (see {@link #GROWTH_MAX}).
   */
  static final double GROWTH_PACKETS = 0.5;

  /**
   * Largest growth of a window in one round trip, as a share of itself. Own value: 128 flows × half
   * a packet is half of what a short path holds.
   */
  static final double GROWTH_MAX = 1.0 / 8;

  /**
   * Packets up to which a window grows even if nothing fills it. At most the bytes of the initial
   * window, however long packets are now. Own value: one eighth of the initial window.
   */
  static final int UNUSED_PACKETS = 8;

  /**
   * Windows between which the target is scaled, packets: fs_min_cwnd and fs_max_cwnd of the paper.
   */
  static final double SCALED_PACKETS_MIN = 0.1;

  static final double SCALED_PACKETS_MAX = 100;

  /**
   * Rounds below the target after which the increase doubles each round, up to a quarter of the
   * window (TIMELY's hyperactive increase).
   */
  static final int LOW_ROUNDS = 5;

  /**
   * Late rounds in a row, at one packet or less, after which the base is raised. Own value: queues
   * of other flows do not stay late so long.
   */
  static final int LATE_ROUNDS = 32;

  /**
   * Least weight of a packet in the gap behind it, as a share of a full packet. Own value: short
   * packets also cost, where sockets and switches count packets.
   */
  static final double WEIGHT_MIN = 1.0 / 16;

  /** Longest gap between two packets, unless the round trip is longer, ns. */
  static final long GAP_NS_MAX = 50_000_000;

  /**
   * Time with nothing in flight after which the measurements of a path are void, ns. Also the time
   * for which a loss removes the floor.
   */
  static final long IDLE_NS = 1_000_000_000;

  /**
   * Least T, ns: 1.5 MiB at 3 GB/s over loopback, where batches and the scheduler are the queue.
   */
  public static final long TARGET_NS_MIN = 500_000;

  static final long TARGET_NS_MAX = 100_000_000;

  private static final double SCALE_OFFSET = 1 / Math.sqrt(SCALED_PACKETS_MAX);
  private static final double SCALE_SPAN = 1 / Math.sqrt(SCALED_PACKETS_MIN) - SCALE_OFFSET;

  private double packetBytes;

  /** Window of a path about which nothing is known. */
  private final double initialBytes;

  private final long configuredBytes;
  private final long longPathBytes;
  private double maximumBytes;
  private double mostBytes;
  private final long targetNs;

  // The window, and where slow start ends.
  private double windowBytes;
  private double thresholdBytes;
  private boolean isGuess = true;
  private boolean hasProgressSinceTimeout = true;

  // Both before the first of a row of expiries; 0: nothing to restore.
  private double priorWindowBytes;
  private double priorThresholdBytes;

  private final Flight flight = new Flight();

  /**
   * Time of the last send, acknowledgement or loss. A packet that waits for its resend counts as in
   * flight throughout.
   */
  private long lastActiveNs;

  // Round trips. 0: none seen.
  private final PathBase base = new PathBase();
  private final RoundJitter jitter = new RoundJitter();
  private long latestNs;

  // The round, and the rows of rounds.
  private boolean hasRound;
  private long roundStartNs;
  private long roundLeastNs = Long.MAX_VALUE;
  private long lastRoundLeastNs = Long.MAX_VALUE;
  private boolean isHeadDue;
  private int lowRounds;
  private int lateRow;
  private int lateRounds;
  private long lateLeastNs = Long.MAX_VALUE;

  private boolean isCut;
  private long lastCutNs;
  private boolean hasLost;
  private long lastLostNs;
  private final LossPeriod lossPeriod = new LossPeriod();

  /**
   * Uses one maximum for a path of any length.
   *
   * @param packetBytes the path's datagram size, 1..65,507
   * @param maximumBytes upper limit of the window; below four packets it counts as four packets
   * @param targetNs T: the round trip aimed at on a path shorter than half of it, 500 µs..100 ms
   */
  public SwiftWindow(int packetBytes, long maximumBytes, long targetNs) {
    this(packetBytes, maximumBytes, maximumBytes, targetNs);
  }

  /**
   * Uses a maximum that follows the length of the path.
   *
   * @param maximumBytes upper limit of the window on a path of up to {@link PathRoom#FAST_PATH_NS}
   * @param longPathBytes upper limit on any path; the maximum grows towards it as the round trip
   *     without queue grows
   */
  public SwiftWindow(int packetBytes, long maximumBytes, long longPathBytes, long targetNs) {
    if (packetBytes < 1 || packetBytes > 65_507) {
      throw new IllegalArgumentException("packetBytes=" + packetBytes + ", valid: 1..65507");
    }
    if (maximumBytes < 1) {
      throw new IllegalArgumentException("maximumBytes=" + maximumBytes + ", valid: at least 1");
    }
    if (targetNs < TARGET_NS_MIN || targetNs > TARGET_NS_MAX) {
      throw new IllegalArgumentException("targetNs=" + targetNs + ", valid: 500000..100000000");
    }
    this.packetBytes = packetBytes;
    this.initialBytes = INITIAL_PACKETS * this.packetBytes;
    this.configuredBytes = maximumBytes;
    this.longPathBytes = Math.max(maximumBytes, longPathBytes);
    this.maximumBytes = Math.max((double) LOSSY_MINIMUM_PACKETS * packetBytes, maximumBytes);
    this.targetNs = targetNs;
    this.windowBytes = Math.min(this.maximumBytes, INITIAL_PACKETS * this.packetBytes);
    this.mostBytes = Math.max(this.maximumBytes, this.longPathBytes);
    this.thresholdBytes = mostBytes;
  }

  /**
   * Returns T for a path whose retransmission timer starts at {@code timerNs}: one eighth of it, at
   * least {@link #TARGET_NS_MIN}. The timer is longer than any round trip of a healthy path. 4 ms
   * of the profile lan give 512 µs, 33 ms of lossy 4.1 ms, 131 ms of wan 16 ms.
   */
  public static long targetNs(long timerNs) {
    return Math.max(TARGET_NS_MIN, Math.min(TARGET_NS_MAX, timerNs / 8));
  }

  @Override
  public boolean onSent(int bytes, long nowNs) {
    if (flight.bytes() == 0 && latestNs != 0 && nowNs - lastActiveNs >= IDLE_NS) {
      onIdle(nowNs);
    }
    lastActiveNs = nowNs;
    flight.onSent(bytes);
    base.onSent(flight.bytes(), packetBytes, nowNs);
    boolean isWanted = isHeadDue && wasUsed();
    isHeadDue = false;
    return isWanted;
  }

  private void onIdle(long nowNs) {
    base.onIdle(nowNs);
    jitter.interrupt();
    windowBytes = Math.min(windowBytes, INITIAL_PACKETS * packetBytes);
    isGuess = true;
    lowRounds = 0;
    lateRow = 0;
    lateRounds = 0;
    roundLeastNs = Long.MAX_VALUE;
    lastRoundLeastNs = Long.MAX_VALUE;
  }

  @Override
  public void onRoundTrip(long rttNs, long sentAtNs, long nowNs) {
    latestNs = Math.max(1, rttNs);
    boolean wasDraining = base.isDraining();
    base.onSample(latestNs, sentAtNs, nowNs);
    if (wasDraining && !base.isDraining()) {
      onDrained();
    }
    roundLeastNs = Math.min(roundLeastNs, latestNs);
    if (isGuess && latestNs > pathTargetNs() && flight.peakBytes() <= windowBytes * GROWTH_MAX) {
      isGuess = false;
      windowBytes = Math.min(windowBytes, packetBytes);
      beginRound(nowNs);
    } else if (!hasRound) {
      beginRound(nowNs);
    } else if (sentAtNs - roundStartNs >= 0) {
      endRound(nowNs);
    }
  }

  /** Restores the window by slow start. One burst would be longer than many queues. */
  private void onDrained() {
    thresholdBytes = Math.max(thresholdBytes, windowBytes);
    windowBytes = Math.min(windowBytes, INITIAL_PACKETS * packetBytes);
  }

  /** Returns the round trip without queue, ns; 0 without a sample. */
  long pathBaseNs() {
    return base.ns();
  }

  /** Returns the round trip aimed at with the present window, ns. */
  long pathTargetNs() {
    double root = Math.sqrt(windowBytes / packetBytes);
    double evenRoot = Math.sqrt(windowBytes / EVEN_PACKET_BYTES);
    double scale = Math.max(0, Math.min(1, (1 / root - SCALE_OFFSET) / SCALE_SPAN));
    long baseNs = pathBaseNs();
    double evenNs =
        Math.max(0, baseNs / 4 - RoundJitter.TARGETS_MAX * targetNs)
            * Math.min(1, Math.sqrt(baseNs / (targetNs * 0.5)) / evenRoot);
    long roomNs =
        Math.max(jitter.roomNs(targetNs), Math.max(targetNs / 2, baseNs / 4)) + (long) evenNs;
    long plainNs = Math.max(targetNs, baseNs + roomNs);
    return plainNs + (long) (targetNs / 2 * scale);
  }

  /** Returns the round trip below which the path is almost empty, ns. */
  private long halfwayNs() {
    long baseNs = pathBaseNs();
    return baseNs + (pathTargetNs() - baseNs) / 2;
  }

  private void endRound(long nowNs) {
    long signalNs = roundLeastNs;
    jitter.measure(signalNs);
    long halfwayNs = halfwayNs();
    lowRounds = signalNs <= pathTargetNs() ? lowRounds + 1 : 0;
    if (Math.min(signalNs, lastRoundLeastNs) > halfwayNs && windowBytes < thresholdBytes) {
      thresholdBytes = windowBytes;
    }
    long pathTargetNs = pathTargetNs();
    boolean isLate = signalNs > pathTargetNs;
    boolean isPause = lateRow == 0 && windowBytes > packetBytes;
    lateRow = isLate ? lateRow + 1 : 0;
    boolean wasCut = isCut && lastCutNs - roundStartNs > 0;
    if (isLate && !isPause && !wasCut) {
      double excess = (double) (signalNs - pathTargetNs) / signalNs;
      cutTo(windowBytes * Math.max(1 - CUT_GAIN * excess, 1 - CUT_MAX), floorBytes(nowNs), nowNs);
    }
    lift(isLate);
    isGuess &= !wasUsed();
    beginRound(nowNs);
  }

  private void beginRound(long nowNs) {
    isHeadDue = windowBytes < Math.min(thresholdBytes, roomBytes()) || pathBaseNs() > targetNs / 2;
    hasRound = true;
    roundStartNs = nowNs;
    lastRoundLeastNs = roundLeastNs;
    roundLeastNs = Long.MAX_VALUE;
  }

  /**
   * Raises the base after lasting lateness at one packet or less. With so little in flight, the
   * delay is not a queue.
   */
  private void lift(boolean isLate) {
    if (!isLate || windowBytes > packetBytes) {
      lateRounds = 0;
      lateLeastNs = Long.MAX_VALUE;
      return;
    }
    lateLeastNs = Math.min(lateLeastNs, roundLeastNs);
    if (++lateRounds >= LATE_ROUNDS) {
      lateRounds = 0;
      base.lift(lateLeastNs);
      lateLeastNs = Long.MAX_VALUE;
      thresholdBytes = mostBytes;
    }
  }

  private boolean hasLostLately(long nowNs) {
    return hasLost && nowNs - lastLostNs < IDLE_NS;
  }

  private double floorBytes(long nowNs) {
    return packetBytes * (hasLostLately(nowNs) ? MINIMUM_PACKETS : QUIET_MINIMUM_PACKETS);
  }

  private void cutTo(double bytes, double floorBytes, long nowNs) {
    priorWindowBytes = 0; // There is a queue, or a loss, after all.
    windowBytes = Math.min(windowBytes, Math.max(floorBytes, bytes));
    thresholdBytes = windowBytes;
    isGuess = false;
    lowRounds = 0;
    isCut = true;
    lastCutNs = nowNs;
  }

  @Override
  public void onAcknowledged(int bytes, long rttNs, long nowNs) {
    hasProgressSinceTimeout = true;
    if (wasUsed() || windowBytes < Math.min(UNUSED_PACKETS * packetBytes, initialBytes)) {
      grow(bytes);
    }
    countLoss(bytes, 0, nowNs);
    flight.onLeft(bytes);
    lastActiveNs = nowNs;
  }

  private boolean wasUsed() {
    return flight.recentPeakBytes() >= windowBytes / 2;
  }

  private void grow(int bytes) {
    double grown = windowBytes;
    if (windowBytes < thresholdBytes) {
      grown += latestNs <= halfwayNs() ? bytes : 0;
    } else if (Math.min(roundLeastNs, lastRoundLeastNs) <= pathTargetNs()) {
      double share = Math.min(GROWTH_MAX, GROWTH_PACKETS * packetBytes / windowBytes);
      if (lowRounds > LOW_ROUNDS) {
        share = Math.min(2 * GROWTH_MAX, share * (1L << Math.min(20, lowRounds - LOW_ROUNDS)));
      }
      grown += share * bytes;
    }
    windowBytes = Math.min(roomBytes(), grown);
  }

  /** Returns the upper limit of the window for the length of this path. */
  private double roomBytes() {
    return PathRoom.bytes(maximumBytes, mostBytes, pathBaseNs());
  }

  @Override
  public void onLost(int bytes, long sentAtNs, long nowNs) {
    flight.onLeft(bytes);
    lastActiveNs = nowNs;
    priorWindowBytes = 0;
    boolean isNew = !isCut || sentAtNs - lastCutNs > 0;
    if (isQueued()) {
      hasLost = true;
      lastLostNs = nowNs;
      if (isNew) {
        cutTo(windowBytes * (1 - CUT_MAX), floorBytes(nowNs), nowNs);
      }
    } else if (isNew) {
      countLoss(bytes, bytes, nowNs);
    }
  }

  /**
   * Returns whether this round, so far, and the last are late. If nothing is known of this round
   * yet, the last two count.
   */
  private boolean isQueued() {
    return roundLeastNs == Long.MAX_VALUE
        ? lateRow > 1
        : lateRow > 0 && roundLeastNs > pathTargetNs();
  }

  private void countLoss(int bytes, int lostBytes, long nowNs) {
    if (lossPeriod.count(bytes, lostBytes, packetBytes)) {
      cutTo(windowBytes * (1 - CUT_MAX), LOSSY_MINIMUM_PACKETS * packetBytes, nowNs);
    }
  }

  @Override
  public void onWithdrawn(int bytes) {
    flight.onLeft(bytes);
  }

  @Override
  public void onPacketLength(int bytes) {
    packetBytes = bytes;
    maximumBytes = Math.max((double) LOSSY_MINIMUM_PACKETS * bytes, configuredBytes);
    mostBytes = Math.max(maximumBytes, longPathBytes);
    windowBytes = Math.min(windowBytes, mostBytes);
    thresholdBytes = Math.min(thresholdBytes, mostBytes);
  }

  @Override
  public void onTimeout(long nowNs) {
    double former = windowBytes;
    double formerThreshold = thresholdBytes;
    hasLost = true;
    lastLostNs = nowNs;
    // A row of expiries is one event. Only the first shows at which window the path failed.
    double threshold = hasProgressSinceTimeout ? former / 2 : thresholdBytes;
    double bytes = hasProgressSinceTimeout ? packetBytes : former / 2;
    double priorBytes = hasProgressSinceTimeout ? former : priorWindowBytes;
    double priorThreshold = hasProgressSinceTimeout ? formerThreshold : priorThresholdBytes;
    cutTo(bytes, MINIMUM_PACKETS * packetBytes, nowNs);
    thresholdBytes = Math.max(windowBytes, threshold);
    priorWindowBytes = priorBytes;
    priorThresholdBytes = priorThreshold;
    hasProgressSinceTimeout = false;
  }

  @Override
  public void onTimeoutSpurious(long nowNs) {
    if (priorWindowBytes > 0) {
      windowBytes = Math.max(windowBytes, priorWindowBytes);
      thresholdBytes = Math.max(thresholdBytes, priorThresholdBytes);
      priorWindowBytes = 0;
      hasLost = false; // only an expiry had set it
    }
  }

  @Override
  public void onMoved(boolean isOtherHost, long nowNs) {
    if (isOtherHost) {
      onIdle(nowNs);
      jitter.restart();
      windowBytes = Math.min(maximumBytes, INITIAL_PACKETS * packetBytes);
      thresholdBytes = mostBytes;
      base.restart();
      latestNs = 0;
      hasLost = false;
    }
    priorWindowBytes = 0;
    hasProgressSinceTimeout = true;
    isCut = true; // As after a cut: packets sent before do not cut the window.
    lastCutNs = nowNs;
  }

  @Override
  public long windowBytes() {
    return (long)
        (base.isDraining()
            ? Math.min(windowBytes, PathBase.DRAIN_PACKETS * packetBytes)
            : windowBytes);
  }

  @Override
  public long sendGapNs(int bytes) {
    if (windowBytes >= packetBytes) {
      return 0;
    }
    // A pause also makes a round trip long. The window already accounts for the time above the
    // target.
    long rttNs = Math.min(lastRoundLeastNs, pathTargetNs());
    double weight = Math.max(bytes, packetBytes * WEIGHT_MIN);
    return Math.min(Math.max(rttNs, GAP_NS_MAX), (long) (rttNs * weight / windowBytes));
  }

  @Override
  public boolean boundsResends() {
    return true;
  }

  @Override
  public String toString() {
    return String.format(
        "Swift[%.2f packets, threshold %.2f, in flight %,d bytes, round trip %,d ns, base %,d, target %,d]",
        windowBytes / packetBytes,
        thresholdBytes / packetBytes,
        flight.bytes(),
        latestNs,
        pathBaseNs(),
        pathTargetNs());
  }
}
