package io.rtransport.core.adp;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Numbers that control {@link AdpTimer}: a base time, the first exponents, up to four ranges of
 * exponents, and the total after which the path gives up. Every time is {@code time_base <<
 * exponent} (ROCE_ACCL layout, adaptive retransmission profile).
 *
 * <p>Immutable; any thread. A profile takes effect on connections made after it was set.
 */
public final class AdpProfile {
  public static final int RANGE_COUNT_MAX = 4;
  public static final int TIME_UNIT_MICROSECONDS = 1;

  /** adp_retx_base_timeout_min, in microseconds: the lowest base and the lowest armed value. */
  public static final int TIME_BASE_MICROS_MIN = 4;

  public static final int TIME_BASE_MICROS_MAX = 1 << 15;
  static final int BYTE_MAX = 0xFF;
  static final int RETRY_NUM_MAX = 0x3FF;

  private final boolean qpTotalTimeout;
  private final int startRangeIndex;
  private final int timeBaseMicros;
  private final int retxTotalTimeout;
  private final int initLowBound;
  private final int initRangeSize;
  private final AdpRange[] ranges;

  private AdpProfile(Builder b) {
    qpTotalTimeout = b.qpTotalTimeout;
    startRangeIndex = b.startRangeIndex;
    timeBaseMicros = b.timeBaseMicros;
    retxTotalTimeout = b.totalExponent();
    initLowBound = b.initLowBound;
    initRangeSize = b.initRangeSize;
    ranges = b.ranges.toArray(new AdpRange[0]);
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns whether the total is ack_timeout × retry_count instead of {@link #retxTotalTimeout}.
   */
  public boolean qpTotalTimeout() {
    return qpTotalTimeout;
  }

  /** Returns the range used when no range holds the current exponent, 0..rangeCount − 1. */
  public int startRangeIndex() {
    return startRangeIndex;
  }

  /** Returns the base of every time in microseconds: a power of two, 4..32768. */
  public int timeBaseMicros() {
    return timeBaseMicros;
  }

  /** Returns the exponent of the total, 0..255. Not used if {@link #qpTotalTimeout}. */
  public int retxTotalTimeout() {
    return retxTotalTimeout;
  }

  /** Returns the lowest first exponent, 0..255. */
  public int initLowBound() {
    return initLowBound;
  }

  /** Returns the number of first exponents to draw from, 1..255. */
  public int initRangeSize() {
    return initRangeSize;
  }

  /** Returns the highest first exponent. */
  public int initHighBound() {
    // ADP flow: the draw goes up to low + size - 1. The layout's low + size is a summary
    // (docs/reference/departures.md).
    return initLowBound + initRangeSize - 1;
  }

  public int rangeCount() {
    return ranges.length;
  }

  /** Returns range {@code index}, 0..rangeCount − 1. */
  public AdpRange range(int index) {
    return ranges[index];
  }

  /** Returns {@code time_base << exponent} in nanoseconds; {@link Long#MAX_VALUE} on overflow. */
  public long timeNs(int exponent) {
    return saturatingShift(timeBaseMicros * 1_000L, exponent);
  }

  /**
   * Returns the nanoseconds without progress after which a path gives up. 0 (qp_total_timeout with
   * retry_count 0) means no resend: the path gives up at the first expiry.
   *
   * @throws InvalidProfileException if the total is made of an ack_timeout that is 0
   */
  public long totalNs(AdpParameters parameters) {
    if (!qpTotalTimeout) {
      return timeNs(retxTotalTimeout);
    }
    if (parameters.ackTimeout() == 0) {
      throw new InvalidProfileException(
          "qp_total_timeout=1 (qpTotalTimeout) with ack_timeout",
          0,
          "ack_timeout 1..31, or qp_total_timeout 0: no total can be made of a cap that is off");
    }
    return parameters.ackTimeoutNs() * parameters.totalRetryCount();
  }

  /**
   * Returns {@code value << shift} for a positive value; {@link Long#MAX_VALUE} if bits would be
   * lost.
   */
  static long saturatingShift(long value, int shift) {
    return shift >= Long.numberOfLeadingZeros(value) ? Long.MAX_VALUE : value << shift;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof AdpProfile p
        && qpTotalTimeout == p.qpTotalTimeout
        && startRangeIndex == p.startRangeIndex
        && timeBaseMicros == p.timeBaseMicros
        && retxTotalTimeout == p.retxTotalTimeout
        && initLowBound == p.initLowBound
        && initRangeSize == p.initRangeSize
        && List.of(ranges).equals(List.of(p.ranges));
  }

  @Override
  public int hashCode() {
    return Objects.hash(
        qpTotalTimeout,
        startRangeIndex,
        timeBaseMicros,
        retxTotalTimeout,
        initLowBound,
        initRangeSize,
        List.of(ranges));
  }

  @Override
  public String toString() {
    return "AdpProfile" + AdpProfileJson.toMap(this);
  }

  /**
   * Builder of a profile. {@link #build} checks all fields in the order of the layout and names the
   * first wrong one.
   */
  public static final class Builder {
    private boolean qpTotalTimeout;
    private int startRangeIndex;
    private int timeUnit = TIME_UNIT_MICROSECONDS;
    private int timeBaseMicros = TIME_BASE_MICROS_MIN;
    private Integer retxTotalTimeout; // null: not set
    private int initLowBound;
    private int initRangeSize = 1;
    private final List<AdpRange> ranges = new ArrayList<>(RANGE_COUNT_MAX);

    private Builder() {}

    public Builder qpTotalTimeout(boolean value) {
      qpTotalTimeout = value;
      return this;
    }

    public Builder startRangeIndex(int value) {
      startRangeIndex = value;
      return this;
    }

    public Builder timeUnit(int value) {
      timeUnit = value;
      return this;
    }

    public Builder timeBaseMicros(int value) {
      timeBaseMicros = value;
      return this;
    }

    /**
     * Sets the exponent of the total. Required unless {@link #qpTotalTimeout}: a default of 0 would
     * end a connection after one time base.
     */
    public Builder retxTotalTimeout(int value) {
      retxTotalTimeout = value;
      return this;
    }

    public Builder initLowBound(int value) {
      initLowBound = value;
      return this;
    }

    public Builder initRangeSize(int value) {
      initRangeSize = value;
      return this;
    }

    public Builder range(AdpRange value) {
      ranges.add(Objects.requireNonNull(value, "range"));
      return this;
    }

    /** Appends a range; see {@link AdpRange} for the arguments. */
    public Builder range(
        int lowBound, int size, int retryNum, DecMode decMode, int prevRangeIndex) {
      return range(new AdpRange(lowBound, size, retryNum, decMode, prevRangeIndex));
    }

    /**
     * Builds the profile.
     *
     * @throws InvalidProfileException naming the first wrong field, its value and its valid range
     */
    public AdpProfile build() {
      ProfileFields.check("range_num", "ranges", ranges.size(), 1, RANGE_COUNT_MAX);
      ProfileFields.check(
          "start_range_index", "startRangeIndex", startRangeIndex, 0, ranges.size() - 1);
      ProfileFields.check(
          "time_unit", "timeUnit", timeUnit, TIME_UNIT_MICROSECONDS, TIME_UNIT_MICROSECONDS);
      ProfileFields.checkTimeBase(timeBaseMicros);
      ProfileFields.check("retx_total_timeout", "retxTotalTimeout", totalExponent(), 0, BYTE_MAX);
      ProfileFields.check(
          "timeout_init_low_bound", "timeoutInitLowBound", initLowBound, 0, BYTE_MAX);
      ProfileFields.check(
          "timeout_init_range_size", "timeoutInitRangeSize", initRangeSize, 1, BYTE_MAX);
      for (int i = 0; i < ranges.size(); i++) {
        ProfileFields.checkRange(i, ranges.get(i), i == 0 ? 0 : ranges.get(i - 1).lowBound() + 1);
      }
      if (retxTotalTimeout == null && !qpTotalTimeout) {
        throw ProfileFields.refused(
            "retx_total_timeout", "retxTotalTimeout", "(missing)", "must be there: 0..255");
      }
      return new AdpProfile(this);
    }

    private int totalExponent() {
      return retxTotalTimeout == null ? 0 : retxTotalTimeout;
    }
  }
}
