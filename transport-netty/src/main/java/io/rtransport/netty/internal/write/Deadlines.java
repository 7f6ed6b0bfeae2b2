package io.rtransport.netty.internal.write;

import java.time.Duration;

/** Range of the deadlines of a push or pull. */
public final class Deadlines {
  /** Value for a message without a deadline. */
  public static final long NONE = Long.MAX_VALUE;

  private static final Duration LONGEST = Duration.ofDays(365);

  private Deadlines() {}

  /** Returns {@code deadline} in ns; 1 ns to 365 days. */
  public static long checked(Duration deadline) {
    if (deadline.isNegative() || deadline.isZero() || deadline.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "deadline=" + deadline + ", valid: PT0.000000001S.." + LONGEST);
    }
    return deadline.toNanos();
  }
}
