package io.rtransport.core.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProofShareTest {
  @Test
  void shouldTakeTheShareOfCountsAndTimesButNotLessThanTheLeast() {
    ProofShare tenth = new ProofShare(0.1);
    assertThat(tenth.times(3, 50)).isEqualTo(5);
    assertThat(tenth.times(8, 50)).isEqualTo(8);
    assertThat(tenth.times(1, 51)).isEqualTo(6);
    assertThat(tenth.times(8, 2)).isEqualTo(2);
    assertThat(tenth.time(Duration.ofSeconds(30), Duration.ofMinutes(10))).hasMinutes(1);
    assertThat(tenth.time(Duration.ofSeconds(30), Duration.ofMinutes(1))).hasSeconds(30);
  }

  @Test
  void shouldTakeAllOfItByDefault() {
    assertThat(new ProofShare(1).times(1, 50)).isEqualTo(50);
    assertThat(new ProofShare(1).time(Duration.ZERO, Duration.ofMinutes(10))).hasMinutes(10);
  }

  @Test
  void shouldRefuseAShareOutsideItsRange() {
    assertThatThrownBy(() -> new ProofShare(0)).hasMessageContaining("rt.proof.share=0.0");
    assertThatThrownBy(() -> new ProofShare(1.01)).hasMessageContaining("rt.proof.share=1.01");
    assertThatThrownBy(() -> new ProofShare(Double.NaN)).hasMessageContaining("rt.proof.share=NaN");
  }
}
