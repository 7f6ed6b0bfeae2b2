package io.rtransport.core.rail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Knobs of health: the times that follow from them, what is refused, and when they count. */
class RailKnobsTest extends RailHealthFixture {
  @Test
  void shouldDivideTheTransactionTimeout() {
    RailHealthConfig usual = RailHealthConfig.usual();
    assertThat(usual.attemptNs(10 * SECOND)).isEqualTo(9_800 * MILLI / 3);
    assertThat(usual.pathTimeoutNs(10 * SECOND, 2)).isEqualTo(9_800 * MILLI / 3 / 2);
    assertThat(retries(usual, 0).attemptNs(10 * SECOND)).isEqualTo(10 * SECOND);
    assertThat(retries(usual, 5).attemptNs(10 * SECOND)).isEqualTo(9_500 * MILLI / 6);
    assertThat(usual.attemptNs(1)).as("less than the intervals").isEqualTo(1);
    RailHealthConfig letter = RailHealthConfig.hld();
    assertThat(letter.attemptNs(10 * SECOND)).isEqualTo(5 * SECOND);
    assertThat(letter.pathTimeoutNs(10 * SECOND, 2)).isEqualTo(2_500 * MILLI);
    assertThat(retries(letter, 0).attemptNs(10 * SECOND)).isEqualTo(10 * SECOND);
  }

  @Test
  void shouldGiveAPathTheTimeOfOneExchange() {
    RailHealthConfig usual = RailHealthConfig.usual();
    assertThat(usual.silenceAgainNs()).isEqualTo(9_800 * MILLI / 3);
    assertThat(RailHealthConfig.hld().silenceAgainNs()).isEqualTo(5 * SECOND);
    assertThat(RailHealthConfig.hld().silenceChargedNs()).isEqualTo(5 * SECOND);
  }

  @Test
  @DisplayName("Progress: a retry count of at most 5")
  void shouldAllowFiveRetriesAndNotSix() {
    assertThat(retries(RailHealthConfig.usual(), 5).get(HealthParameter.RETRY_COUNT)).isEqualTo(5);
    assertThatThrownBy(() -> retries(RailHealthConfig.usual(), 6))
        .hasMessage("retry-count=6, valid: 0..5");
  }

  private static RailHealthConfig retries(RailHealthConfig config, int count) {
    return config.with().set(HealthParameter.RETRY_COUNT, count).build();
  }

  // ---- values

  @Test
  void shouldRefuseValuesOutOfRangeByNameValueAndRange() {
    for (HealthParameter parameter : HealthParameter.values()) {
      for (long value : new long[] {parameter.min() - 1, parameter.max() + 1}) {
        assertThatThrownBy(() -> RailHealthConfig.usual().with().set(parameter, value).build())
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(parameter.text() + "=" + value)
            .hasMessageContaining(parameter.min() + ".." + parameter.max());
      }
    }
  }

  @Test
  void shouldCheckValuesTogetherWhateverTheirOrder() {
    RailHealthConfig slow =
        RailHealthConfig.usual()
            .with()
            .set(HealthParameter.PING_INTERVAL_MIN_MILLIS, 5_000) // above the old maximum
            .set(HealthParameter.PING_INTERVAL_MAX_MILLIS, 5_000)
            .build();
    assertThat(slow.get(HealthParameter.PING_INTERVAL_MIN_MILLIS)).isEqualTo(5_000);
    refused(
        RailHealthConfig.usual().with().set(HealthParameter.PING_INTERVAL_MAX_MILLIS, 199),
        "ping-interval-min-millis=200, valid: 10..199 (ping-interval-max-millis)");
    refused(
        RailHealthConfig.usual().with().set(HealthParameter.LOSS_AVOIDED_PERCENT, 9),
        "loss-charged-percent=10, valid: 1..9 (loss-avoided-percent)");
    refused(
        RailHealthConfig.usual().with().set(HealthParameter.TRANSACTION_TIMEOUT_MAX_MILLIS, 9_999),
        "transaction-timeout-millis=10000, valid: 100..9999 (transaction-timeout-max-millis)");
    refused(
        RailHealthConfig.usual().with().set(HealthParameter.RESEND_INTERVAL_MILLIS, 2_501),
        "resend-interval-millis=2501, valid: 0..2500 (transaction-timeout-millis / 4)");
    RailHealthConfig.usual().with().set(HealthParameter.RESEND_INTERVAL_MILLIS, 2_500).build();
  }

  private static void refused(RailHealthConfig.Builder builder, String message) {
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void shouldTakeNewKnobsAtOnce() {
    PairHealth pair = pair(1, 11);
    long version = rail.version();
    rail.config(
        RailHealthConfig.usual().with().set(HealthParameter.HEALTH_SENSITIVITY, 300).build());
    assertThat(rail.version()).isGreaterThan(version);
    pair.onSilent(false, NOW);
    assertThat(peer(11)).isEqualTo(700);
  }

  @Test
  void shouldChangeSomeKnobsOrNone() {
    rail.config(RailHealthConfig.usual().with().set(HealthParameter.RECOVERY_INCREMENT, 7).build());
    rail.change(c -> c.with().set(HealthParameter.HEALTH_SENSITIVITY, 300).build());
    assertThat(rail.config().get(HealthParameter.HEALTH_SENSITIVITY)).isEqualTo(300);
    assertThat(rail.config().get(HealthParameter.RECOVERY_INCREMENT)).isEqualTo(7);
    long version = rail.version();
    assertThatThrownBy(() -> rail.change(c -> c.with().set(HealthParameter.RETRY_COUNT, 6).build()))
        .hasMessage("retry-count=6, valid: 0..5");
    assertThat(rail.version()).isEqualTo(version);
  }
}
