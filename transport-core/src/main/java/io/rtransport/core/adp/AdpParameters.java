package io.rtransport.core.adp;

/**
 * What an endpoint sets beside the profile (the QP attributes of the ADP flow). Immutable; any
 * thread.
 *
 * @param ackTimeout n of the cap 4.096 µs × 2^n on every armed value, 0..31; 0 = no cap; default 14
 *     (67.1 ms)
 * @param retryCount factor of the total where the profile's qp_total_timeout is set, 0..7; default
 *     7
 * @param extendedRetryCount replaces retryCount in the total if above 0, 0..255; default 0
 * @param strictProfile arms exactly what the profile says, from the first value on, without the
 *     floor made of the measured round trip; nothing else resends by time, so there is no tail
 *     probe; default false
 * @param adaptive false (roce_adp_retrans_en = 0) arms ack_timeout always, without range or floor,
 *     and adapts nothing; no tail probe either; default true
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

  /** The unit of ack_timeout: 4.096 µs. */
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
   * Whether armed values follow what the path has shown: not where the profile is strict, nor where
   * adaptation is off.
   */
  public boolean followsPath() {
    return adaptive && !strictProfile;
  }

  /** The cap in nanoseconds, {@link Long#MAX_VALUE} for ack_timeout 0. */
  public long ackTimeoutNs() {
    return ackTimeout == 0 ? Long.MAX_VALUE : ACK_TIMEOUT_UNIT_NS << ackTimeout;
  }

  /** The count that multiplies ack_timeout in the total. */
  public int totalRetryCount() {
    return extendedRetryCount > 0 ? extendedRetryCount : retryCount;
  }
}
