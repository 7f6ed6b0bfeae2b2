package io.rtransport.core.wire;

/**
 * Arithmetic modulo 2^32 for PSN, RSN and SSN, and modulo 2^24 for transmission sequences. Number a
 * is before b if the distance forward from a to b is less than half of the number space. Windows
 * are much smaller than that, so the order of valid peers' numbers is always clear.
 */
public final class SequenceNumbers {
  /** Mask of the 24 bits of a per-path transmission sequence. */
  public static final int TRANSMISSION_MASK = 0xFF_FFFF;

  private SequenceNumbers() {}

  /**
   * Returns how far {@code a} is after {@code b}, -2^31..2^31-1; negative if {@code a} is before.
   */
  public static int compare(int a, int b) {
    return a - b;
  }

  /** Returns whether {@code a} is before {@code b}. */
  public static boolean isBefore(int a, int b) {
    return a - b < 0;
  }

  /** Returns whether {@code a} is after {@code b}. */
  public static boolean isAfter(int a, int b) {
    return a - b > 0;
  }

  /** Returns the steps forward from {@code from} to {@code to}, 0..2^32-1. */
  public static long distance(int from, int to) {
    return (to - from) & 0xFFFF_FFFFL;
  }

  /** Returns the later of two numbers. */
  public static int max(int a, int b) {
    return a - b >= 0 ? a : b;
  }

  /** Returns the earlier of two numbers. */
  public static int min(int a, int b) {
    return a - b <= 0 ? a : b;
  }

  /** Returns how far transmission sequence {@code a} is after {@code b}, -2^23..2^23-1. */
  public static int compareTransmission(int a, int b) {
    return (a - b) << 8 >> 8;
  }
}
