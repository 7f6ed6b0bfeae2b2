package io.rtransport.core.stats;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BoundTimesTest {
  private final BoundTimes times = new BoundTimes();

  @Test
  void shouldCountWhatHoldsUntilAnotherDoes() {
    times.onTurn(Bound.CONGESTION, 1_000);
    times.onTurn(Bound.CONGESTION, 1_500);
    times.onTurn(Bound.GRANT, 3_000);

    assertThat(times.ns(Bound.CONGESTION, 4_000)).isEqualTo(2_000);
    assertThat(times.ns(Bound.GRANT, 4_000)).isEqualTo(1_000);
    assertThat(times.ns(Bound.STORE, 4_000)).isZero();
    assertThat(times.current()).isEqualTo(Bound.GRANT);
  }

  @Test
  void shouldCountNothingWhileNothingHolds() {
    times.onTurn(Bound.CREDIT, -5_000);
    times.onTurn(Bound.NONE, -4_000);
    times.onTurn(Bound.CREDIT, 1_000);

    assertThat(times.ns(Bound.CREDIT, 1_250)).isEqualTo(1_250);
    assertThat(times.ns(Bound.NONE, 9_000)).isZero();
  }
}
