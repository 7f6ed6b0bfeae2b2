package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.Limits;
import org.junit.jupiter.api.Test;

class CreditTest {
  private static final int INITIAL = 16 << 10;

  private final Credit credit = new Credit(INITIAL, Limits.CREDIT_AHEAD_BYTES_MAX);

  @Test
  void shouldCountLengthHeaderAndThirtyTwo() {
    assertThat(Credit.costBytes(100, 7)).isEqualTo(139);
    assertThat(Credit.costBytes(0, 0)).isEqualTo(32);
  }

  @Test
  void shouldChargeToTheLastByteAndNotOneMore() {
    assertThat(credit.charge(INITIAL - 1)).isTrue();
    assertThat(credit.charge(2)).isFalse();
    assertThat(credit.isStalled()).isTrue();
    assertThat(credit.chargedBytes()).isEqualTo(INITIAL - 1);
    assertThat(credit.charge(1)).isTrue();
    assertThat(credit.isStalled()).isFalse();
  }

  @Test
  void shouldGoOnWhenTheLimitRisesAndIgnoreAnOldOne() {
    credit.charge(INITIAL);
    credit.charge(1);
    assertThat(credit.onLimit(INITIAL - 5)).isTrue();
    assertThat(credit.isStalled()).isTrue();
    assertThat(credit.onLimit(INITIAL + 1)).isTrue();
    assertThat(credit.isStalled()).isFalse();
    assertThat(credit.charge(1)).isTrue();
  }

  @Test
  void shouldIgnoreALimitFurtherAheadThanAgreed() {
    assertThat(credit.onLimit(Limits.CREDIT_AHEAD_BYTES_MAX + 1)).isFalse();
    assertThat(credit.limitBytes()).isEqualTo(INITIAL);
    assertThat(credit.onLimit(Limits.CREDIT_AHEAD_BYTES_MAX)).isTrue();
    assertThat(credit.limitBytes()).isEqualTo(Limits.CREDIT_AHEAD_BYTES_MAX);
    credit.charge(10);
    assertThat(credit.onLimit(Limits.CREDIT_AHEAD_BYTES_MAX + 10)).isTrue();
    assertThat(credit.onLimit(Long.MIN_VALUE)).isFalse();
  }

  @Test
  void shouldTakeNoMoreThanItSaidAtSetUp() {
    Credit former = new Credit(INITIAL, Limits.CREDIT_BYTES_MAX);
    assertThat(former.onLimit(Limits.CREDIT_BYTES_MAX + 1)).isFalse();
    assertThat(former.onLimit(Limits.CREDIT_BYTES_MAX)).isTrue();
    Credit large = new Credit(3 << 20, Limits.CREDIT_BYTES_MAX);
    assertThat(large.onLimit(3 << 20)).isTrue();
  }

  @Test
  void shouldReadTheHintAcrossTheWrapOfThirtyTwoBits() {
    long limit = INITIAL;
    while (limit < (1L << 32) - (1 << 20)) {
      assertThat(credit.charge(limit - credit.chargedBytes())).isTrue();
      limit += 1 << 20;
      assertThat(credit.onLimit(limit)).isTrue();
    }
    credit.charge(limit - credit.chargedBytes());
    long above = (1L << 32) + 77;
    assertThat(credit.onHint((int) above)).isTrue();
    assertThat(credit.limitBytes()).isEqualTo(above);
    // One from before the wrap is older, not four gigabytes ahead.
    assertThat(credit.onHint((int) (above - 1000))).isTrue();
    assertThat(credit.limitBytes()).isEqualTo(above);
  }
}
