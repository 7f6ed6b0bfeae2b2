package io.rtransport.loadgen.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PooledByteBufAllocator;
import org.junit.jupiter.api.Test;

/** Is what the proofs find leaks with able to find one? */
class LeaksTest {
  private static final int FORGOTTEN = 10;

  @Test
  void shouldFindBuffersThatNobodyReleased() {
    Leaks leaks = Leaks.watch();
    assertThat(leaks.found()).isEmpty();
    for (int i = 0; i < FORGOTTEN; i++) {
      PooledByteBufAllocator.DEFAULT.directBuffer(16);
    }
    assertThat(leaks.found()).isNotEmpty();
  }
}
