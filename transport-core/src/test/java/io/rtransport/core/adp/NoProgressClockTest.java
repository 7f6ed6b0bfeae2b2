package io.rtransport.core.adp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NoProgressClockTest {
  private final NoProgressClock clock = new NoProgressClock();

  @Test
  void shouldNotRunBeforeAnythingIsOutstanding() {
    assertThat(clock.hasReached(0, 5)).isFalse();
    assertThat(clock.elapsedNs(5)).isZero();
    assertThat(clock.reachesAtNs(10)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldRunFromTheFirstSendAndNotFromLaterOnes() {
    clock.onOutstanding(100);
    clock.onOutstanding(150);
    assertThat(clock.elapsedNs(200)).isEqualTo(100);
    assertThat(clock.hasReached(101, 200)).isFalse();
    assertThat(clock.hasReached(100, 200)).isTrue();
    assertThat(clock.reachesAtNs(100)).isEqualTo(200);
  }

  @Test
  void shouldStartAgainAtProgressWhileSomethingIsLeft() {
    clock.onOutstanding(100);
    clock.onProgress(180, true);
    assertThat(clock.elapsedNs(200)).isEqualTo(20);
    clock.onProgress(220, false);
    assertThat(clock.isRunning()).isFalse();
    assertThat(clock.hasReached(0, 1_000)).isFalse();
    clock.onOutstanding(300);
    assertThat(clock.elapsedNs(301)).isEqualTo(1);
    clock.stop();
    assertThat(clock.isRunning()).isFalse();
  }

  @Test
  void shouldLeaveATotalOfZeroToTheFirstExpiry() {
    clock.onOutstanding(100);
    assertThat(clock.reachesAtNs(0)).isEqualTo(Long.MAX_VALUE);
    assertThat(clock.hasReached(0, 100)).isTrue();
  }

  @Test
  void shouldNotOverflow() {
    clock.onOutstanding(100);
    assertThat(clock.reachesAtNs(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    assertThat(clock.hasReached(Long.MAX_VALUE, Long.MAX_VALUE)).isFalse();
    NoProgressClock early = new NoProgressClock();
    early.onOutstanding(Long.MIN_VALUE + 5);
    assertThat(early.elapsedNs(Long.MIN_VALUE + 9)).isEqualTo(4);
    assertThat(early.reachesAtNs(10)).isEqualTo(Long.MIN_VALUE + 15);
  }
}
