package io.rtransport.core.text;

import io.rtransport.core.fuzz.FuzzInput;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Map;

/**
 * Sizes, durations, counts and fractions as people may type them, against plain arithmetic; and
 * back from what we write ourselves.
 */
public final class QuantityFuzz {
  private static final Map<String, Long> SIZES =
      Map.of("", 1L, "k", 1L << 10, "m", 1L << 20, "g", 1L << 30);
  private static final Map<String, Long> DURATIONS =
      Map.of("us", 1_000L, "ms", 1_000_000L, "s", 1_000_000_000L, "m", 60_000_000_000L);

  /** A number, and what stands behind it. */
  private record Parts(BigDecimal number, boolean isWhole, String unit) {}

  private QuantityFuzz() {}

  /** Bounds, then the text. */
  public static void fuzzerTestOneInput(byte[] data) {
    FuzzInput input = new FuzzInput(data);
    int kind = input.below(4);
    long a = input.i64() >> input.below(64);
    long b = input.i64() >> input.below(64);
    long min = Math.min(a, b);
    long max = Math.max(a, b);
    String text = input.text();
    Parts parts = parts(text);
    switch (kind) {
      case 0 -> {
        boolean isWhole = text.matches("-?[0-9]{1,20}");
        check(
            isWhole ? new BigDecimal(text) : null,
            min,
            max,
            () -> Quantity.count("n", text, min, max));
      }
      case 1 -> {
        Long unit = parts == null || !parts.isWhole ? null : SIZES.get(lower(parts.unit));
        long from = Math.abs(min >> 1);
        long to = Math.max(from, Math.abs(max >> 1));
        check(times(parts, unit), from, to, () -> Quantity.sizeBytes("n", text, from, to));
        require(Quantity.sizeBytes("n", Quantity.size(from), 0, Long.MAX_VALUE) == from, "size");
      }
      case 2 -> {
        Long unit = parts == null ? null : DURATIONS.get(parts.unit);
        boolean isZero = parts != null && parts.unit.isEmpty() && parts.number.signum() == 0;
        BigDecimal value = isZero ? BigDecimal.ZERO : times(parts, unit);
        check(value, min, max, () -> Quantity.durationNs("n", text, min, max));
        long micros = Math.abs(min >> 1) / 1_000 * 1_000;
        String written = Quantity.duration(micros);
        require(Quantity.durationNs("n", written, 0, Long.MAX_VALUE) == micros, written);
      }
      default -> {
        boolean isFraction = parts != null && parts.unit.isEmpty();
        boolean isRight = isFraction && parts.number.compareTo(BigDecimal.ONE) <= 0;
        try {
          double p = Quantity.probability("n", text);
          require(isRight && p == parts.number.doubleValue() && p >= 0 && p <= 1, text);
        } catch (InvalidValueException e) {
          require(!isRight, text);
        }
      }
    }
  }

  private interface Reading {
    long read();
  }

  private static void check(BigDecimal value, long min, long max, Reading reading) {
    boolean isRight =
        value != null
            && value.compareTo(BigDecimal.valueOf(min)) >= 0
            && value.compareTo(BigDecimal.valueOf(max)) <= 0;
    try {
      long read = reading.read();
      require(isRight, "taken: " + value);
      long expected = value.setScale(0, RoundingMode.HALF_UP).longValueExact();
      require(read == expected, read + ", not " + expected);
    } catch (InvalidValueException e) {
      require(!isRight, "refused: " + value);
      require(e.getMessage().chars().noneMatch(Character::isISOControl), "control character");
    }
  }

  private static BigDecimal times(Parts parts, Long unit) {
    return parts == null || unit == null ? null : parts.number.multiply(BigDecimal.valueOf(unit));
  }

  /**
   * At most 20 digits, and 20 behind a point, an exponent of two digits, letters; null for anything
   * else.
   */
  private static Parts parts(String text) {
    int at = 0;
    int whole = digits(text, at);
    at += whole;
    int fraction = 0;
    boolean hasPoint = at < text.length() && text.charAt(at) == '.';
    if (hasPoint) {
      fraction = digits(text, at + 1);
      at += 1 + fraction;
    }
    boolean isNumber = whole <= 20 && fraction <= 20 && (hasPoint ? fraction > 0 : whole > 0);
    if (!isNumber) {
      return null;
    }
    BigDecimal number = new BigDecimal(text.substring(0, at));
    boolean hasExponent = false;
    if (at < text.length() && (text.charAt(at) | 0x20) == 'e') {
      int sign = at + 1 < text.length() && text.charAt(at + 1) == '-' ? 1 : 0;
      int digits = digits(text, at + 1 + sign);
      if (digits >= 1 && digits <= 2) {
        hasExponent = true;
        number =
            number.scaleByPowerOfTen(
                Integer.parseInt(text.substring(at + 1, at + 1 + sign + digits)));
        at += 1 + sign + digits;
      }
    }
    String unit = text.substring(at);
    boolean isUnit = unit.chars().allMatch(c -> (c | 0x20) >= 'a' && (c | 0x20) <= 'z' && c < 128);
    return isUnit ? new Parts(number, !hasPoint && !hasExponent, unit) : null;
  }

  private static int digits(String text, int from) {
    int at = from;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    return at - from;
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  private static void require(boolean isRight, String what) {
    if (!isRight) {
      throw new AssertionError(what);
    }
  }
}
