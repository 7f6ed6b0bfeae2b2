package io.rtransport.core.solicitation;

/**
 * Decides whether a push asks before it sends. Long pushes ask, so that N senders to one receiver
 * cannot overload it. On a congested path shorter pushes ask too, down to a configured length.
 */
final class SolicitationPolicy {
  private final int thresholdBytes;
  private final int congestedThresholdBytes;
  private final long creditBytesMax;

  /**
   * @param thresholdBytes longer pushes ask
   * @param congestedThresholdBytes longer pushes ask on a congested path
   * @param creditBytesMax bytes that the peer's initial credit covers: a message that costs more
   *     could wait for ever, so it asks
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

  /** Returns whether congestion can change whether a push asks. */
  boolean heedsCongestion() {
    return congestedThresholdBytes < thresholdBytes;
  }
}
