package io.rtransport.demo.terminal;

import java.util.HexFormat;
import java.util.Locale;

/** Figures as people read them, equal on every machine: no locale. */
public final class Units {
  private Units() {}

  /** Returns bytes, with a binary unit from 1 KiB. */
  public static String bytes(long bytes) {
    if (bytes < 1024) {
      return bytes + " B";
    }
    int power = Math.min((63 - Long.numberOfLeadingZeros(bytes)) / 10, 4);
    return String.format(
        Locale.ROOT,
        "%.1f %siB",
        Math.scalb((double) bytes, -10 * power),
        "KMGT".charAt(power - 1));
  }

  /** Returns a rate in 10^6 bytes a second. */
  public static String rate(long bytes, long ns) {
    return String.format(Locale.ROOT, "%.1f MB/s", ns <= 0 ? 0.0 : bytes * 1e3 / ns);
  }

  /** Returns seconds, to the hundredth. */
  public static String seconds(long ns) {
    return String.format(Locale.ROOT, "%.2f s", ns / 1e9);
  }

  /** Returns milliseconds, to the microsecond. */
  public static String millis(long ns) {
    return String.format(Locale.ROOT, "%.3f ms", ns / 1e6);
  }

  /** Returns lower-case hexadecimal; null for null. */
  public static String hex(byte[] bytes) {
    return bytes == null ? null : HexFormat.of().formatHex(bytes);
  }
}
