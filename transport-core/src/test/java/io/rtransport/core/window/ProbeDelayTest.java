package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProbeDelayTest {
  private static final long MILLI_NS = 1_000_000;
  private static final long NOW_NS = 1_000 * MILLI_NS;
  private final RttEstimator rtt = new RttEstimator();
  private final TurnLateness lateness = new TurnLateness();
  private final ProbeDelay delay = new ProbeDelay(rtt, lateness);

  /** Round trips of one length until their variation is gone. */
  private void settle(long rttNs) {
    for (int i = 0; i < 100; i++) {
      rtt.onSample(rttNs, 0, NOW_NS);
    }
  }

  @Test
  void shouldBeAGuessBeforeTheFirstSampleAndThenFollowThePath() {
    assertThat(delay.delayNs()).isEqualTo(ProbeDelay.UNSAMPLED_NS);
    delay.peerAckDelayNs(MILLI_NS);
    rtt.onSample(8 * MILLI_NS, 0, NOW_NS); // half of it is variation
    assertThat(delay.delayNs()).isEqualTo((8 + 4 * 4 + 1) * MILLI_NS);
    settle(8 * MILLI_NS);
    assertThat(delay.delayNs()).isBetween(17 * MILLI_NS, 17 * MILLI_NS + 100);
  }

  @Test
  void shouldNotBeBelowAMillisecondOnTheShortestPath() {
    settle(20_000);
    assertThat(delay.delayNs()).isEqualTo(ProbeDelay.DELAY_NS_MIN);
    delay.peerAckDelayNs(MILLI_NS);
    assertThat(delay.delayNs()).isBetween(MILLI_NS + 40_000, MILLI_NS + 41_000);
  }

  @Test
  void shouldAllowForTheLatenessOfItsLoop() {
    settle(MILLI_NS);
    long before = delay.delayNs();
    lateness.onTurn(3 * MILLI_NS);
    assertThat(delay.delayNs()).isEqualTo(before + lateness.allowanceNs());
  }

  @Test
  void shouldGrowByHalfForEachNeedlessProbeOrToTheAnswersTime() {
    settle(MILLI_NS);
    long before = delay.delayNs();
    delay.onNeedless(0);
    assertThat(delay.delayNs()).isEqualTo(before + before / 2);
    delay.onNeedless(20 * MILLI_NS);
    assertThat(delay.delayNs()).isEqualTo(20 * MILLI_NS);
    for (int i = 0; i < 100; i++) {
      delay.onNeedless(0);
    }
    assertThat(delay.delayNs()).isEqualTo(before + ProbeDelay.LEARNED_NS_MAX);
  }

  @Test
  void shouldShrinkByHalfAfterSixteenQuickAnswersInARowAndNotBefore() {
    settle(MILLI_NS);
    delay.onNeedless(21 * MILLI_NS);
    long learnedNs = delay.learnedNs();
    for (int i = 0; i < ProbeDelay.QUICK_ANSWERS - 1; i++) {
      delay.onAnswer(2 * MILLI_NS);
    }
    delay.onAnswer(15 * MILLI_NS); // slow: the row begins anew
    for (int i = 0; i < ProbeDelay.QUICK_ANSWERS - 1; i++) {
      delay.onAnswer(2 * MILLI_NS);
    }
    assertThat(delay.learnedNs()).isEqualTo(learnedNs);
    delay.onAnswer(2 * MILLI_NS);
    assertThat(delay.learnedNs()).isEqualTo(learnedNs / 2);
    for (int i = 0; i < 20 * ProbeDelay.QUICK_ANSWERS; i++) {
      delay.onAnswer(10_000);
    }
    assertThat(delay.learnedNs()).isZero();
  }
}
