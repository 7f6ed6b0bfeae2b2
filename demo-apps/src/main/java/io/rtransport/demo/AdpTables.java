package io.rtransport.demo;

import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.adp.AdpTimeline;
import io.rtransport.core.adp.AdpTimeline.Step;
import io.rtransport.core.adp.AdpTimer;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Terminal output of {@code rt adp explain}. */
final class AdpTables {
  /** A longer row of equal values is shown by its first, its last and a count. */
  private static final int EQUAL_ROWS_MAX = 6;

  private static final String ROW = "%7d  %5s  %8d  %12s  %12s%n";

  private final PrintWriter out;

  AdpTables(PrintWriter out) {
    this.out = out;
  }

  void printHeader(
      String name,
      AdpProfile profile,
      AdpParameters parameters,
      int first,
      long totalNs,
      long floorNs) {
    print(
        "profile %s: gives up after %s without progress, first exponent %d of %d..%d%n",
        name, time(totalNs), first, profile.initLowBound(), profile.initHighBound());
    for (int i = 0; i < profile.rangeCount(); i++) {
      print(
          "  range %d: exponents %d..%d (%s to %s), each armed %d x, down by %s, then to range %d%n",
          i,
          profile.range(i).lowBound(),
          profile.range(i).top(),
          time(profile.timeNs(profile.range(i).lowBound())),
          time(profile.timeNs(profile.range(i).top())),
          profile.range(i).retryNum(),
          profile.range(i).decMode(),
          profile.range(i).prevRangeIndex());
    }
    if (!parameters.adaptive()) {
      print(
          "  fixed timer (roce_adp_retrans_en = 0): ack_timeout %d, %s, always%n%n",
          parameters.ackTimeout(), time(parameters.ackTimeoutNs()));
      return;
    }
    if (parameters.ackTimeout() > 0) {
      print(
          "  ack_timeout %d: no value above %s%n",
          parameters.ackTimeout(), time(parameters.ackTimeoutNs()));
    }
    out.println(
        floorNs == 0
            ? "  strict: without the floor of the measured round trip"
            : "  above a floor of "
                + time(floorNs)
                + ", doubling at each timeout up to "
                + time(AdpTimer.FLOOR_NS_MAX));
    out.println();
  }

  /** Prints one row for each timeout. Elapsed is the time without progress when it expires. */
  void printTimeouts(AdpTimeline timeline) {
    List<Step> steps = timeline.steps();
    out.println("attempt  range  exponent       timeout       elapsed");
    int attempts = steps.size() - 1;
    for (int i = 0; i < attempts; ) {
      int end = i + 1;
      while (end < attempts && isSameValue(steps.get(i), steps.get(end))) {
        end++;
      }
      if (end - i > EQUAL_ROWS_MAX) {
        printAttempt(steps, i);
        printAttempt(steps, i + 1);
        print("    ...  %d more of the same%n", end - i - 3);
        printAttempt(steps, end - 1);
      } else {
        for (int k = i; k < end; k++) {
          printAttempt(steps, k);
        }
      }
      i = end;
    }
    out.println(
        timeline.end() == AdpTimeline.End.RETRY_EXCEEDED
            ? "    end  the total of " + time(timeline.totalNs()) + " is reached: RETRY_EXCEEDED"
            : "    ...  and so on until the total of " + time(timeline.totalNs()));
  }

  private static boolean isSameValue(Step a, Step b) {
    return a.rangeIndex() == b.rangeIndex()
        && a.exponent() == b.exponent()
        && a.timeoutNs() == b.timeoutNs();
  }

  private void printAttempt(List<Step> steps, int i) {
    Step step = steps.get(i);
    print(
        ROW,
        i + 1,
        range(step),
        step.exponent(),
        time(step.timeoutNs()),
        time(steps.get(i + 1).noProgressNs()));
  }

  /** Prints how acknowledgements lead from the last state to the lowest. */
  void printWayBack(List<Step> steps) {
    out.println();
    out.println("progress    range  exponent       timeout");
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      print("%8d  %7s  %8d  %12s%n", i, range(step), step.exponent(), time(step.timeoutNs()));
    }
    out.flush();
  }

  /** Prints one row for each step of {@code --events}. */
  void printSteps(AdpTimeline timeline) {
    out.println("event     range  exponent       timeout   no progress");
    for (Step step : timeline.steps()) {
      print(
          "%-8s  %5s  %8d  %12s  %12s%n",
          step.event().name().toLowerCase(Locale.ROOT),
          range(step),
          step.exponent(),
          step.timeoutNs() == AdpTimeline.NOTHING_ARMED ? "-" : time(step.timeoutNs()),
          time(step.noProgressNs()));
    }
    out.println(timeline.end());
    out.flush();
  }

  /** Prints with the same digits and decimal point on every machine. */
  private void print(String format, Object... values) {
    out.printf(Locale.ROOT, format, values);
  }

  private static String range(Step step) {
    return step.rangeIndex() == AdpTimer.NO_RANGE ? "-" : Integer.toString(step.rangeIndex());
  }

  /**
   * Returns a time with two decimals of a millisecond, or three of a second: enough for a profile.
   */
  static String time(long ns) {
    if (ns == Long.MAX_VALUE) {
      return "for ever";
    }
    if (ns == 0) {
      return "0";
    }
    if (ns < 1_000_000) {
      return String.format(Locale.ROOT, "%.1f us", ns / 1e3);
    }
    return ns < 1_000_000_000
        ? String.format(Locale.ROOT, "%.2f ms", ns / 1e6)
        : String.format(Locale.ROOT, "%.3f s", ns / 1e9);
  }
}
