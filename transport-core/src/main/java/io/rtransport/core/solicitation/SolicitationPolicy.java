package io.rtransport.core.solicitation;

/**
 * Decides whether a push asks first. Long ones do, so that N senders to one receiver cannot drown it; and on a congested path all but
 * the small do, whose request would cost as much as they.
 */
final class SolicitationPolicy {
  /** A push this short goes unasked even on a congested path: about what a request and its grant cost together. */
  static final int ALWAYS_UNSOLICITED_BYTES = 256;

  private final int thresholdBytes;
  private final long creditBytesMax;

  /**
   * @param creditBytesMax what the peer's first credit covers: a message that costs more could wait for ever
   */
  SolicitationPolicy(int thresholdBytes, long creditBytesMax) {
    this.thresholdBytes = thresholdBytes;
    this.creditBytesMax = creditBytesMax;
  }

  boolean isSolicited(long lengthBytes, int headerLength, boolean isCongested) {
    if (lengthBytes == 0) {
      return false;
    }
    return lengthBytes > thresholdBytes
        || Credit.costBytes(lengthBytes, headerLength) > creditBytesMax
        || (isCongested && lengthBytes > ALWAYS_UNSOLICITED_BYTES);
  }
}
