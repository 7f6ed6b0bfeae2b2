package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SolicitationPolicyTest {
  private final SolicitationPolicy policy = new SolicitationPolicy(8192, 256, 16 << 10);

  @Test
  void shouldAskAboveTheThresholdOnly() {
    assertThat(policy.isSolicited(8192, 0, false)).isFalse();
    assertThat(policy.isSolicited(8193, 0, false)).isTrue();
  }

  @Test
  void shouldAskAboveTheLevelOnACongestedPath() {
    assertThat(policy.isSolicited(256, 0, true)).isFalse();
    assertThat(policy.isSolicited(257, 0, true)).isTrue();
    assertThat(policy.isSolicited(257, 0, false)).isFalse();
  }

  @Test
  void shouldAskForWhatTheCreditCouldNeverCover() {
    SolicitationPolicy poor = new SolicitationPolicy(8192, 256, 1000 + 10 + 32);
    assertThat(poor.isSolicited(1000, 10, false)).isFalse();
    assertThat(poor.isSolicited(1001, 10, false)).isTrue();
  }

  @Test
  void shouldHeedCongestionOnlyBelowTheThreshold() {
    assertThat(policy.heedsCongestion()).isTrue();
    assertThat(new SolicitationPolicy(8192, 8191, 0).heedsCongestion()).isTrue();
    assertThat(new SolicitationPolicy(8192, 8192, 0).heedsCongestion()).isFalse();
  }

  @Test
  void shouldNeverAskForAnEmptyMessage() {
    assertThat(new SolicitationPolicy(0, 256, 0).isSolicited(0, 100, true)).isFalse();
  }
}
