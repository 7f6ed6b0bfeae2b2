package io.rtransport.core.solicitation;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Decides how much the receivers of a node may have granted together that has not arrived: about
 * two round trips of the rate at which granted bytes have come in. Many senders that are granted
 * more at once only fill the queue before this node's link, and lose packets there. One connection
 * that alone is granted anything is not limited.
 *
 * <p>Bytes count in proportion to the round trip, so that a long path, on which more must be ahead,
 * takes no more of it than a short one: {@code n} bytes on a path of {@code r} count as {@code n ·
 * 0.5 ms / r}, and together they may be two times what arrives in 0.5 ms. A shorter round trip
 * counts as 0.5 ms: an event loop's turn takes some of that.
 *
 * <p>The round trip is the smoothed one, which knows how long hosts take. Where packets are missing
 * it may hold a queue that grows with what is granted: for 100 ms after a gap it counts no more
 * than twice the least.
 *
 * <p>The rate is the highest of all periods of 1 ms and longer. It falls only by periods in which a
 * grant had to wait: in others the senders had no more to send. Before the first one is over, 256
 * KiB are granted at the most, of any path, to connections that are not alone.
 *
 * <p>Nobody waits here for ever. What counts goes with its bytes, with its message's end, or by
 * {@link GrantDoubt} after four round trips in which it sends too little; each of these tells the
 * head of the queue, which needs at most 16 KiB, and {@link #LEAST_BYTES} are always granted. A
 * turn that is told is used or passed on before the connection's burst ends. Where the head waits
 * for the budget, those whose bytes are reserved look again each {@link #PERIOD_NS} and go on
 * before it.
 *
 * <p>Thread-safe. Room is looked at and then taken: each connection may pass the limit by one
 * grant.
 */
final class IncastLimit {
  /** Granted before a rate is measured, bytes. */
  static final long UNMEASURED_BYTES = 256 << 10;

  /** At any rate: eight grants of {@link SolicitationConfig#GRANT_BYTES_MIN}. */
  static final long LEAST_BYTES = 128 << 10;

  /** A path counts as no shorter, ns. */
  static final long ROUND_TRIP_NS_MIN = 500_000;

  static final long PERIOD_NS = 1_000_000;
  static final long GAP_NS = 100_000_000;
  private static final int FALL_SHIFT = 4;
  private static final double SECOND_NS = 1e9;

  private final AtomicLong aheadUnits = new AtomicLong();
  private final AtomicLong arrivedBytes = new AtomicLong();
  private volatile double bytesPerSecond;
  private volatile boolean isOpen;
  private volatile long sinceNs;
  private volatile boolean wasShort;
  private volatile boolean isLosing;
  private volatile long gapNs;

  /** What counts as one round trip of a path, ns. */
  long roundTripNs(long smoothedNs, long leastNs) {
    return bytesPerSecond == 0
        ? ROUND_TRIP_NS_MIN
        : Math.max(ROUND_TRIP_NS_MIN, isLosing ? Math.min(2 * leastNs, smoothedNs) : smoothedNs);
  }

  /** As how much {@code bytes} count on a path with that round trip. */
  static long units(long bytes, long roundTripNs) {
    return (long) Math.ceil((double) bytes * ROUND_TRIP_NS_MIN / roundTripNs);
  }

  /** How much may be ahead. */
  private long limitUnits() {
    return bytesPerSecond == 0
        ? UNMEASURED_BYTES
        : Math.max(LEAST_BYTES, (long) (2 * bytesPerSecond * ROUND_TRIP_NS_MIN / SECOND_NS));
  }

  /**
   * Bytes that a connection may still be granted; may be below 0. One that alone is granted
   * anything makes no incast: its peer's congestion control sees the queue that it makes.
   *
   * @param ownUnits what counts of that connection now
   * @param roundTripNs of its path
   */
  long roomBytes(long ownUnits, long roundTripNs) {
    return isAlone(ownUnits)
        ? Long.MAX_VALUE
        : (long) ((double) roomUnits() * roundTripNs / ROUND_TRIP_NS_MIN);
  }

  /** Whether {@code units} more may be granted to a connection of which {@code ownUnits} count. */
  boolean hasRoom(long units, long ownUnits) {
    return isAlone(ownUnits) || units <= roomUnits();
  }

  private boolean isAlone(long ownUnits) {
    return ownUnits == aheadUnits.get();
  }

  /**
   * What {@code bytes} more count of a connection: as long as it is alone no more than half of the
   * limit together, so that it keeps the other half free for the next.
   */
  long countedUnits(long bytes, long ownUnits, long roundTripNs) {
    long units = units(bytes, roundTripNs);
    return isAlone(ownUnits) ? Math.min(units, Math.max(0, limitUnits() / 2 - ownUnits)) : units;
  }

  long roomUnits() {
    return limitUnits() - aheadUnits.get();
  }

  /** What counts now; 0 when nothing is granted ahead. */
  long aheadUnits() {
    return aheadUnits.get();
  }

  void onAhead(long changeUnits) {
    long units = aheadUnits.addAndGet(changeUnits);
    assert units >= 0 : "granted ahead below zero: " + units;
  }

  /** A grant has to wait. */
  void onShort() {
    wasShort = true;
  }

  /**
   * The end of a burst that brought so many granted bytes.
   *
   * @param hasGap whether packets of that connection are missing
   */
  void onArrived(long bytes, boolean hasGap, long nowNs) {
    if (hasGap) {
      gapNs = nowNs;
      isLosing = true;
    }
    arrivedBytes.addAndGet(bytes);
    if (!isOpen || nowNs - sinceNs >= PERIOD_NS) {
      endPeriod(nowNs);
    }
  }

  private synchronized void endPeriod(long nowNs) {
    long elapsedNs = nowNs - sinceNs;
    if (isOpen && elapsedNs < PERIOD_NS) {
      return; // another loop was first
    }
    isLosing = isLosing && nowNs - gapNs < GAP_NS;
    long bytes = arrivedBytes.getAndSet(0);
    if (isOpen) {
      double sample = bytes * SECOND_NS / elapsedNs;
      double rate = bytesPerSecond;
      if (sample > rate) {
        bytesPerSecond = sample;
      } else if (wasShort) {
        bytesPerSecond = rate - (rate - sample) / (1 << FALL_SHIFT);
      }
    }
    wasShort = false;
    isOpen = true;
    sinceNs = nowNs;
  }
}
