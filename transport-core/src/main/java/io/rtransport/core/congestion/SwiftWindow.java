package io.rtransport.core.congestion;

/**
 * Congestion control by delay, after Kumar et al., "Swift: Delay is Simple and Effective for
 * Congestion Control in the Datacenter" (SIGCOMM 2020): the round trip is steered to a target, so
 * that the queue of the narrowest link stays short, and a loss alone says nothing.
 *
 * <pre>
 *   target = max(T, base + max(T/2, base/4, min(4 · jitter, 3 T)) + evenness) + T/2 · scale(window)
 *   base: {@link PathBase}
 *   evenness = max(0, base/4 − 3 T) · min(1, 1/√(window · (T/2)/base)), window in 1,408 bytes:
 *   those that are sent in T/2
 *   jitter += (|delay − delay of the round before| − jitter) / 16
 *   scale  = (1/√window − 1/√100) / (1/√0.1 − 1/√100), in 0..1, window in packets
 *
 *   a round ends with the answer to a packet sent in it:
 *     delay ≤ target the window grows by half a packet a round trip, and by an eighth of itself at
 *     the most
 *     delay > target × max(1 − β·(delay − target)/delay, 1 − max_mdf), once a round, from the
 *     second in a row where the window is above a packet
 *   loss × (1 − max_mdf), once a round trip, if this round and the last are above the target or a
 *   sixth of all is lost; else nothing
 *   ADP expiry         one packet; half of it at each further one in a row
 *   below one packet   after a packet, its share of the window in round trips: {@link #sendGapNs}
 * </pre>
 *
 * <p><b>The target</b> T is the configuration's. Below T/2 the base does not count: flows that came
 * when a queue stood there already measure a longer base, and must not aim higher for it. On longer
 * paths the queue may take T/2, or a quarter of the base. <b>Flow scaling</b>: the more flows share
 * a link the smaller their windows and the larger the fluctuation of their sum; the term that grows
 * with 1/√window gives them the room, and gives the smaller of two windows the higher target, which
 * makes them equal also where additive increase does not. On a long path windows are larger for the
 * path's length alone, so <b>evenness</b> does the same there by what is sent in T/2, which is a
 * rate: 200 packets at 20 ms are as few as 2.5 at 0.25 ms. It takes what a queue may have there
 * beyond the most room for jitter, so that jitter never makes windows uneven.
 *
 * <p><b>Bursts.</b> A window leaves in bursts, and the last packet of a burst waits behind all of
 * it: its round trip says how long the burst is, not what stands in the queue. So in slow start,
 * and on paths longer than T/2, the first packet of each round asks for an acknowledgement, and the
 * least of the round is that of its head.
 *
 * <p><b>Pauses.</b> A process that stands still for 50 ms (garbage collection) sees every answer of
 * that time late, and so does its peer. The signal is the least round trip of a round, and the
 * first late round in a row cuts nothing from a window above a packet: the round after a pause has
 * seen packets that were sent after it. What a pause makes expire comes back at once where the
 * expiry proves needless, else by slow start up to half of the former window.
 *
 * <p><b>Jitter.</b> Where the hosts are busy a process waits for its processor, now and then, for
 * as long as a queue of hundreds of packets would take: rounds that follow each other are far
 * apart. A queue that stands is in both, so what they are apart, measured as RTP does (RFC 3550,
 * 6.4.1), is no sign of one, and the target leaves room for it. A queue that is full is still, and
 * so gives none; the swing of windows that are cut is jitter too, which is one reason for the room
 * to end. This, and a first late round that cuts nothing, is what makes random losses harmless over
 * loopback.
 *
 * <p><b>Delay that is no queue of ours.</b> As long as nothing is lost the window stays at a packet
 * or more. A loss that comes late takes this floor away for a second: with a thousand flows the
 * fair share is a tenth of a packet. If {@value #LATE_ROUNDS} rounds in a row are late at a packet
 * or less, the path is longer, or the hosts are busy: their least round trip counts as base from
 * then on, until a shorter one is seen.
 *
 * <p><b>Start and idleness.</b> 64 packets, as {@link Aimd} has it and for its reasons; slow start
 * as long as the delay is below halfway from base to target. A window that was never in flight is a
 * guess (so is that of a path that was idle for a second, which falls back to 64 packets): if the
 * first answer is late, it falls to one packet and begins slow start from there. A window grows by
 * what fills half of it, for more would be untested; but up to {@value #UNUSED_PACKETS} packets by
 * anything, or the pauses of busy hosts would keep a flow of short messages, which fills nothing,
 * at a packet for ever.
 *
 * <p>Windows are doubles: the shares added by an acknowledgement are far below a byte, and
 * quotients and roots of binary64 are the same on every machine (since Java 17), so a simulation's
 * trace is.
 */
public final class SwiftWindow implements CongestionControl {
  /** Packets at the start and after idleness. Source: {@link Aimd#INITIAL_PACKETS}. */
  public static final int INITIAL_PACKETS = Aimd.INITIAL_PACKETS;

  /**
   * What evenness counts windows in, so that it does not depend on the length of datagrams, bytes.
   */
  private static final int EVEN_PACKET_BYTES = 1_408;

  /**
   * Least window, packets: 3,500 flows share a path that holds 109. The paper has 1/1000, of paths
   * a hundred times as wide.
   */
  static final double MINIMUM_PACKETS = 1.0 / 32;

  /**
   * Packets below which delay alone does not take the window: it takes losses to show that it is a
   * queue. Ours.
   */
  static final int QUIET_MINIMUM_PACKETS = 1;

  /**
   * Packets below which losses alone do not: as {@link Aimd#MINIMUM_PACKETS}, three later ones must
   * be able to show a loss.
   */
  static final int LOSSY_MINIMUM_PACKETS = Aimd.MINIMUM_PACKETS;

  /** max_mdf of the paper, 0..1: the most that one cut takes. */
  static final double CUT_MAX = 0.5;

  /** β of the paper, 0..1: how much of the excess a cut takes. */
  static final double CUT_GAIN = 0.8;

  /**
   * ai of the paper, packets a round trip. Half of its value: at a window of four to eight packets
   * a whole one is a multiplicative increase, below.
   */
  static final double GROWTH_PACKETS = 0.5;

  /**
   * No window grows by more than this share of itself in a round trip. Ours: 128 flows × half a
   * packet is half of what a short path holds.
   */
  static final double GROWTH_MAX = 1.0 / 8;

  /**
   * Packets that a window comes back to though nothing fills it, however long they are no more than
   * it had at the start. Ours: an eighth of that.
   */
  static final int UNUSED_PACKETS = 8;

  /**
   * Windows between which the target is scaled, packets: fs_min_cwnd and fs_max_cwnd of the paper.
   */
  static final double SCALED_PACKETS_MIN = 0.1;

  static final double SCALED_PACKETS_MAX = 100;

  /**
   * After so many rounds below the target the increase doubles each round, to a quarter of the
   * window at the most (TIMELY's hyperactive increase).
   */
  static final int LOW_ROUNDS = 5;

  /**
   * Late rounds in a row, at one packet or less, after which the base is another. Ours: others'
   * queues are not late so long.
   */
  static final int LATE_ROUNDS = 32;

  /**
   * A packet counts as at least so much of a full one in the gap behind it. Ours: short ones are
   * not free where packets are counted, in sockets and switches.
   */
  static final double WEIGHT_MIN = 1.0 / 16;

  /** Longest gap between two packets beside the round trip, ns. */
  static final long GAP_NS_MAX = 50_000_000;

  /**
   * A path with nothing in flight for so long is not the path that was measured, ns. Also how long
   * a loss takes the floor away.
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

  /** What a path takes that nothing is known of. */
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

  // Both as they were before the first of a row of expiries; 0: nothing to be given back.
  private double priorWindowBytes;
  private double priorThresholdBytes;

  private final Flight flight = new Flight();

  /**
   * When something was last sent, acknowledged or lost: what waits for a resend is in flight all
   * the time.
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

  // Cuts and losses.
  private boolean isCut;
  private long lastCutNs;
  private boolean hasLost;
  private long lastLostNs;
  private final LossPeriod lossPeriod = new LossPeriod();

  /**
   * @param packetBytes the path's datagram size, 1..65,507
   * @param maximumBytes the window never passes it; below four packets it counts as four packets
   * @param targetNs T: the round trip aimed at on a path shorter than half of it, 500 µs..100 ms
   */
  public SwiftWindow(int packetBytes, long maximumBytes, long targetNs) {
    this(packetBytes, maximumBytes, maximumBytes, targetNs);
  }

  /**
   * As above, with a maximum that follows the length of the path.
   *
   * @param maximumBytes the window never passes it on a path of up to {@link PathRoom#FAST_PATH_NS}
   * @param longPathBytes nor this on any path; the maximum grows towards it as the round trip
   *     without queue does
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
   * T for a path whose retransmission timer starts at {@code timerNs}: an eighth of it, at least
   * {@link #TARGET_NS_MIN}. The timer says how long a healthy path never takes: 4 ms of the profile
   * lan give 512 µs, 33 ms of lossy 4.1 ms, 131 ms of wan 16 ms.
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

  /**
   * The window does not come back in one burst, which would be longer than many a queue, but by
   * slow start.
   */
  private void onDrained() {
    thresholdBytes = Math.max(thresholdBytes, windowBytes);
    windowBytes = Math.min(windowBytes, INITIAL_PACKETS * packetBytes);
  }

  /** The round trip without queue, ns; 0 without a sample. */
  long pathBaseNs() {
    return base.ns();
  }

  /** The round trip aimed at with the window as it is, ns. */
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

  /** Below it the path is as good as empty, ns. */
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

  /** Late though next to nothing is in flight: if that lasts it is not a queue. */
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
    priorWindowBytes = 0; // there is a queue, or a loss, after all
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

  /** The most that the window may be on a path as long as this one is. */
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
   * Whether this round, so far, and the last are late, or the last two where nothing is known of
   * this one yet.
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
    // A row of expiries is one event: only the first says at which window the path failed.
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
      hasLost = false; // an expiry alone had said so
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
    isCut = true; // as after a cut: what was sent before does not cut the window
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
    // A pause makes a round trip long, too: what is beyond the target the window answers for.
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
