package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PathNeedTest {
  private static final long RTT_NS = 10_000_000;

  private final PathNeed need = new PathNeed();

  @Test
  void shouldAskForMoreWhenMoreThanHalfIsTakenInARoundTrip() {
    assertThat(need.isMore(5_000, 1_000, RTT_NS, 7)).isFalse();
    assertThat(need.isMore(5_501, 1_000, RTT_NS, 7 + RTT_NS)).isTrue();
  }

  @Test
  void shouldNotAskWhenHalfIsTaken() {
    need.isMore(5_000, 1_000, RTT_NS, 7);
    assertThat(need.isMore(5_500, 1_000, RTT_NS, 7 + RTT_NS)).isFalse();
  }

  @Test
  void shouldNotAskBeforeARoundTripIsOver() {
    need.isMore(0, 1_000, RTT_NS, 0);
    assertThat(need.isMore(900, 1_000, RTT_NS, RTT_NS - 1)).isFalse();
    assertThat(need.isMore(900, 1_000, RTT_NS, RTT_NS)).isTrue();
  }

  @Test
  void shouldCountTheRateWhereTurnsAreFurtherApart() {
    need.isMore(0, 1_000, RTT_NS, 0);
    assertThat(need.isMore(2_000, 1_000, RTT_NS, 4 * RTT_NS)).isFalse();
    assertThat(need.isMore(4_004, 1_000, RTT_NS, 8 * RTT_NS)).isTrue();
  }

  @Test
  void shouldAskForNothingWithoutASample() {
    need.isMore(0, 1_000, 0, 0);
    assertThat(need.isMore(1_000_000, 1_000, 0, 5)).isFalse();
  }
}
