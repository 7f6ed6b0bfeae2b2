package io.rtransport.core.queue;

/** Checks what a caller passes: the message names the field, the value and the valid range. */
final class Bounds {
  private Bounds() {}

  static int check(String field, int value, int min, int max) {
    return (int) check(field, (long) value, min, max);
  }

  static long check(String field, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          field + "=" + value + " is not in the range " + min + ".." + max);
    }
    return value;
  }
}
