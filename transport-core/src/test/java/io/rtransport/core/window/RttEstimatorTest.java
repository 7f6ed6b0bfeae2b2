package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RttEstimatorTest {
  @Test
  void shouldSmoothAsRfc6298Does() {
    RttEstimator rtt = new RttEstimator();
    assertThat(rtt.hasSample()).isFalse();
    rtt.onSample(800, 0, 0);
    assertThat(rtt.smoothedNs()).isEqualTo(800);
    assertThat(rtt.variationNs()).isEqualTo(400);
    rtt.onSample(1_600, 0, 0);
    assertThat(rtt.variationNs()).isEqualTo(400 + (800 - 400) / 4);
    assertThat(rtt.smoothedNs()).isEqualTo(800 + 800 / 8);
    assertThat(rtt.latestNs()).isEqualTo(1_600);
    assertThat(rtt.minNs()).isEqualTo(800);
  }

  @Test
  void shouldTakeTheHeldTimeOffButNeverBelowTheLeastRealRoundTrip() {
    RttEstimator rtt = new RttEstimator();
    rtt.onSample(1_000, 0, 0);
    rtt.onSample(3_000, 1_500, 0);
    assertThat(rtt.latestNs()).isEqualTo(1_500);
    rtt.onSample(3_000, 2_999, 0);
    assertThat(rtt.latestNs()).isEqualTo(1_000);
  }

  @Test
  void shouldIgnoreAHeldTimeLongerThanTheWholeTime() {
    RttEstimator rtt = new RttEstimator();
    rtt.onSample(1_000, 1_001, 0);
    assertThat(rtt.hasSample()).isFalse();
    rtt.onSample(1_000, 1_000, 0);
    assertThat(rtt.hasSample()).isTrue();
  }

  @Test
  void shouldForgetTheLeastAfterTwoPeriods() {
    RttEstimator rtt = new RttEstimator();
    rtt.onSample(100, 0, 0);
    rtt.onSample(500, 0, RttEstimator.MINIMUM_PERIOD_NS);
    assertThat(rtt.minNs()).isEqualTo(100);
    rtt.onSample(600, 0, 2 * RttEstimator.MINIMUM_PERIOD_NS - 1);
    assertThat(rtt.minNs()).isEqualTo(100);
    rtt.onSample(700, 0, 2 * RttEstimator.MINIMUM_PERIOD_NS);
    assertThat(rtt.minNs()).isEqualTo(500);
  }

  @Test
  void shouldWantAPromptAnswerAfterAWhileOfHeldOnesAndAgainIfNoneComes() {
    RttEstimator rtt = new RttEstimator();
    rtt.onSample(100, 0, 0);
    assertThat(rtt.isPromptWanted(RttEstimator.PROMPT_NS)).as("the last was prompt").isFalse();
    rtt.onSample(1_000, 251, 1);
    assertThat(rtt.isPromptWanted(RttEstimator.PROMPT_NS - 1)).isFalse();
    assertThat(rtt.isPromptWanted(RttEstimator.PROMPT_NS)).isTrue();
    long againNs = RttEstimator.PROMPT_NS + RttEstimator.ASK_AGAIN_NS;
    assertThat(rtt.isPromptWanted(againNs - 1)).isFalse();
    assertThat(rtt.isPromptWanted(againNs)).isTrue();
    rtt.onSample(1_000, 250, againNs + 1);
    rtt.onSample(1_000, 900, againNs + 2);
    assertThat(rtt.isPromptWanted(againNs + RttEstimator.PROMPT_NS)).isFalse();
    assertThat(rtt.isPromptWanted(againNs + 1 + RttEstimator.PROMPT_NS)).isTrue();
  }

  @Test
  void shouldForgetAllButTheOneSampleItStartsAgainWith() {
    RttEstimator rtt = new RttEstimator();
    rtt.onSample(100, 0, 0);
    rtt.onSample(300, 0, RttEstimator.MINIMUM_PERIOD_NS);
    rtt.restart(5_000, RttEstimator.MINIMUM_PERIOD_NS + 1);
    assertThat(rtt.smoothedNs()).isEqualTo(5_000);
    assertThat(rtt.variationNs()).isEqualTo(2_500);
    assertThat(rtt.minNs()).isEqualTo(5_000);
  }
}
