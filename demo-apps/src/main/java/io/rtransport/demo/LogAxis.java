package io.rtransport.demo;

/**
 * Logarithmic axis: maps times in nanoseconds to places in a drawing. A value below its beginning
 * is shown at its beginning.
 */
final class LogAxis {
  private final double lowLog;
  private final double highLog;
  private final double from;
  private final double to;

  /**
   * Creates the axis.
   *
   * @param lowNs the value at {@code from}, above 0
   * @param highNs the value at {@code to}, above {@code lowNs}
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
