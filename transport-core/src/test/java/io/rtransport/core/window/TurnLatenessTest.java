package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TurnLatenessTest {
  private static final long MILLI_NS = 1_000_000;
  private final TurnLateness lateness = new TurnLateness();

  @Test
  void shouldAllowNothingForALoopThatIsOnTime() {
    for (int i = 0; i < 100; i++) {
      lateness.onTurn(0);
    }
    assertThat(lateness.allowanceNs()).isZero();
  }

  @Test
  void shouldAllowForOneLateTurnAtOnceAndForgetItWithinFortyOnTime() {
    lateness.onTurn(3 * MILLI_NS);
    assertThat(lateness.allowanceNs()).isBetween(3 * MILLI_NS, 4 * MILLI_NS);
    for (int i = 0; i < 40; i++) {
      lateness.onTurn(0);
    }
    assertThat(lateness.allowanceNs()).isLessThan(MILLI_NS / 10);
  }

  @Test
  void shouldSettleAtTheLatenessOfALoopThatIsAlwaysLate() {
    for (int i = 0; i < 200; i++) {
      lateness.onTurn(2 * MILLI_NS);
    }
    assertThat(lateness.allowanceNs()).isBetween(2 * MILLI_NS - 1_000, 2 * MILLI_NS + 1_000);
  }

  @Test
  void shouldCountASecondOfStandstillAsTheLongestSampleAndAnEarlyTurnAsOnTime() {
    lateness.onTurn(1_000 * MILLI_NS);
    long standstillNs = lateness.allowanceNs();
    TurnLateness other = new TurnLateness();
    other.onTurn(TurnLateness.SAMPLE_NS_MAX);
    assertThat(standstillNs).isEqualTo(other.allowanceNs());
    TurnLateness early = new TurnLateness();
    early.onTurn(-5 * MILLI_NS);
    assertThat(early.allowanceNs()).isZero();
  }
}
