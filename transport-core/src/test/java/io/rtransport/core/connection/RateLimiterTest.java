package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RateLimiterTest {
  @Test
  void shouldAllowItsBurstAndThenItsRate() {
    RateLimiter limiter = new RateLimiter(10, 3); // one each 100 ms
    int atOnce = 0;
    while (limiter.tryAcquire(1_000)) {
      atOnce++;
    }
    assertThat(atOnce).isEqualTo(3);
    assertThat(limiter.tryAcquire(1_000 + 99_999_999)).isFalse();
    assertThat(limiter.tryAcquire(1_000 + 100_000_000)).isTrue();
    assertThat(limiter.tryAcquire(1_000 + 100_000_000)).isFalse();
  }

  @Test
  void shouldBeFullAgainAfterSilence() {
    RateLimiter limiter = new RateLimiter(1_000, 100);
    for (int i = 0; i < 100; i++) {
      assertThat(limiter.tryAcquire(0)).isTrue();
    }
    assertThat(limiter.tryAcquire(0)).isFalse();
    for (int i = 0; i < 100; i++) {
      assertThat(limiter.tryAcquire(1_000_000_000)).isTrue();
    }
    assertThat(limiter.tryAcquire(1_000_000_000)).isFalse();
  }
}
