package io.rtransport.core.solicitation;

import io.rtransport.core.stats.Limits;

/**
 * The sender's account of unsolicited credit: a cumulative limit that only the receiver raises, and
 * the charged bytes. A message is charged whole before its first byte leaves, in RSN order. So
 * charged bytes can always be sent, and the lowest undelivered RSN always fits.
 */
final class Credit {
  private final long aheadBytesMax;
  private long limitBytes;
  private long chargedBytes;
  private boolean isStalled;

  /**
   * @param initialBytes bytes that may be charged at first
   * @param aheadBytes how far a limit may be ahead of the charged bytes; a limit further ahead
   *     makes no sense
   */
  Credit(long initialBytes, long aheadBytes) {
    limitBytes = initialBytes;
    aheadBytesMax = Math.max(initialBytes, aheadBytes);
  }

  /** Returns the cost of an unsolicited message. */
  static long costBytes(long lengthBytes, int headerLength) {
    return lengthBytes + headerLength + Limits.CREDIT_OVERHEAD_BYTES;
  }

  /** Returns whether {@code bytes} could be charged. If not, this counts as a refusal. */
  boolean covers(long bytes) {
    isStalled = chargedBytes + bytes > limitBytes;
    return !isStalled;
  }

  /** Charges all of {@code bytes}, or nothing. */
  boolean charge(long bytes) {
    if (!covers(bytes)) {
      return false;
    }
    chargedBytes += bytes;
    return true;
  }

  /**
   * Handles a limit from COMPLETED, ACK or PONG. Returns false when it makes no sense and was
   * ignored. An old limit does no harm.
   */
  boolean onLimit(long bytes) {
    if (bytes - chargedBytes > aheadBytesMax) {
      return false;
    }
    if (bytes > limitBytes) {
      limitBytes = bytes;
      isStalled = false;
    }
    return true;
  }

  /** Handles the low 32 bits of a limit, from a header's hint. */
  boolean onHint(int low) {
    return onLimit(limitBytes + (low - (int) limitBytes));
  }

  /** Returns whether the last charge was refused and no higher limit has come since. */
  boolean isStalled() {
    return isStalled;
  }

  long limitBytes() {
    return limitBytes;
  }

  long chargedBytes() {
    return chargedBytes;
  }
}
