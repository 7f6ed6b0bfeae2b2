package io.rtransport.core.congestion;

/**
 * Congestion control by loss. The window grows by slow start, then by one packet each round trip. A
 * loss leaves seven tenths of it. An expiry of the ADP timer leaves the minimum.
 *
 * <p>An expiry that proves needless is undone. A host that paused for a moment has lost nothing.
 * Without this, two pauses would leave it four packets, growing by one each round trip.
 *
 * <ul>
 *   <li><b>Initial window, 64 packets</b> (90 KB at 1,408 bytes). Linux charges about 2,304 bytes
 *       for a datagram of 1,408 bytes. The default socket buffer of 212,992 bytes then holds about
 *       92 of them. So a first flight of 64 cannot overflow even a receiver without a larger
 *       buffer. It is more than one GSO send (46 packets), so the first flight already has the
 *       shape of the later ones. Four doublings reach 1,024 packets.
 *   <li><b>Maximum, 1.5 MiB</b> on a fast path. With more in flight than the second-level cache
 *       holds, every copy misses the cache. On a longer path it follows the least round trip
 *       ({@link PathRoom}).
 *   <li><b>Minimum, 4 packets</b>. With fewer in flight, three later packets can never show a loss,
 *       and every loss would cost a timeout.
 *   <li><b>One cut each round trip</b>. The loss of a packet sent at or before the last cut belongs
 *       to the same event. The acknowledgement of such a packet does not grow the window either.
 *   <li><b>No growth if unused</b>. If less than half of the window was in flight throughout this
 *       and the last round trip, it does not grow: such a window was never tested ({@link Flight}).
 * </ul>
 */
public final class Aimd implements CongestionControl {
  public static final int INITIAL_PACKETS = 64;
  public static final int MINIMUM_PACKETS = 4;
  public static final long DEFAULT_MAXIMUM_BYTES = 3L << 19;

  /**
   * Share of the window after a cut. 7/10 keeps a path with a short queue busy; one half would
   * empty the queue.
   */
  private static final int CUT_NUMERATOR = 7;

  private static final int CUT_DENOMINATOR = 10;

  private int packetBytes;
  private long minimumBytes;
  private final long configuredBytes;
  private final long longPathBytes;
  private long maximumBytes;
  private long mostBytes;
  private long leastRttNs;
  private long windowBytes;
  private long thresholdBytes;
  private final Flight flight = new Flight();
  private long grownBytes;
  private long lastCutNs;
  private boolean isCut;
  private boolean hasProgressSinceTimeout = true;

  // State before the last expiry, while that may prove needless; otherwise the window is 0.
  private long priorWindowBytes;
  private long priorThresholdBytes;
  private long priorCutNs;
  private boolean wasCut;

  /** Uses the defaults for packets of {@code packetBytes}. */
  public Aimd(int packetBytes) {
    this(packetBytes, DEFAULT_MAXIMUM_BYTES);
  }

  /**
   * Uses one maximum for a path of any length.
   *
   * @param packetBytes the path's datagram size, 1..65,507
   * @param maximumBytes upper limit of the window; below four packets it counts as four packets
   */
  public Aimd(int packetBytes, long maximumBytes) {
    this(packetBytes, maximumBytes, maximumBytes);
  }

  /**
   * Uses a maximum that follows the length of the path.
   *
   * @param maximumBytes upper limit of the window on a path of up to {@link PathRoom#FAST_PATH_NS}
   * @param longPathBytes upper limit on any path; the maximum grows towards it as the least round
   *     trip grows
   */
  public Aimd(int packetBytes, long maximumBytes, long longPathBytes) {
    if (packetBytes < 1 || packetBytes > 65_507) {
      throw new IllegalArgumentException("packetBytes=" + packetBytes + ", valid: 1..65507");
    }
    if (maximumBytes < 1) {
      throw new IllegalArgumentException("maximumBytes=" + maximumBytes + ", valid: at least 1");
    }
    this.packetBytes = packetBytes;
    this.configuredBytes = maximumBytes;
    this.longPathBytes = Math.max(maximumBytes, longPathBytes);
    this.minimumBytes = (long) MINIMUM_PACKETS * packetBytes;
    this.maximumBytes = Math.max(minimumBytes, maximumBytes);
    this.windowBytes = Math.min(this.maximumBytes, (long) INITIAL_PACKETS * packetBytes);
    this.mostBytes = Math.max(this.maximumBytes, this.longPathBytes);
    this.thresholdBytes = mostBytes;
  }

  @Override
  public void onRoundTrip(long rttNs, long sentAtNs, long nowNs) {
    leastRttNs = leastRttNs == 0 ? rttNs : Math.min(leastRttNs, rttNs);
  }

  @Override
  public boolean onSent(int bytes, long nowNs) {
    flight.onSent(bytes);
    return false;
  }

  @Override
  public void onAcknowledged(int bytes, long rttNs, long nowNs) {
    hasProgressSinceTimeout = true;
    boolean wasUsed = flight.recentPeakBytes() >= windowBytes >> 1;
    boolean wasSentBeforeCut = isCut && rttNs > 0 && nowNs - rttNs - lastCutNs <= 0;
    if (wasUsed && !wasSentBeforeCut) {
      grow(bytes);
    }
    flight.onLeft(bytes);
  }

  private void grow(int bytes) {
    if (windowBytes < thresholdBytes) {
      windowBytes = Math.min(roomBytes(), windowBytes + bytes);
      return;
    }
    // One packet for each acknowledged window, that is, each round trip. The rest is carried over.
    grownBytes += bytes;
    if (grownBytes >= windowBytes) {
      grownBytes -= windowBytes;
      windowBytes = Math.min(roomBytes(), windowBytes + packetBytes);
    }
  }

  /**
   * Returns the upper limit of the window for the length of this path, never less than the window.
   */
  private long roomBytes() {
    return Math.max(windowBytes, (long) PathRoom.bytes(maximumBytes, mostBytes, leastRttNs));
  }

  @Override
  public void onLost(int bytes, long sentAtNs, long nowNs) {
    flight.onLeft(bytes);
    priorWindowBytes = 0; // A packet was lost, so the expiry was not needless.
    if (isCut && sentAtNs - lastCutNs <= 0) {
      return;
    }
    cut(nowNs);
    windowBytes = thresholdBytes;
  }

  @Override
  public void onWithdrawn(int bytes) {
    flight.onLeft(bytes);
  }

  @Override
  public void onPacketLength(int bytes) {
    packetBytes = bytes;
    minimumBytes = (long) MINIMUM_PACKETS * bytes;
    maximumBytes = Math.max(minimumBytes, configuredBytes);
    mostBytes = Math.max(maximumBytes, longPathBytes);
    windowBytes = Math.max(minimumBytes, Math.min(mostBytes, windowBytes));
    thresholdBytes = Math.max(minimumBytes, Math.min(mostBytes, thresholdBytes));
  }

  @Override
  public void onTimeout(long nowNs) {
    if (hasProgressSinceTimeout) {
      priorWindowBytes = windowBytes;
      priorThresholdBytes = thresholdBytes;
      priorCutNs = lastCutNs;
      wasCut = isCut;
      cut(nowNs);
    }
    // A row of expiries is one event. Only the first shows at which window the path failed.
    hasProgressSinceTimeout = false;
    isCut = true;
    lastCutNs = nowNs;
    windowBytes = minimumBytes;
  }

  @Override
  public void onTimeoutSpurious(long nowNs) {
    if (priorWindowBytes > 0) {
      windowBytes = Math.max(windowBytes, priorWindowBytes);
      thresholdBytes = Math.max(thresholdBytes, priorThresholdBytes);
      lastCutNs = priorCutNs;
      isCut = wasCut;
      priorWindowBytes = 0;
    }
  }

  @Override
  public void onMoved(boolean isOtherHost, long nowNs) {
    if (isOtherHost) {
      windowBytes = Math.min(maximumBytes, (long) INITIAL_PACKETS * packetBytes);
      thresholdBytes = mostBytes;
      leastRttNs = 0;
      grownBytes = 0;
    }
    priorWindowBytes = 0;
    hasProgressSinceTimeout = true;
    isCut = true; // As after a cut: packets sent before neither cut nor grow the window.
    lastCutNs = nowNs;
  }

  private void cut(long nowNs) {
    thresholdBytes = Math.max(minimumBytes, windowBytes / CUT_DENOMINATOR * CUT_NUMERATOR);
    grownBytes = 0;
    isCut = true;
    lastCutNs = nowNs;
  }

  @Override
  public long windowBytes() {
    return windowBytes;
  }

  /**
   * Returns whether the window doubles each round trip. It is then still below the size at which it
   * last failed.
   */
  public boolean isSlowStart() {
    return windowBytes < thresholdBytes;
  }
}
