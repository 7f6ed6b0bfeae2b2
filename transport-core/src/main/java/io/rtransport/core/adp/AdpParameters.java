package io.rtransport.core.adp;

/**
 * Settings of an endpoint that the profile does not hold (the QP attributes of the ADP flow).
 * Immutable; any thread.
 *
 * @param ackTimeout n of the cap 4.096 µs × 2^n on every armed value, 0..31; 0 = no cap; default 14
 *     (67.1 ms)
 * @param retryCount factor of the total where the profile sets qp_total_timeout, 0..7; default 7
 * @param extendedRetryCount replaces retryCount in the total if above 0, 0..255; default 0
 * @param strictProfile true arms exactly the values of the profile, from the first value on. The
 *     floor of the measured round trip is not applied. No other timer resends, so there is no tail
 *     probe; default false
 * @param adaptive false (roce_adp_retrans_en = 0) always arms ack_timeout, without range or floor.
 *     Nothing adapts, and there is no tail probe; default true
 */
public record AdpParameters(
    int ackTimeout,
    int retryCount,
    int extendedRetryCount,
    boolean strictProfile,
    boolean adaptive) {
  public static final int ACK_TIMEOUT_MAX = 31;
  public static final int RETRY_COUNT_MAX = 7;
  public static final int EXTENDED_RETRY_COUNT_MAX = 255;
  public static final AdpParameters DEFAULT = new AdpParameters(14, 7, 0, false, true);

  /** Unit of ack_timeout: 4.096 µs. */
  private static final long ACK_TIMEOUT_UNIT_NS = 4_096;

  public AdpParameters {
    check("ack_timeout", ackTimeout, ACK_TIMEOUT_MAX);
    check("retry_count", retryCount, RETRY_COUNT_MAX);
    check("extended_retry_count", extendedRetryCount, EXTENDED_RETRY_COUNT_MAX);
    if (!adaptive && ackTimeout == 0) {
      throw new InvalidProfileException(
          "roce_adp_retrans_en=0 with ack_timeout",
          0,
          "ack_timeout 1..31, the fixed timer needs a value");
    }
  }

  private static void check(String field, int value, int max) {
    if (value < 0 || value > max) {
      throw new InvalidProfileException(field, value, "0.." + max);
    }
  }

  public AdpParameters withAckTimeout(int n) {
    return new AdpParameters(n, retryCount, extendedRetryCount, strictProfile, adaptive);
  }

  public AdpParameters withRetryCount(int count) {
    return new AdpParameters(ackTimeout, count, extendedRetryCount, strictProfile, adaptive);
  }

  public AdpParameters withExtendedRetryCount(int count) {
    return new AdpParameters(ackTimeout, retryCount, count, strictProfile, adaptive);
  }

  public AdpParameters withStrictProfile(boolean strict) {
    return new AdpParameters(ackTimeout, retryCount, extendedRetryCount, strict, adaptive);
  }

  public AdpParameters withAdaptive(boolean on) {
    return new AdpParameters(ackTimeout, retryCount, extendedRetryCount, strictProfile, on);
  }

  /**
   * Returns whether armed values follow the measured path. They do not with a strict profile, and
   * not with adaptation off.
   */
  public boolean followsPath() {
    return adaptive && !strictProfile;
  }

  /** Returns the cap in nanoseconds; {@link Long#MAX_VALUE} for ack_timeout 0. */
  public long ackTimeoutNs() {
    return ackTimeout == 0 ? Long.MAX_VALUE : ACK_TIMEOUT_UNIT_NS << ackTimeout;
  }

  /** Returns the count that multiplies ack_timeout in the total. */
  public int totalRetryCount() {
    return extendedRetryCount > 0 ? extendedRetryCount : retryCount;
  }
}
