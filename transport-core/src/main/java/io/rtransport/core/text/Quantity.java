package io.rtransport.core.text;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reader of numbers with units. Sizes count in 1024 ({@code k m g}). Durations take {@code us ms s
 * m}. Bandwidths are decimal bits a second ({@code k m g} = 1000). Probabilities are fractions.
 *
 * <p>Every function takes the name of the field, for the message of its {@link
 * InvalidValueException}, and both bounds, which are valid themselves. Stateless: any thread.
 */
public final class Quantity {
  /**
   * Enough digits for 2^63, with a fraction and an exponent. The limit bounds the work for a
   * hostile text.
   */
  private static final Pattern NUMBER =
      Pattern.compile("(\\d{1,20}(?:\\.\\d{1,20})?|\\.\\d{1,20})(?:[eE](-?\\d{1,2}))?([a-zA-Z]*)");

  private static final Pattern INTEGER = Pattern.compile("-?\\d{1,20}");
  private static final Pattern HEX = Pattern.compile("0[xX][0-9a-fA-F]{1,16}");

  private Quantity() {}

  /** Reads a whole number, {@code min} to {@code max}. */
  public static long count(String name, String text, long min, long max) {
    String valid = "a whole number, " + min + ".." + max;
    if (!INTEGER.matcher(text).matches()) {
      throw new InvalidValueException(name, text, valid);
    }
    return bounded(name, text, new BigDecimal(text), min, max, valid);
  }

  /** Reads a size in bytes: whole, with an optional suffix k, m or g (1024). */
  public static long sizeBytes(String name, String text, long minBytes, long maxBytes) {
    String valid =
        "a whole number of bytes with an optional k, m or g (1024), "
            + size(minBytes)
            + ".."
            + size(maxBytes);
    Matcher number = number(name, text, valid);
    long unit =
        switch (number.group(3).toLowerCase(Locale.ROOT)) {
          case "" -> 1;
          case "k" -> 1L << 10;
          case "m" -> 1L << 20;
          case "g" -> 1L << 30;
          default -> throw new InvalidValueException(name, text, valid);
        };
    if (number.group(2) != null || number.group(1).indexOf('.') >= 0) {
      throw new InvalidValueException(name, text, valid);
    }
    return bounded(name, text, value(number, unit), minBytes, maxBytes, valid);
  }

  /**
   * Reads a duration in nanoseconds: a number with us, ms, s or m; 0 needs no unit. Rounded to the
   * nanosecond.
   */
  public static long durationNs(String name, String text, long minNs, long maxNs) {
    String valid = "a duration with us, ms, s or m, " + duration(minNs) + ".." + duration(maxNs);
    Matcher number = number(name, text, valid);
    long unit =
        switch (number.group(3)) {
          case "us" -> 1_000L;
          case "ms" -> 1_000_000L;
          case "s" -> 1_000_000_000L;
          case "m" -> 60_000_000_000L;
          default -> 0;
        };
    BigDecimal value = value(number, unit);
    if (unit == 0 && (!number.group(3).isEmpty() || value(number, 1).signum() != 0)) {
      throw new InvalidValueException(name, text, valid);
    }
    return bounded(name, text, value, minNs, maxNs, valid);
  }

  /**
   * Reads a bandwidth in bits a second, with an optional suffix k, m or g (1000). Rounded to the
   * bit.
   */
  public static long bandwidthBits(String name, String text, long minBits, long maxBits) {
    String valid = "bits a second with an optional k, m or g (1000), " + minBits + ".." + maxBits;
    Matcher number = number(name, text, valid);
    long unit =
        switch (number.group(3).toLowerCase(Locale.ROOT)) {
          case "" -> 1L;
          case "k" -> 1_000L;
          case "m" -> 1_000_000L;
          case "g" -> 1_000_000_000L;
          default -> throw new InvalidValueException(name, text, valid);
        };
    return bounded(name, text, value(number, unit), minBits, maxBits, valid);
  }

  /** Reads a probability: a fraction, 0..1. */
  public static double probability(String name, String text) {
    String valid = "a fraction, 0..1";
    Matcher number = number(name, text, valid);
    BigDecimal value = value(number, 1);
    if (!number.group(3).isEmpty() || value.compareTo(BigDecimal.ONE) > 0) {
      throw new InvalidValueException(name, text, valid);
    }
    return value.doubleValue();
  }

  /** Reads a 64-bit seed: decimal, signed or unsigned, or 0x and up to 16 hexadecimal digits. */
  public static long seed(String name, String text) {
    String valid = "64 bits: a decimal number -2^63..2^64-1, or 0x and 1 to 16 hexadecimal digits";
    if (HEX.matcher(text).matches()) {
      return Long.parseUnsignedLong(text.substring(2), 16);
    }
    if (!INTEGER.matcher(text).matches()) {
      throw new InvalidValueException(name, text, valid);
    }
    try {
      return text.charAt(0) == '-' ? Long.parseLong(text) : Long.parseUnsignedLong(text);
    } catch (NumberFormatException e) {
      throw new InvalidValueException(name, text, valid);
    }
  }

  /** Writes a size as people do: with the largest suffix that leaves a whole number. */
  public static String size(long bytes) {
    if (bytes == 0) {
      return "0";
    }
    int shift = Math.min(Long.numberOfTrailingZeros(bytes) / 10, 3);
    return (bytes >> shift * 10) + new String[] {"", "k", "m", "g"}[shift];
  }

  /**
   * Writes a duration as people do: with the largest unit that leaves a whole number. The smallest
   * unit is microseconds.
   */
  public static String duration(long ns) {
    long[] units = {60_000_000_000L, 1_000_000_000L, 1_000_000L};
    String[] names = {"m", "s", "ms"};
    for (int i = 0; i < units.length; i++) {
      if (ns != 0 && ns % units[i] == 0) {
        return ns / units[i] + names[i];
      }
    }
    return ns / 1_000 + "us";
  }

  private static Matcher number(String name, String text, String valid) {
    Matcher number = NUMBER.matcher(text);
    if (!number.matches()) {
      throw new InvalidValueException(name, text, valid);
    }
    return number;
  }

  private static BigDecimal value(Matcher number, long unit) {
    BigDecimal value = new BigDecimal(number.group(1)).multiply(BigDecimal.valueOf(unit));
    return number.group(2) == null
        ? value
        : value.scaleByPowerOfTen(Integer.parseInt(number.group(2)));
  }

  private static long bounded(
      String name, String text, BigDecimal value, long min, long max, String valid) {
    if (value.compareTo(BigDecimal.valueOf(min)) < 0
        || value.compareTo(BigDecimal.valueOf(max)) > 0) {
      throw new InvalidValueException(name, text, valid);
    }
    return value.setScale(0, RoundingMode.HALF_UP).longValueExact();
  }
}
