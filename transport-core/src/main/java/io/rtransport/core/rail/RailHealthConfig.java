package io.rtransport.core.rail;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Values of all {@link HealthParameter}s, which fit together. Immutable.
 *
 * <p>Health is a number from 0 to {@link #HEALTH_MAX}. By default selection compares <b>bands</b>:
 * full (1000), fair (500 to 999), poor (1 to 499), none (0). By the letter it compares the numbers.
 */
public final class RailHealthConfig {
  /** Health of an interface that has not failed. LNet Health, "Health value updates", 1.a. */
  public static final int HEALTH_MAX = 1_000;

  /** Value of {@link HealthParameter#HEALTH_RANGE} with which bands are compared. */
  private static final int BANDS = HEALTH_MAX + 1;

  private static final RailHealthConfig USUAL = new Builder(false).build();
  private static final RailHealthConfig LETTER = new Builder(true).build();

  private final long[] values;
  private final boolean isLetter;

  private RailHealthConfig(long[] values, boolean isLetter) {
    this.values = values;
    this.isLetter = isLetter;
  }

  /** Returns the defaults. */
  public static RailHealthConfig usual() {
    return USUAL;
  }

  /**
   * Returns the LNet Health document's own arithmetic of health, its times of pings and its order
   * of comparison. What else differs stands in docs/reference/lnet-conformance.md.
   */
  public static RailHealthConfig hld() {
    return LETTER;
  }

  /** Returns the value of a parameter in its unit. */
  public long get(HealthParameter parameter) {
    return values[parameter.ordinal()];
  }

  /** Returns a parameter that is a time in milliseconds, in nanoseconds. */
  long ns(HealthParameter parameter) {
    return TimeUnit.MILLISECONDS.toNanos(get(parameter));
  }

  int intOf(HealthParameter parameter) {
    return (int) get(parameter);
  }

  /**
   * Returns whether selection follows the document's pseudocode: our interface first, then the
   * peer's. By default the weaker of the two decides first.
   */
  boolean isLetter() {
    return isLetter;
  }

  /** Returns a builder that begins with these values. */
  public Builder with() {
    return new Builder(values.clone(), isLetter);
  }

  // ---- comparing

  /** Returns whether an interface of health {@code health} is as good as one of {@code best}. */
  public boolean isAsGood(int health, int best) {
    int range = intOf(HealthParameter.HEALTH_RANGE);
    if (get(HealthParameter.HEALTH_SENSITIVITY) == 0) {
      return true;
    }
    return range == BANDS ? Band.of(health).compareTo(Band.of(best)) >= 0 : best - health <= range;
  }

  // ---- timeouts, trickling down

  /**
   * Returns the time of one attempt. By default all attempts and the intervals between them fit
   * into the transaction's time. By the letter it is transaction timeout ÷ retry count (LNet
   * Health, "LND interface" and "System timeouts"), and the whole time without retries.
   *
   * @param transactionNs time of the transaction, ns
   */
  public long attemptNs(long transactionNs) {
    long retries = get(HealthParameter.RETRY_COUNT);
    if (isLetter) {
      return transactionNs / Math.max(1, retries);
    }
    long pausesNs = retries * ns(HealthParameter.RESEND_INTERVAL_MILLIS);
    return Math.max(1, (transactionNs - pausesNs) / (retries + 1));
  }

  /**
   * Returns the time in which a path has to make progress: the attempt's, divided by the exchanges
   * that the message needs.
   *
   * @param exchanges 1 for a pull or an unsolicited push, 2 for a solicited push
   */
  public long pathTimeoutNs(long transactionNs, int exchanges) {
    return attemptNs(transactionNs) / exchanges;
  }

  /** Returns the path timeout of a transaction without a time of its own. */
  long pathTimeoutNs() {
    return pathTimeoutNs(ns(HealthParameter.TRANSACTION_TIMEOUT_MILLIS), 1);
  }

  /** Returns the least time between two PINGs to an interface, ns. */
  public long pingIntervalNsMin() {
    return ns(HealthParameter.PING_INTERVAL_MIN_MILLIS);
  }

  /** Returns after which silence a suspect path costs health, ns. */
  public long silenceChargedNs() {
    long silenceNs = ns(HealthParameter.SILENCE_CHARGED_MILLIS);
    return silenceNs == 0 ? pathTimeoutNs() : silenceNs;
  }

  /** Returns between which times a path that stays silent costs health again, ns. */
  public long silenceAgainNs() {
    return pathTimeoutNs();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RailHealthConfig that
        && isLetter == that.isLetter
        && Arrays.equals(values, that.values);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (HealthParameter parameter : HealthParameter.values()) {
      text.append(text.isEmpty() ? "" : " ").append(parameter.text()).append('=');
      text.append(get(parameter));
    }
    return text.toString();
  }

  /** Collects values. They are checked together at {@link #build}, whatever their order. */
  public static final class Builder {
    private final long[] values;
    private final boolean isLetter;

    private Builder(boolean isLetter) {
      this(new long[HealthParameter.values().length], isLetter);
      for (HealthParameter parameter : HealthParameter.values()) {
        values[parameter.ordinal()] = isLetter ? parameter.letter() : parameter.usual();
      }
    }

    private Builder(long[] values, boolean isLetter) {
      this.values = values;
      this.isLetter = isLetter;
    }

    /** Sets a value in its parameter's unit. */
    public Builder set(HealthParameter parameter, long value) {
      values[parameter.ordinal()] = value;
      return this;
    }

    /**
     * Returns the configuration.
     *
     * @throws IllegalArgumentException naming the parameter, the value and the valid range
     */
    public RailHealthConfig build() {
      for (HealthParameter parameter : HealthParameter.values()) {
        parameter.check(values[parameter.ordinal()]);
      }
      atMost(HealthParameter.PING_INTERVAL_MIN_MILLIS, HealthParameter.PING_INTERVAL_MAX_MILLIS, 1);
      atMost(HealthParameter.LOSS_CHARGED_PERCENT, HealthParameter.LOSS_AVOIDED_PERCENT, 1);
      atMost(
          HealthParameter.TRANSACTION_TIMEOUT_MILLIS,
          HealthParameter.TRANSACTION_TIMEOUT_MAX_MILLIS,
          1);
      atMost(
          HealthParameter.RESEND_INTERVAL_MILLIS,
          HealthParameter.TRANSACTION_TIMEOUT_MILLIS,
          2 * Math.max(1, values[HealthParameter.RETRY_COUNT.ordinal()]));
      return new RailHealthConfig(values.clone(), isLetter);
    }

    private void atMost(HealthParameter lower, HealthParameter upper, long times) {
      long most = values[upper.ordinal()] / times;
      if (values[lower.ordinal()] > most) {
        String why = times == 1 ? upper.text() : upper.text() + " / " + times;
        throw new IllegalArgumentException(
            lower.text()
                + "="
                + values[lower.ordinal()]
                + ", valid: "
                + lower.min()
                + ".."
                + most
                + " ("
                + why
                + ")");
      }
    }
  }
}
