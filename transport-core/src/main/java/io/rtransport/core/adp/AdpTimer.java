package io.rtransport.core.adp;

import java.util.random.RandomGenerator;

/**
 * Adaptive retransmission timer of one path. It decides which value to arm after any sequence of
 * expiries and progress. It decides values only. The window sublayer holds the deadline, and {@link
 * NoProgressClock} holds the time without progress.
 *
 * <p>State: {@code exponent}, {@code range} (or none), timeouts at this exponent, timeouts in a
 * row. Two events change it:
 *
 * <pre>
 *            first onTimeout                        onTimeout, retry_num used up
 *   no range ───────────────▶ in range r, exponent e ──────────▶ e + 1, in r or in a later range
 *   (initial exponent)              ▲    │ onProgress above low: down by dec_mode
 *                                   └────┘ onProgress at low: into prev_range_index
 * </pre>
 *
 * <p>With adaptation off (roce_adp_retrans_en = 0) the value is always ack_timeout, and neither
 * event changes anything.
 *
 * <p>Confined to the event loop; no call allocates. docs/reference/adp.md defines rules 1..8.
 */
public final class AdpTimer {
  /** Value of {@link #rangeIndex} before the first timeout. */
  public static final int NO_RANGE = -1;

  /** adp_retx_base_timeout_min: no armed value is below it. */
  public static final long BASE_TIMEOUT_NS_MIN = AdpProfile.TIME_BASE_MICROS_MIN * 1_000L;

  /** Floor to pass to {@link #timeoutNs} before the path has its first round-trip sample. */
  public static final long FLOOR_UNSAMPLED_NS = 100_000_000;

  /** Upper limit of the floor's doubling. */
  public static final long FLOOR_NS_MAX = 1_000_000_000;

  private final AdpProfile profile;
  private final boolean isAdaptive;
  private final boolean followsPath;
  private final long capNs;
  private final long totalNs;
  private final RandomGenerator random;
  private int exponent;
  private int rangeIndex = NO_RANGE;
  private int timeoutsAtValue;
  private int timeoutsInRow;
  private double spread;

  // State before the first timeout of the last row of timeouts.
  private int exponentBefore;
  private int rangeIndexBefore;
  private int timeoutsAtValueBefore;

  /**
   * Draws the first exponent from the initial range (rule 1). Connections made together then do not
   * expire together.
   *
   * @param random the connection's own seeded random
   * @throws InvalidProfileException if the total is made of an ack_timeout that is 0
   */
  public AdpTimer(AdpProfile profile, AdpParameters parameters, RandomGenerator random) {
    this(
        profile,
        parameters,
        profile.initLowBound() + random.nextInt(profile.initRangeSize()),
        random);
  }

  /**
   * Takes a given first exponent instead of a drawn one. The values are not spread.
   *
   * @throws InvalidProfileException if the exponent lies outside the initial range, or as above
   */
  public AdpTimer(AdpProfile profile, AdpParameters parameters, int initialExponent) {
    this(profile, parameters, initialExponent, null);
  }

  private AdpTimer(
      AdpProfile profile, AdpParameters parameters, int initialExponent, RandomGenerator random) {
    if (initialExponent < profile.initLowBound() || initialExponent > profile.initHighBound()) {
      throw new InvalidProfileException(
          "initial exponent",
          initialExponent,
          profile.initLowBound() + ".." + profile.initHighBound());
    }
    this.profile = profile;
    this.isAdaptive = parameters.adaptive();
    this.followsPath = parameters.followsPath();
    this.capNs = parameters.ackTimeoutNs();
    this.totalNs = profile.totalNs(parameters);
    this.exponent = initialExponent;
    this.random = random;
  }

  /**
   * Returns the value to arm now, in nanoseconds.
   *
   * @param floorNs max(SRTT + 4·RTTVAR + the peer's ack delay, 2 × the tail probe's delay), or
   *     {@link #FLOOR_UNSAMPLED_NS}; ignored with a strict profile and with adaptation off
   */
  public long timeoutNs(long floorNs) {
    if (!isAdaptive) {
      return capNs; // At least 8.192 µs. No measurement changes it.
    }
    // Rule 5, in this order. ADP flow: ack_timeout caps the value of any range, and the value is
    // never below adp_retx_base_timeout_min.
    long valueNs = Math.max(Math.min(profile.timeNs(exponent), capNs), BASE_TIMEOUT_NS_MIN);
    return followsPath ? spreadNs(Math.max(valueNs, raisedFloorNs(floorNs))) : valueNs;
  }

  /** Returns {@link AdpParameters#followsPath}. */
  public boolean followsPath() {
    return followsPath;
  }

  /**
   * Adds the random spread (rule 8). Connections that lost packets in one queue must not resend
   * into it at the same time.
   */
  private long spreadNs(long valueNs) {
    return valueNs >= FLOOR_NS_MAX
        ? valueNs
        : Math.min(FLOOR_NS_MAX, valueNs + (long) (valueNs * spread));
  }

  /**
   * Returns the raised floor (rule 7). The floor doubles with each timeout in a row, up to one
   * second. A floor that is already above one second stays as it is.
   */
  private long raisedFloorNs(long floorNs) {
    if (floorNs <= 0 || floorNs >= FLOOR_NS_MAX) {
      return Math.max(0, floorNs);
    }
    return Math.min(FLOOR_NS_MAX, AdpProfile.saturatingShift(floorNs, timeoutsInRow));
  }

  /** Moves to the next value to arm: the armed value has expired without progress. */
  public void onTimeout() {
    if (timeoutsInRow == 0) {
      exponentBefore = exponent;
      rangeIndexBefore = rangeIndex;
      timeoutsAtValueBefore = timeoutsAtValue;
    }
    timeoutsInRow = Math.min(timeoutsInRow + 1, Long.SIZE);
    spread = random == null ? 0 : random.nextDouble();
    if (!isAdaptive) {
      return;
    }
    if (rangeIndex == NO_RANGE) {
      onFirstTimeout();
      return;
    }
    // Rule 3. ADP flow: a value is used timeout_retry_num times, then doubled.
    timeoutsAtValue++;
    if (timeoutsAtValue >= profile.range(rangeIndex).retryNum()) {
      stepUp();
    }
  }

  /**
   * Moves on after the first timeout (rule 2). ADP flow: the initial value is retried only once. If
   * no range holds it, the start range's low bound follows.
   */
  private void onFirstTimeout() {
    for (int i = 0; i < profile.rangeCount(); i++) {
      if (profile.range(i).contains(exponent)) {
        rangeIndex = i;
        stepUp();
        return;
      }
    }
    rangeIndex = profile.startRangeIndex();
    moveTo(profile.range(rangeIndex).lowBound());
  }

  /**
   * Moves one exponent up inside the range (rule 3). Above the range it enters the first later
   * range that reaches the exponent. Without such a range the exponent stays at the top.
   */
  private void stepUp() {
    int next = exponent + 1;
    if (next <= profile.range(rangeIndex).top()) {
      moveTo(next);
      return;
    }
    for (int i = rangeIndex + 1; i < profile.rangeCount(); i++) {
      if (profile.range(i).top() >= next) {
        rangeIndex = i;
        moveTo(Math.max(profile.range(i).lowBound(), next));
        return;
      }
    }
    moveTo(profile.range(rangeIndex).top());
  }

  private void moveTo(int newExponent) {
    exponent = newExponent;
    timeoutsAtValue = 0;
  }

  /** Moves down: an acknowledgement retired at least one packet of the path (rule 4). */
  public void onProgress() {
    timeoutsInRow = 0;
    timeoutsAtValue = 0;
    spread = 0;
    if (rangeIndex == NO_RANGE) {
      return;
    }
    AdpRange range = profile.range(rangeIndex);
    if (exponent > range.lowBound()) {
      exponent = range.decMode().decrease(exponent, range.lowBound());
    } else if (rangeIndex > 0) {
      // ADP flow: from the lowest value of a range the timer enters the previous range. There it
      // decreases by that range's own dec_mode.
      rangeIndex = range.prevRangeIndex();
      AdpRange previous = profile.range(rangeIndex);
      exponent =
          Math.min(previous.top(), previous.decMode().decrease(exponent, previous.lowBound()));
    }
  }

  /**
   * Undoes the last row of timeouts: they were needless, because the answers were only late.
   * Exponent, range and spread return to their values before the row, unless progress has lowered
   * them since. A strict profile ignores this and follows the ADP flow.
   */
  public void onTimeoutsNeedless() {
    if (!followsPath || !isAdaptive) {
      return;
    }
    timeoutsInRow = 0;
    spread = 0;
    if (exponent > exponentBefore) {
      exponent = exponentBefore;
      rangeIndex = rangeIndexBefore;
      timeoutsAtValue = timeoutsAtValueBefore;
    }
  }

  /**
   * Returns the nanoseconds without progress after which the path gives up; 0: at the first expiry.
   * Rule 6.
   */
  public long totalNs() {
    return totalNs;
  }

  public int exponent() {
    return exponent;
  }

  /** Returns the current range, or {@link #NO_RANGE}. */
  public int rangeIndex() {
    return rangeIndex;
  }

  /** Returns the timeouts since the last progress, at most 64. */
  public int timeoutsInRow() {
    return timeoutsInRow;
  }
}
