package io.rtransport.demo;

/**
 * A logarithmic axis: times in nanoseconds to places in a drawing. What lies below its beginning is
 * shown at its beginning.
 */
final class LogAxis {
  private final double lowLog;
  private final double highLog;
  private final double from;
  private final double to;

  /**
   * @param lowNs what stands at {@code from}, above 0
   * @param highNs what stands at {@code to}, above {@code lowNs}
   */
  LogAxis(double lowNs, double highNs, double from, double to) {
    lowLog = Math.log(lowNs);
    highLog = Math.log(highNs);
    this.from = from;
    this.to = to;
  }

  double at(double ns) {
    double log = ns <= 0 ? lowLog : Math.max(lowLog, Math.log(ns));
    return from + (to - from) * (log - lowLog) / (highLog - lowLog);
  }

  boolean contains(double ns) {
    return ns > 0 && Math.log(ns) >= lowLog - 1e-9 && Math.log(ns) <= highLog + 1e-9;
  }
}
