package io.rtransport.simulator.script;

import java.util.concurrent.TimeUnit;

/** How scripts write numbers and times. */
final class Numbers {
  private Numbers() {}

  /** Decimal, {@code 0x} hexadecimal, or decimal with {@code k} or {@code m} of 1024. */
  static long number(String text) {
    if (text.startsWith("0x")) {
      return Long.parseUnsignedLong(text.substring(2), 16);
    }
    long unit = text.endsWith("k") ? 1 << 10 : text.endsWith("m") ? 1 << 20 : 1;
    return unit * Long.parseLong(unit == 1 ? text : text.substring(0, text.length() - 1));
  }

  /** {@code 10us}, {@code 1.5ms}, {@code 2s} in ns. */
  static long timeNs(String text) {
    String digits = text.replaceAll("[a-z]+$", "");
    TimeUnit unit =
        switch (text.substring(digits.length())) {
          case "ns" -> TimeUnit.NANOSECONDS;
          case "us" -> TimeUnit.MICROSECONDS;
          case "ms" -> TimeUnit.MILLISECONDS;
          case "s" -> TimeUnit.SECONDS;
          default -> throw new IllegalArgumentException(text + " is no time: ns, us, ms or s");
        };
    return Math.round(Double.parseDouble(digits) * unit.toNanos(1));
  }
}
