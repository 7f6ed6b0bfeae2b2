package io.rtransport.loadgen.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One axis of a plot: its values, and its ticks.
 *
 * @param isLog whether equal distances are equal factors
 * @param low the lowest value shown
 * @param high the highest value shown, above {@code low}
 * @param ticks its marks with their labels
 */
record Axis(boolean isLog, double low, double high, List<Tick> ticks) {
  /** A mark. */
  record Tick(double value, String label) {}

  private static final int LINEAR_TICKS = 5;
  private static final int WIDE_DECADES = 3;

  /** Returns an axis from 0 to a round number at or above {@code max}. */
  static Axis linear(double max) {
    double step = roundStep(Math.max(max, 1e-9) / LINEAR_TICKS);
    double high = Math.max(step, Math.ceil(max / step) * step);
    List<Tick> ticks = new ArrayList<>();
    for (int i = 0; i * step <= high * (1 + 1e-9); i++) {
      ticks.add(new Tick(i * step, label(i * step)));
    }
    return new Axis(false, 0, high, ticks);
  }

  /**
   * Returns a logarithmic axis from a round number at or below {@code min} to one at or above
   * {@code max}; both above 0.
   */
  static Axis log(double min, double max) {
    int from = (int) Math.floor(Math.log10(min));
    int to = Math.max(from + 1, (int) Math.ceil(Math.log10(max)));
    List<Tick> ticks = new ArrayList<>();
    for (int decade = from; decade <= to; decade++) {
      for (int factor : new int[] {1, 2, 5}) {
        double value = factor * Math.pow(10, decade);
        if (factor == 1 || (decade < to && to - from < WIDE_DECADES)) {
          ticks.add(new Tick(value, label(value)));
        }
      }
    }
    return new Axis(true, Math.pow(10, from), Math.pow(10, to), ticks);
  }

  /** Returns an axis with one place for each of at least two values, 0, 1, 2 … */
  static Axis steps(List<Double> values) {
    List<Tick> ticks = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      ticks.add(new Tick(i, label(values.get(i))));
    }
    return new Axis(false, 0, values.size() - 1, ticks);
  }

  /**
   * Returns an axis of percentiles, each nine as long as the one before; {@link #ofPercentile}
   * gives their places.
   */
  static Axis percentiles(double highest) {
    List<Tick> ticks = new ArrayList<>();
    String label = "0 %";
    double high = Math.max(1, Math.ceil(ofPercentile(highest)));
    for (int nines = 0; nines <= high; nines++) {
      ticks.add(new Tick(nines, label));
      label =
          nines == 0
              ? "90 %"
              : nines == 1 ? "99 %" : nines == 2 ? "99.9 %" : "99.9" + "9".repeat(nines - 2) + " %";
    }
    return new Axis(false, 0, high, ticks);
  }

  /** Returns the place of {@code percentile}, below 100, on an axis of percentiles. */
  static double ofPercentile(double percentile) {
    return -Math.log10(1 - percentile / 100);
  }

  /** Returns the place of a value, from 0 at the low end to 1 at the high end. */
  double share(double value) {
    return isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  }

  private static double roundStep(double least) {
    double decade = Math.pow(10, Math.floor(Math.log10(least)));
    for (double factor : new double[] {1, 2, 2.5, 5}) {
      if (factor * decade >= least * (1 - 1e-9)) {
        return factor * decade;
      }
    }
    return 10 * decade;
  }

  private static String label(double value) {
    if (value >= 1e6) {
      return trimmed(value / 1e6) + " M";
    }
    return value >= 1e4 ? trimmed(value / 1e3) + " k" : trimmed(value);
  }

  private static String trimmed(double value) {
    String text = String.format(Locale.ROOT, "%.3f", value);
    return text.replaceAll("\\.?0+$", "").isEmpty() ? "0" : text.replaceAll("\\.?0+$", "");
  }
}
