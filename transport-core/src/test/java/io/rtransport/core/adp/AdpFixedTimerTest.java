package io.rtransport.core.adp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** roce_adp_retrans_en = 0: the timer is ack_timeout and nothing else, whatever the path shows. */
class AdpFixedTimerTest {
  private static final long ACK_TIMEOUT_14_NS = 4_096L << 14;
  private static final AdpParameters FIXED = AdpParameters.DEFAULT.withAdaptive(false);

  @Test
  void shouldArmAckTimeoutAfterAnyRunOfEventsAndAboveNoFloor() {
    AdpTimer timer = new AdpTimer(BuiltInProfiles.LAN, FIXED, 10);
    for (int i = 0; i < 20; i++) {
      assertThat(timer.timeoutNs(AdpTimer.FLOOR_UNSAMPLED_NS)).isEqualTo(ACK_TIMEOUT_14_NS);
      assertThat(timer.timeoutNs(5_000_000_000L)).isEqualTo(ACK_TIMEOUT_14_NS);
      timer.onTimeout();
    }
    timer.onProgress();
    assertThat(timer.timeoutNs(AdpTimer.FLOOR_UNSAMPLED_NS)).isEqualTo(ACK_TIMEOUT_14_NS);
  }

  @Test
  void shouldWalkThroughNoRange() {
    AdpTimer timer = new AdpTimer(BuiltInProfiles.LAN, FIXED, 11);
    for (int i = 1; i <= 5; i++) {
      timer.onTimeout();
      assertThat(timer.rangeIndex()).isEqualTo(AdpTimer.NO_RANGE);
      assertThat(timer.exponent()).isEqualTo(11);
      assertThat(timer.timeoutsInRow()).isEqualTo(i);
    }
    timer.onProgress();
    assertThat(timer.timeoutsInRow()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"1, 8192", "2, 16384", "31, 8796093022208"})
  void shouldTakeAnyAckTimeoutFromOneOn(int n, long armedNs) {
    AdpTimer timer = new AdpTimer(BuiltInProfiles.WAN, FIXED.withAckTimeout(n), 15);
    assertThat(timer.timeoutNs(0)).isEqualTo(armedNs);
  }

  @Test
  void shouldRefuseAnAckTimeoutThatIsOffNamingBoth() {
    assertThatThrownBy(() -> FIXED.withAckTimeout(0))
        .isInstanceOf(InvalidProfileException.class)
        .hasMessageContaining("roce_adp_retrans_en=0")
        .hasMessageContaining("ack_timeout=0")
        .hasMessageContaining("1..31");
    assertThatThrownBy(() -> AdpParameters.DEFAULT.withAckTimeout(0).withAdaptive(false))
        .isInstanceOf(InvalidProfileException.class);
  }

  @Test
  void shouldStillGiveUpAtTheTotalOfTheProfileOrOfTheQueuePair() {
    assertThat(new AdpTimer(BuiltInProfiles.LAN, FIXED, 10).totalNs()).isEqualTo(4_000L << 20);
    AdpProfile qp =
        AdpProfile.builder().qpTotalTimeout(true).range(0, 0, 1, DecMode.DIV_2, 0).build();
    assertThat(new AdpTimer(qp, FIXED, 0).totalNs()).isEqualTo(7 * ACK_TIMEOUT_14_NS);
  }
}
