package io.rtransport.core.adp;

import java.util.random.RandomGenerator;

/**
 * The adaptive retransmission timer of one path: which value to arm now, after any run of expiries
 * and progress. It decides values only; the window sublayer holds the deadline, and {@link
 * NoProgressClock} the time without progress.
 *
 * <p>State: {@code exponent}, {@code range} (or none), timeouts at this exponent, timeouts in a
 * row. Two events move it:
 *
 * <pre>
 *            first onTimeout                        onTimeout, retry_num used up
 *   no range ───────────────▶ in range r, exponent e ──────────▶ e + 1, in r or in a later range
 *   (initial exponent)              ▲    │ onProgress above low: down by dec_mode
 *                                   └────┘ onProgress at low: into prev_range_index
 * </pre>
 *
 * With adaptation off (roce_adp_retrans_en = 0) the value is ack_timeout, always, and neither event
 * moves anything.
 *
 * <p>Loop-confined; no call allocates. Rules 1..8 are those of docs/reference/adp.md.
 */
public final class AdpTimer {
  /** {@link #rangeIndex} before the first timeout. */
  public static final int NO_RANGE = -1;

  /** adp_retx_base_timeout_min: no armed value is below it. */
  public static final long BASE_TIMEOUT_NS_MIN = AdpProfile.TIME_BASE_MICROS_MIN * 1_000L;

  /** The floor to pass to {@link #timeoutNs} before the path has its first round-trip sample. */
  public static final long FLOOR_UNSAMPLED_NS = 100_000_000;

  /** Doubling takes the floor up to this and no further. */
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

  // As it was before the first timeout of the last row of them.
  private int exponentBefore;
  private int rangeIndexBefore;
  private int timeoutsAtValueBefore;

  /**
   * Rule 1: the first exponent is drawn from the initial range, so that connections made together
   * do not expire together.
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
   * With a given first exponent instead of a drawn one, and values that are not spread.
   *
   * @throws InvalidProfileException if it lies outside the initial range, or as above
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
   * The value to arm now, in nanoseconds.
   *
   * @param floorNs max(SRTT + 4·RTTVAR + the peer's ack delay, 2 × the tail probe's delay), or
   *     {@link #FLOOR_UNSAMPLED_NS}; ignored if the profile is strict, and where adaptation is off
   */
  public long timeoutNs(long floorNs) {
    if (!isAdaptive) {
      return capNs; // at least 8.192 µs, and following no measurement either
    }
    // Rule 5, in this order. ADP flow: capped by ack_timeout whatever the ranges say; never below
    // adp_retx_base_timeout_min.
    long valueNs = Math.max(Math.min(profile.timeNs(exponent), capNs), BASE_TIMEOUT_NS_MIN);
    return followsPath ? spreadNs(Math.max(valueNs, raisedFloorNs(floorNs))) : valueNs;
  }

  /** {@link AdpParameters#followsPath}. */
  public boolean followsPath() {
    return followsPath;
  }

  /** Rule 8: what lost its packets in one queue must not come back to it in step. */
  private long spreadNs(long valueNs) {
    return valueNs >= FLOOR_NS_MAX
        ? valueNs
        : Math.min(FLOOR_NS_MAX, valueNs + (long) (valueNs * spread));
  }

  /**
   * Rule 7: the floor doubles with each timeout in a row, up to a second; a floor that is above
   * that already stays what it is.
   */
  private long raisedFloorNs(long floorNs) {
    if (floorNs <= 0 || floorNs >= FLOOR_NS_MAX) {
      return Math.max(0, floorNs);
    }
    return Math.min(FLOOR_NS_MAX, AdpProfile.saturatingShift(floorNs, timeoutsInRow));
  }

  /** The armed value has run out without progress. Moves to the value to arm next. */
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
   * Rule 2. ADP flow: the initial value is retried only once; a value in no range gives way to the
   * start range's low bound.
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
   * Rule 3: one exponent up inside the range, else into the first later range that reaches so far,
   * else it stays at the top.
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

  /** An acknowledgement retired at least one packet of the path. Rule 4. */
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
      // ADP flow: from the lowest value of a range on to the range before, there by that range's
      // own dec_mode.
      rangeIndex = range.prevRangeIndex();
      AdpRange previous = profile.range(rangeIndex);
      exponent =
          Math.min(previous.top(), previous.decMode().decrease(exponent, previous.lowBound()));
    }
  }

  /**
   * The last row of timeouts proved needless: the answers had only been late. Exponent, range and
   * spread are as before it, unless progress has brought them lower since. A strict profile keeps
   * what the flow says.
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

  /** Nanoseconds without progress at which the path gives up; 0: at the first expiry. Rule 6. */
  public long totalNs() {
    return totalNs;
  }

  /** The current exponent. */
  public int exponent() {
    return exponent;
  }

  /** The current range, or {@link #NO_RANGE}. */
  public int rangeIndex() {
    return rangeIndex;
  }

  /** Timeouts since the last progress, at most 64. */
  public int timeoutsInRow() {
    return timeoutsInRow;
  }
}
