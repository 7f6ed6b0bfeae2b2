package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SolicitationPolicyTest {
  private final SolicitationPolicy policy = new SolicitationPolicy(8192, 16 << 10);

  @Test
  void shouldAskAboveTheThresholdOnly() {
    assertThat(policy.isSolicited(8192, 0, false)).isFalse();
    assertThat(policy.isSolicited(8193, 0, false)).isTrue();
  }

  @Test
  void shouldAskOnACongestedPathUnlessTheMessageIsSmall() {
    int small = SolicitationPolicy.ALWAYS_UNSOLICITED_BYTES;
    assertThat(policy.isSolicited(small, 0, true)).isFalse();
    assertThat(policy.isSolicited(small + 1, 0, true)).isTrue();
  }

  @Test
  void shouldAskForWhatTheCreditCouldNeverCover() {
    SolicitationPolicy poor = new SolicitationPolicy(8192, 1000 + 10 + 32);
    assertThat(poor.isSolicited(1000, 10, false)).isFalse();
    assertThat(poor.isSolicited(1001, 10, false)).isTrue();
  }

  @Test
  void shouldNeverAskForAnEmptyMessage() {
    assertThat(new SolicitationPolicy(0, 0).isSolicited(0, 100, true)).isFalse();
  }
}
