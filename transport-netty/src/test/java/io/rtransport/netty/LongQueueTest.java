package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LongQueueTest {
  @Test
  void shouldKeepTheOrderWhileItGrowsWithItsHeadInTheMiddle() {
    LongQueue queue = new LongQueue();
    long next = 0;
    long expected = 0;
    for (int round = 0; round < 50; round++) {
      for (int i = 0; i < 7; i++) {
        queue.add(next++);
      }
      for (int i = 0; i < 5; i++) {
        assertThat(queue.peek()).isEqualTo(expected);
        assertThat(queue.poll()).isEqualTo(expected++);
      }
    }
    while (!queue.isEmpty()) {
      assertThat(queue.poll()).isEqualTo(expected++);
    }
    assertThat(expected).isEqualTo(next);
  }
}
