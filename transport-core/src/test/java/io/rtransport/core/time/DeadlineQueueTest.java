package io.rtransport.core.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DeadlineQueueTest {
  private final DeadlineQueue queue = new DeadlineQueue();

  @Test
  void shouldHaveNoDeadlineWhenNothingIsSet() {
    queue.set(3, DeadlineQueue.NONE);

    assertThat(queue.nextDeadlineNs()).isEqualTo(DeadlineQueue.NONE);
    assertThat(queue.pollExpired(Long.MAX_VALUE - 1)).isEqualTo(-1);
  }

  @Test
  void shouldExpireAtTheDeadlineAndNotBefore() {
    queue.set(7, 100);

    assertThat(queue.pollExpired(99)).isEqualTo(-1);
    assertThat(queue.nextDeadlineNs()).isEqualTo(100);
    assertThat(queue.pollExpired(100)).isEqualTo(7);
    assertThat(queue.pollExpired(100)).isEqualTo(-1);
    assertThat(queue.nextDeadlineNs()).isEqualTo(DeadlineQueue.NONE);
  }

  @Test
  void shouldWaitForTheLaterDeadlineAfterItWasMovedBack() {
    queue.set(1, 100);
    queue.set(1, 250);

    assertThat(queue.pollExpired(200)).isEqualTo(-1);
    assertThat(queue.nextDeadlineNs()).isEqualTo(250);
    assertThat(queue.pollExpired(250)).isEqualTo(1);
  }

  @Test
  void shouldNeverExpireWhatWasStopped() {
    queue.set(1, 100);
    queue.set(1, DeadlineQueue.NONE);

    assertThat(queue.pollExpired(1_000)).isEqualTo(-1);
    assertThat(queue.nextDeadlineNs()).isEqualTo(DeadlineQueue.NONE);
  }

  @Test
  void shouldAgreeWithAPlainArrayUnderRandomUse() {
    for (long seed = 1; seed <= 50; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      DeadlineQueue tested = new DeadlineQueue();
      long[] oracle = new long[64];
      Arrays.fill(oracle, DeadlineQueue.NONE);
      long now = 0;
      for (int step = 0; step < 2_000; step++) {
        int slot = random.nextInt(oracle.length);
        long deadline =
            random.nextInt(8) == 0 ? DeadlineQueue.NONE : now + 1 + random.nextInt(1_000);
        tested.set(slot, deadline);
        oracle[slot] = deadline;
        now += random.nextInt(20);
        long least = Arrays.stream(oracle).min().getAsLong();
        assertThat(tested.nextDeadlineNs())
            .as("seed %d step %d", seed, step)
            .isLessThanOrEqualTo(least);
        for (int due = tested.pollExpired(now); due >= 0; due = tested.pollExpired(now)) {
          assertThat(oracle[due])
              .as("seed %d step %d slot %d", seed, step, due)
              .isLessThanOrEqualTo(now);
          oracle[due] = DeadlineQueue.NONE;
        }
        assertThat(Arrays.stream(oracle).min().getAsLong())
            .as("seed %d step %d", seed, step)
            .isGreaterThan(now);
      }
    }
  }
}
