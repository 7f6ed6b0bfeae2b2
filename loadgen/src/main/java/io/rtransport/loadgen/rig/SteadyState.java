package io.rtransport.loadgen.rig;

import java.util.ArrayDeque;
import java.util.function.ToDoubleFunction;

/**
 * Decides when a run has reached its speed. Five seconds in a row have a rate within 10 % of their
 * median. In them, the compilers of both processes use less than 5 % of a processor. If the rate is
 * given, p50 and p99 are judged instead. The JVM reaches its speed late, because it compiles as it
 * learns what the program does.
 */
final class SteadyState {
  /** Longest warm-up that waits for it, seconds. */
  static final int SECONDS_MAX = 30;

  private static final int ALIKE_SECONDS = 5;

  private static final double SPREAD_MAX = 0.1;
  private static final double COMPILERS_MAX = 0.05;

  /**
   * One second.
   *
   * @param compilers processors that both processes' compilers used
   */
  record Second(long messages, double p50, double p99, double compilers) {}

  private final boolean isRateGiven;
  private final ArrayDeque<Second> last = new ArrayDeque<>();

  SteadyState(boolean isRateGiven) {
    this.isRateGiven = isRateGiven;
  }

  /** Adds the next finished second. */
  void add(Second second) {
    last.addLast(second);
    if (last.size() > ALIKE_SECONDS) {
      last.removeFirst();
    }
  }

  /** Returns whether the last seconds were steady. */
  boolean isReached() {
    return last.size() == ALIKE_SECONDS
        && last.stream().mapToDouble(Second::compilers).average().orElseThrow() < COMPILERS_MAX
        && (isRateGiven ? isAlike(Second::p50) && isAlike(Second::p99) : isAlike(Second::messages));
  }

  private boolean isAlike(ToDoubleFunction<Second> value) {
    double[] sorted = last.stream().mapToDouble(value).sorted().toArray();
    double median = sorted[sorted.length / 2];
    double spread = Math.max(median - sorted[0], sorted[sorted.length - 1] - median);
    return median > 0 && spread <= SPREAD_MAX * median;
  }
}
