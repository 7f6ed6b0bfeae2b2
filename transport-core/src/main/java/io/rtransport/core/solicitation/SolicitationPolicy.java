package io.rtransport.core.solicitation;

/**
 * Decides whether a push asks first. Long ones do, so that N senders to one receiver cannot drown
 * it; and on a congested path shorter ones do too, down to a level that can be set.
 */
final class SolicitationPolicy {
  private final int thresholdBytes;
  private final int congestedThresholdBytes;
  private final long creditBytesMax;

  /**
   * @param thresholdBytes longer ones ask
   * @param congestedThresholdBytes and these on a congested path
   * @param creditBytesMax what the peer's first credit covers: a message that costs more could wait
   *     for ever
   */
  SolicitationPolicy(int thresholdBytes, int congestedThresholdBytes, long creditBytesMax) {
    this.thresholdBytes = thresholdBytes;
    this.congestedThresholdBytes = congestedThresholdBytes;
    this.creditBytesMax = creditBytesMax;
  }

  boolean isSolicited(long lengthBytes, int headerLength, boolean isCongested) {
    if (lengthBytes == 0) {
      return false;
    }
    return lengthBytes > thresholdBytes
        || Credit.costBytes(lengthBytes, headerLength) > creditBytesMax
        || (isCongested && lengthBytes > congestedThresholdBytes);
  }

  /** Whether congestion changes the way of any push. */
  boolean heedsCongestion() {
    return congestedThresholdBytes < thresholdBytes;
  }
}
