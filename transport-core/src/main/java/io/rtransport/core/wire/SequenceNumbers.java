package io.rtransport.core.wire;

/**
 * Arithmetic modulo 2^32 for PSN, RSN and SSN, and modulo 2^24 for transmission sequences. A number
 * is before another when the way forward is shorter than half the circle; windows are far smaller,
 * so that is never in doubt for valid peers.
 */
public final class SequenceNumbers {
  /** The bits of a per-path transmission sequence. */
  public static final int TRANSMISSION_MASK = 0xFF_FFFF;

  private SequenceNumbers() {}

  /** Returns how far {@code a} lies after {@code b}: positive, zero or negative (-2^31..2^31-1). */
  public static int compare(int a, int b) {
    return a - b;
  }

  /** Returns whether {@code a} comes before {@code b}. */
  public static boolean isBefore(int a, int b) {
    return a - b < 0;
  }

  /** Returns whether {@code a} comes after {@code b}. */
  public static boolean isAfter(int a, int b) {
    return a - b > 0;
  }

  /** Steps forward from {@code from} to {@code to}, 0..2^32-1. */
  public static long distance(int from, int to) {
    return (to - from) & 0xFFFF_FFFFL;
  }

  /** Returns whether {@code sequence} lies in {@code [base, base + size)}; size 0..2^31-1. */
  public static boolean isWithin(int sequence, int base, int size) {
    return distance(base, sequence) < size;
  }

  /** Returns the later of two. */
  public static int max(int a, int b) {
    return a - b >= 0 ? a : b;
  }

  /** Returns the earlier of two. */
  public static int min(int a, int b) {
    return a - b <= 0 ? a : b;
  }

  /** Returns a 32-bit number as it is shown, 0..2^32-1. */
  public static long unsigned(int sequence) {
    return sequence & 0xFFFF_FFFFL;
  }

  /**
   * Returns how far transmission sequence {@code a} lies after {@code b}, modulo 2^24:
   * -2^23..2^23-1.
   */
  public static int compareTransmission(int a, int b) {
    return (a - b) << 8 >> 8;
  }

  /** Returns the transmission sequence after {@code sequence}. */
  public static int nextTransmission(int sequence) {
    return (sequence + 1) & TRANSMISSION_MASK;
  }
}
