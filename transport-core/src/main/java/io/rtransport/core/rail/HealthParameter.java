package io.rtransport.core.rail;

import java.util.Locale;

/**
 * Knobs of the health of interfaces, each with its unit, range, default and one sentence. The value
 * "by the letter" is what the LNet Health document says ({@link RailHealthConfig#hld()}). All can
 * be changed at run time.
 */
public enum HealthParameter {
  HEALTH_SENSITIVITY(
      "",
      0,
      1_000,
      100,
      100,
      "Health that a transient failure takes off an interface. 0 turns health off."),
  RECOVERY_INCREMENT(
      "", 1, 1_000, 200, 1, "Health that an answered PING gives back to an interface."),
  FAILED_PING_CHARGED(
      "", 0, 1, 0, 1, "Whether an unanswered PING takes health off as a failure does."),
  CHARGE_INTERVAL_MILLIS(
      "ms",
      0,
      60_000,
      1_000,
      0,
      "Least time between two charges of an interface for the same cause, whoever reports it."),
  PING_INTERVAL_MIN_MILLIS(
      "ms", 10, 60_000, 200, 1_000, "Time to the next PING after one that was answered."),
  PING_INTERVAL_MAX_MILLIS(
      "ms", 10, 60_000, 1_000, 1_000, "Longest time between PINGs that are not answered."),
  HEALTH_RANGE(
      "",
      0,
      1_001,
      1_001,
      0,
      "Healths that differ by at most this are equal. 1001: bands are compared, not numbers."),
  SILENCE_CHARGED_MILLIS(
      "ms",
      0,
      60_000,
      250,
      0,
      "Time for which a suspect path is silent before that costs health. 0: the path timeout."),
  LOSS_CHARGED_PERCENT(
      "%", 1, 100, 10, 100, "Loss over 64 packets of a path above which it costs health."),
  LOSS_AVOIDED_PERCENT(
      "%", 1, 100, 25, 100, "Loss over 256 packets of a path above which it carries PINGs only."),
  TRICKLE_BURSTS(
      "bursts",
      0,
      65_536,
      64,
      0,
      "One burst in so many goes to a path that is not among the healthiest. 0: none."),
  RETRY_COUNT("", 0, 5, 2, 2, "Most times that a message is sent again after a failure."),
  RESEND_INTERVAL_MILLIS(
      "ms", 0, 10_000, 100, 0, "Least time between two attempts to send a message."),
  TRANSACTION_TIMEOUT_MILLIS(
      "ms", 100, 86_400_000, 10_000, 10_000, "Time for a transaction whose caller gives none."),
  TRANSACTION_TIMEOUT_MAX_MILLIS(
      "ms", 100, 86_400_000, 600_000, 600_000, "Longest time that a caller may give.");

  private final String unit;
  private final long min;
  private final long max;
  private final long usual;
  private final long letter;
  private final String sentence;

  HealthParameter(String unit, long min, long max, long usual, long letter, String sentence) {
    this.unit = unit;
    this.min = min;
    this.max = max;
    this.usual = usual;
    this.letter = letter;
    this.sentence = sentence;
  }

  /** Returns its name in text: {@code health-sensitivity}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the text behind a value; empty for none. */
  public String unit() {
    return unit;
  }

  public long min() {
    return min;
  }

  public long max() {
    return max;
  }

  /** Returns the default. */
  public long usual() {
    return usual;
  }

  /** Returns the value by the letter of the document. */
  public long letter() {
    return letter;
  }

  /** Returns its meaning in one sentence. */
  public String sentence() {
    return sentence;
  }

  void check(long value) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          text()
              + "="
              + value
              + ", valid: "
              + min
              + ".."
              + max
              + (unit.isEmpty() ? "" : " " + unit));
    }
  }
}
