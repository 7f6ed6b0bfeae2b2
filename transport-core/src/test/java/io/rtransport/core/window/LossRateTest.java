package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LossRateTest {
  private static final long NOW = -1_000_000_000_000L;

  private final LossRate rate = new LossRate();

  /** Counts packets of which the first {@code lost} were lost. Returns whether a block ended. */
  private boolean count(int packets, int lost, long nowNs) {
    for (int i = 0; i < packets; i++) {
      if (i < lost) {
        rate.onLost(nowNs);
      } else {
        rate.onArrived(nowNs);
      }
    }
    return rate.takeBlockEnd();
  }

  @Test
  void shouldKnowNothingBeforeABlockHasEnded() {
    assertThat(count(63, 63, NOW)).isFalse();
    assertThat(rate.isLastAbove(10, NOW)).isFalse();
    assertThat(rate.isAbove(10, NOW)).isFalse();
    assertThat(count(1, 0, NOW)).isTrue();
    assertThat(rate.isLastAbove(10, NOW)).isTrue();
  }

  @Test
  void shouldBeAboveOnlyBeyondThePercentage() {
    count(64, 6, NOW); // 9.4 %
    assertThat(rate.isLastAbove(10, NOW)).isFalse();
    count(64, 7, NOW); // 10.9 %
    assertThat(rate.isLastAbove(10, NOW)).isTrue();
    count(64, 64, NOW);
    assertThat(rate.isLastAbove(99, NOW)).isTrue();
    assertThat(rate.isLastAbove(100, NOW)).as("by the letter loss is nothing").isFalse();
  }

  @Test
  void shouldAddUpFourBlocks() {
    count(64, 64, NOW);
    count(64, 0, NOW);
    count(64, 0, NOW);
    assertThat(rate.isAbove(25, NOW)).as("a third").isTrue();
    count(64, 0, NOW);
    assertThat(rate.isAbove(25, NOW)).as("a quarter is not above").isFalse();
    assertThat(rate.isAbove(24, NOW)).isTrue();
    count(64, 0, NOW);
    assertThat(rate.isAbove(0, NOW)).as("the first is forgotten").isFalse();
  }

  @Test
  void shouldEndAShortBlockAfterASecond() {
    long laterNs = NOW + LossRate.SHORT_BLOCK_NS;
    assertThat(count(7, 7, NOW)).isFalse();
    assertThat(count(1, 0, laterNs - 1)).isFalse();
    assertThat(count(1, 0, laterNs)).isTrue();
    assertThat(rate.isLastAbove(50, laterNs)).isTrue();
    assertThat(count(7, 7, laterNs)).isFalse();
    assertThat(count(1, 0, laterNs + LossRate.SHORT_BLOCK_NS)).as("eight").isTrue();
  }

  @Test
  void shouldNotTakeTwoLossesForMoreThanChance() {
    count(7, 2, NOW);
    count(1, 0, NOW + LossRate.SHORT_BLOCK_NS);
    assertThat(rate.isLastAbove(10, NOW)).isFalse();
    count(7, 3, NOW);
    count(1, 0, NOW + LossRate.SHORT_BLOCK_NS);
    assertThat(rate.isLastAbove(10, NOW)).isTrue();
  }

  @Test
  void shouldForgetOldBlocks() {
    count(64, 64, NOW);
    assertThat(rate.isAbove(25, NOW + LossRate.AGE_NS - 1)).isTrue();
    assertThat(rate.isLastAbove(25, NOW + LossRate.AGE_NS - 1)).isTrue();
    assertThat(rate.isAbove(25, NOW + LossRate.AGE_NS)).isFalse();
    assertThat(rate.isLastAbove(25, NOW + LossRate.AGE_NS)).isFalse();
  }

  @Test
  void shouldTakeANeedlessResendBack() {
    count(32, 10, NOW);
    for (int i = 0; i < 12; i++) { // not below zero
      rate.onNeedless();
    }
    count(32, 3, NOW);
    assertThat(rate.isLastAbove(4, NOW)).isTrue();
    assertThat(rate.isLastAbove(5, NOW)).isFalse();
  }
}
