package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProbeBudgetTest {
  private static final long START_NS = -7_000_000_000L; // a clock may be below zero

  private final ProbeBudget budget = new ProbeBudget();

  private int takeAll(long nowNs) {
    int taken = 0;
    while (budget.tryTake(false, nowNs)) {
      taken++;
    }
    return taken;
  }

  private void send(int packets) {
    for (int i = 0; i < packets; i++) {
      budget.onSent();
    }
  }

  @Test
  void shouldBeginWithItsTokensAndNoMore() {
    assertThat(takeAll(START_NS)).isEqualTo(ProbeBudget.TOKENS_MAX);
    assertThat(budget.tokens()).isZero();
  }

  @Test
  void shouldEarnATokenWithThePacketThatMakesItsShareFull() {
    takeAll(START_NS);
    send(ProbeBudget.PACKETS_PER_TOKEN - 1);
    assertThat(budget.tryTake(false, START_NS)).isFalse();
    send(1);
    assertThat(takeAll(START_NS)).isEqualTo(1);
  }

  @Test
  void shouldEarnATokenAnIntervalThoughNothingIsSent() {
    takeAll(START_NS);
    assertThat(budget.tryTake(false, START_NS + ProbeBudget.TOKEN_INTERVAL_NS - 1)).isFalse();
    assertThat(takeAll(START_NS + ProbeBudget.TOKEN_INTERVAL_NS)).isEqualTo(1);
    assertThat(takeAll(START_NS + 3 * ProbeBudget.TOKEN_INTERVAL_NS + 1)).isEqualTo(2);
  }

  @Test
  void shouldNeverHoldMoreThanTheMost() {
    send(100 * ProbeBudget.PACKETS_PER_TOKEN);
    assertThat(takeAll(START_NS)).isEqualTo(ProbeBudget.TOKENS_MAX);
    long laterNs = START_NS + 10_000 * ProbeBudget.TOKEN_INTERVAL_NS;
    assertThat(takeAll(laterNs)).isEqualTo(ProbeBudget.TOKENS_MAX);
  }

  @Test
  void shouldGiveATokenBackForAProbeThatWasNeeded() {
    for (int i = 0; i < 10 * ProbeBudget.TOKENS_MAX; i++) {
      assertThat(budget.tryTake(false, START_NS)).as("probe " + i).isTrue();
      budget.onNeeded();
    }
  }

  @Test
  void shouldOweForProbesThatProveNeedlessAfterwardsButNoMoreThanTheMost() {
    takeAll(START_NS);
    budget.onNeeded();
    budget.onNeedless(1);
    assertThat(budget.tryTake(false, START_NS)).isFalse();
    budget.onNeedless(1_000_000);
    assertThat(budget.tokens()).isEqualTo(-ProbeBudget.TOKENS_MAX);
    send((ProbeBudget.TOKENS_MAX + 1) * ProbeBudget.PACKETS_PER_TOKEN);
    assertThat(takeAll(START_NS)).isEqualTo(1);
  }

  @Test
  void shouldKeepAReserveFromPathsWhoseProbesProvedNeedless() {
    int taken = 0;
    while (budget.tryTake(true, START_NS)) {
      taken++;
    }
    assertThat(taken).isEqualTo(ProbeBudget.TOKENS_MAX - ProbeBudget.RESERVED_TOKENS);
    assertThat(takeAll(START_NS)).as("left to others").isEqualTo(ProbeBudget.RESERVED_TOKENS);
  }

  @Test
  void shouldOweOnlyTokensThatHadComeBackAndFewOfThem() {
    RttEstimator rtt = new RttEstimator();
    BlindResends resends = new BlindResends(new ProbeDelay(rtt, new TurnLateness()));
    resends.onDuplicates(1_000); // timeouts, say: they had taken no token
    assertThat(resends.settle()).isZero();
    resends.onTokenReturned();
    resends.onDuplicates(1_000);
    assertThat(resends.settle()).isEqualTo(1);
    for (int i = 0; i < 1_000; i++) {
      resends.onTokenReturned();
    }
    resends.onDuplicates(1_000);
    assertThat(resends.settle()).isEqualTo(BlindResends.RETURNED_MAX);
    resends.onDuplicates(1_000);
    assertThat(resends.settle()).isZero();
  }
}
