package io.rtransport.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.loadgen.rig.SteadyState.Second;
import org.junit.jupiter.api.Test;

class SteadyStateTest {
  private static SteadyState rates(double compilers, long... messages) {
    SteadyState steady = new SteadyState(false);
    for (long count : messages) {
      steady.add(new Second(count, 1, count, compilers));
    }
    return steady;
  }

  private static SteadyState latencies(double... p99) {
    SteadyState steady = new SteadyState(true);
    for (double value : p99) {
      steady.add(new Second(1_000, 50, value, 0));
    }
    return steady;
  }

  private static SteadyState medians(double... p50) {
    SteadyState steady = new SteadyState(true);
    for (double value : p50) {
      steady.add(new Second(1_000, value, 1_000, 0));
    }
    return steady;
  }

  private static SteadyState compilers(double... shares) {
    SteadyState steady = new SteadyState(false);
    for (double share : shares) {
      steady.add(new Second(100, 1, 1, share));
    }
    return steady;
  }

  @Test
  void shouldWantFiveSecondsInARow() {
    assertThat(rates(0, 100, 100, 100, 100).isReached()).isFalse();
    assertThat(rates(0, 100, 100, 100, 100, 100).isReached()).isTrue();
    assertThat(rates(0, 100, 100, 50, 100, 100, 100, 100).isReached()).isFalse();
    assertThat(rates(0, 100, 100, 50, 100, 100, 100, 100, 100).isReached()).isTrue();
  }

  @Test
  void shouldTakeATenthAroundTheMedian() {
    assertThat(rates(0, 90, 100, 100, 110, 100).isReached()).isTrue();
    assertThat(rates(0, 89, 100, 100, 100, 100).isReached()).isFalse();
    assertThat(rates(0, 100, 100, 100, 100, 111).isReached()).isFalse();
  }

  @Test
  void shouldWaitForTheCompilers() {
    assertThat(rates(0.05, 100, 100, 100, 100, 100).isReached()).isFalse();
    assertThat(rates(0.049, 100, 100, 100, 100, 100).isReached()).isTrue();
  }

  @Test
  void shouldJudgeLatenciesWhereTheRateIsGiven() {
    assertThat(latencies(200, 200, 220, 200, 180).isReached()).isTrue();
    assertThat(latencies(200, 200, 221, 200, 200).isReached()).isFalse();
    assertThat(latencies(200, 200, 179, 200, 200).isReached()).isFalse();
    assertThat(medians(50, 55, 50, 45, 50).isReached()).isTrue();
    assertThat(medians(50, 56, 50, 50, 50).isReached()).isFalse();
    assertThat(medians(50, 44, 50, 50, 50).isReached()).isFalse();
  }

  /** What they used in the five seconds together, so one busy second among idle ones may pass. */
  @Test
  void shouldTakeTheCompilersOfAllFiveSecondsTogether() {
    assertThat(compilers(0, 0.24, 0, 0, 0).isReached()).isTrue();
    assertThat(compilers(0, 0.26, 0, 0, 0).isReached()).isFalse();
  }

  @Test
  void shouldNotCallNothingSteady() {
    assertThat(rates(0, 0, 0, 0, 0, 0).isReached()).isFalse();
  }
}
