package io.rtransport.core.solicitation;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Limit of the bytes that the receivers of a node together may have granted and not received. It is
 * about two round trips of the rate at which granted bytes have come in. If many senders are
 * granted more at once, they only fill the queue before this node's link and lose packets there. A
 * connection that alone is granted anything is not limited.
 *
 * <p>Bytes count in proportion to the round trip, because more must be ahead on a long path. So a
 * long path takes no more of the limit than a short one. {@code n} bytes on a path of {@code r}
 * count as {@code n · 0.5 ms / r}. All together they may be two times what arrives in 0.5 ms. A
 * shorter round trip counts as 0.5 ms, because an event loop's turn takes a part of that.
 *
 * <p>The round trip is the smoothed one, which includes the time that hosts take. When packets are
 * missing, it may include a queue that grows with the grants. So for 100 ms after a gap it counts
 * as no more than twice the least round trip.
 *
 * <p>The rate is the highest of all periods of 1 ms and longer. It falls only after periods in
 * which a grant had to wait: in other periods the senders had no more to send. Before the first
 * period is over, connections that are not alone are granted 256 KiB at the most, on any path.
 *
 * <p>Nobody waits here for ever. Counted bytes stop counting when they arrive, when their message
 * ends, or by {@link GrantDoubt}, after four round trips in which the connection sends too little.
 * Each of these gives a turn to the head of the queue. The head needs at most 16 KiB, and {@link
 * #LEAST_BYTES} are always granted. A turn is used or passed on before the connection's burst ends.
 * If the head waits for the budget, connections whose bytes are reserved check again every {@link
 * #PERIOD_NS} and go on before it.
 *
 * <p>Thread-safe. Room is read first and taken later, so each connection may exceed the limit by
 * one grant.
 */
final class IncastLimit {
  /** Bytes that may be granted before a rate is measured. */
  static final long UNMEASURED_BYTES = 256 << 10;

  /** Least limit at any rate: eight grants of {@link SolicitationConfig#GRANT_BYTES_MIN}. */
  static final long LEAST_BYTES = 128 << 10;

  /** Shortest round trip that counts, ns. */
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

  /** Returns the round trip that counts for a path, ns. */
  long roundTripNs(long smoothedNs, long leastNs) {
    return bytesPerSecond == 0
        ? ROUND_TRIP_NS_MIN
        : Math.max(ROUND_TRIP_NS_MIN, isLosing ? Math.min(2 * leastNs, smoothedNs) : smoothedNs);
  }

  /** Returns how much {@code bytes} count on a path with that round trip. */
  static long units(long bytes, long roundTripNs) {
    return (long) Math.ceil((double) bytes * ROUND_TRIP_NS_MIN / roundTripNs);
  }

  /** Returns how much may be ahead. */
  private long limitUnits() {
    return bytesPerSecond == 0
        ? UNMEASURED_BYTES
        : Math.max(LEAST_BYTES, (long) (2 * bytesPerSecond * ROUND_TRIP_NS_MIN / SECOND_NS));
  }

  /**
   * Returns the bytes that a connection may still be granted; may be below 0. A connection that
   * alone is granted anything makes no incast: its peer's congestion control sees the queue that it
   * makes.
   *
   * @param ownUnits how much that connection's bytes count now
   * @param roundTripNs round trip of its path
   */
  long roomBytes(long ownUnits, long roundTripNs) {
    return isAlone(ownUnits)
        ? Long.MAX_VALUE
        : (long) ((double) roomUnits() * roundTripNs / ROUND_TRIP_NS_MIN);
  }

  /**
   * Returns whether {@code units} more may be granted to a connection whose bytes count {@code
   * ownUnits}.
   */
  boolean hasRoom(long units, long ownUnits) {
    return isAlone(ownUnits) || units <= roomUnits();
  }

  private boolean isAlone(long ownUnits) {
    return ownUnits == aheadUnits.get();
  }

  /**
   * Returns how much {@code bytes} more of a connection count. While the connection is alone, its
   * bytes together count no more than half of the limit. So the other half stays free for the next
   * connection.
   */
  long countedUnits(long bytes, long ownUnits, long roundTripNs) {
    long units = units(bytes, roundTripNs);
    return isAlone(ownUnits) ? Math.min(units, Math.max(0, limitUnits() / 2 - ownUnits)) : units;
  }

  long roomUnits() {
    return limitUnits() - aheadUnits.get();
  }

  /** Returns how much counts now; 0 when nothing is granted ahead. */
  long aheadUnits() {
    return aheadUnits.get();
  }

  void onAhead(long changeUnits) {
    long units = aheadUnits.addAndGet(changeUnits);
    assert units >= 0 : "granted ahead below zero: " + units;
  }

  /** Notes that a grant has to wait. */
  void onShort() {
    wasShort = true;
  }

  /**
   * Handles the end of a burst that brought {@code bytes} granted bytes.
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
