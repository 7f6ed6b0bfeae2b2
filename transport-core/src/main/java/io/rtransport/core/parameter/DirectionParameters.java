package io.rtransport.core.parameter;

/**
 * What one side lets the other one send: the half of an agreement that differs by direction.
 *
 * @param requestWindow request packets that may be unacknowledged
 * @param dataWindow data packets that may be unacknowledged
 * @param datagramLengthMax the longest datagram that is taken
 * @param initialCreditBytes what may be pushed unasked at first
 * @param messageLengthMax the longest message that is taken
 * @param ackDelayNsMax how long an acknowledgement may take: of {@link AgreedParameters#rx} for how
 *     long it is held, of {@link AgreedParameters#tx} until it leaves, its timer's tick included
 * @param features bits of what is taken beyond that
 */
public record DirectionParameters(
    int requestWindow,
    int dataWindow,
    int datagramLengthMax,
    int initialCreditBytes,
    long messageLengthMax,
    long ackDelayNsMax,
    int features) {

  /** Takes pushes that say that nobody waits for their ends. */
  public static final int FEATURE_UNAWAITED = 1;

  /**
   * Takes a credit limit that is up to {@link
   * io.rtransport.core.stats.Limits#CREDIT_AHEAD_BYTES_MAX} ahead, and not {@link
   * io.rtransport.core.stats.Limits#CREDIT_BYTES_MAX} only.
   */
  public static final int FEATURE_LONG_CREDIT = 2;

  public DirectionParameters {
    if (requestWindow < 1 || dataWindow < 1) {
      throw new IllegalArgumentException(
          "requestWindow=" + requestWindow + ", dataWindow=" + dataWindow + ", valid: at least 1");
    }
    if (ackDelayNsMax < 0) {
      throw new IllegalArgumentException("ackDelayNsMax=" + ackDelayNsMax + ", valid: at least 0");
    }
  }

  /** Whether all of {@code feature} is taken. */
  public boolean has(int feature) {
    return (features & feature) == feature;
  }
}
