package io.rtransport.core.solicitation;

import io.rtransport.core.stats.Limits;

/**
 * The sender's account of unsolicited credit: a cumulative limit that only the receiver raises, and
 * what was charged. A message is charged whole before its first byte leaves, in RSN order, so what
 * was charged can always be sent and the lowest undelivered RSN always fits.
 */
final class Credit {
  private final long aheadBytesMax;
  private long limitBytes;
  private long chargedBytes;
  private boolean isStalled;

  /**
   * @param initialBytes may be charged at first
   * @param aheadBytes a limit that is further ahead of what was charged makes no sense
   */
  Credit(long initialBytes, long aheadBytes) {
    limitBytes = initialBytes;
    aheadBytesMax = Math.max(initialBytes, aheadBytes);
  }

  /** What an unsolicited message costs. */
  static long costBytes(long lengthBytes, int headerLength) {
    return lengthBytes + headerLength + Limits.CREDIT_OVERHEAD_BYTES;
  }

  /** Whether {@code bytes} could be charged; if not, that counts as a refusal. */
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
   * A limit in a COMPLETED, ACK or PONG. False when it makes no sense and was ignored; an old one
   * is no harm.
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

  /** The low 32 bits of a limit, from a header's hint. */
  boolean onHint(int low) {
    return onLimit(limitBytes + (low - (int) limitBytes));
  }

  /** Whether the last charge was refused and nothing came since. */
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
