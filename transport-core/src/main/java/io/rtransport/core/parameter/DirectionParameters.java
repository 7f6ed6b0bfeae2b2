package io.rtransport.core.parameter;

/**
 * Limits of one side for the other's sending: the part of an agreement that differs by direction.
 *
 * @param requestWindow request packets that may be unacknowledged
 * @param dataWindow data packets that may be unacknowledged
 * @param datagramLengthMax the longest datagram that is accepted
 * @param initialCreditBytes bytes that may be pushed unsolicited at first
 * @param messageLengthMax the longest message that is accepted
 * @param ackDelayNsMax longest delay of an acknowledgement. In {@link AgreedParameters#rx}: how
 *     long it is held. In {@link AgreedParameters#tx}: until it leaves, its timer's tick included
 * @param features bits of further capabilities
 */
public record DirectionParameters(
    int requestWindow,
    int dataWindow,
    int datagramLengthMax,
    int initialCreditBytes,
    long messageLengthMax,
    long ackDelayNsMax,
    int features) {

  /** Accepts pushes marked that nobody waits for their ends. */
  public static final int FEATURE_UNAWAITED = 1;

  /**
   * Accepts a credit limit up to {@link io.rtransport.core.stats.Limits#CREDIT_AHEAD_BYTES_MAX}
   * ahead, instead of {@link io.rtransport.core.stats.Limits#CREDIT_BYTES_MAX}.
   */
  public static final int FEATURE_LONG_CREDIT = 2;

  /** Sends and takes packets over several paths of one connection. */
  public static final int FEATURE_RAILS = 4;

  public DirectionParameters {
    if (requestWindow < 1 || dataWindow < 1) {
      throw new IllegalArgumentException(
          "requestWindow=" + requestWindow + ", dataWindow=" + dataWindow + ", valid: at least 1");
    }
    if (ackDelayNsMax < 0) {
      throw new IllegalArgumentException("ackDelayNsMax=" + ackDelayNsMax + ", valid: at least 0");
    }
  }

  /** Returns whether all bits of {@code feature} are set. */
  public boolean has(int feature) {
    return (features & feature) == feature;
  }
}
