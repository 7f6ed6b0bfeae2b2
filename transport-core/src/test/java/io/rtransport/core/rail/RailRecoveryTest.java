package io.rtransport.core.rail;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How an interface comes back: when it is asked, and what an answer gives; also by the letter. */
class RailRecoveryTest extends RailHealthFixture {
  @Test
  void shouldAskAtTheLeastIntervalAndUpToTheLongest() {
    PairHealth pair = pair(1, 11);
    assertThat(pair.pingDueNs()).as("healthy").isEqualTo(Long.MAX_VALUE);
    assertThat(pair.takePing(NOW)).isFalse();
    pair.onSilent(false, NOW);
    long nowNs = NOW;
    for (long millis : new long[] {200, 200, 400, 800, 1_000, 1_000}) {
      long delayNs = pair.pingDueNs() - nowNs;
      assertThat(delayNs).isBetween(millis * MILLI * 7 / 8 - 1, millis * MILLI);
      assertThat(pair.takePing(pair.pingDueNs() - 1)).isFalse();
      nowNs = pair.pingDueNs();
      assertThat(pair.takePing(nowNs)).isTrue();
    }
    pair.onAnswered(true, nowNs); // lossy: not healthier, but heard of
    assertThat(pair.pingDueNs() - nowNs).isBetween(175 * MILLI - 1, 200 * MILLI);
    assertThat(report("10.0.0.11:7400@blue").pingsSent()).isEqualTo(6);
    assertThat(report("10.0.0.1@blue").pingsSent()).as("ours is healthy").isZero();
  }

  @Test
  void shouldLetOnePairAskForAllOfAnInterface() {
    PairHealth first = pair(1, 11);
    PairHealth second = pair(2, 11);
    first.onSilent(false, NOW);
    assertThat(second.takePing(NOW + SECOND)).isTrue();
    assertThat(first.takePing(NOW + SECOND)).isFalse();
    second.onAnswered(false, NOW + SECOND);
    assertThat(first.isFull()).isTrue();
  }

  @Test
  void shouldGainNothingWhileThePathLoses() {
    PairHealth pair = pair(1, 11);
    pair.onQueued(NOW);
    pair.onLossy(NOW);
    pair.onAnswered(true, NOW);
    assertThat(peer(11)).isEqualTo(800);
    assertThat(local(1)).isEqualTo(900);
    pair.onAnswered(false, NOW);
    assertThat(peer(11)).isEqualTo(1_000);
    assertThat(local(1)).isEqualTo(1_000);
  }

  @Test
  void shouldNotChargeAFailedPingByDefault() {
    PairHealth pair = pair(1, 11);
    pair.onSilent(false, NOW);
    pair.onUnanswered(NOW);
    assertThat(peer(11)).isEqualTo(900);
    assertThat(report("10.0.0.11:7400@blue").pingsFailed()).isEqualTo(1);
    assertThat(report("10.0.0.1@blue").pingsFailed()).as("ours is healthy").isZero();
  }

  // ---- by the letter

  @Test
  @DisplayName("Health value updates, 2.c to 2.f")
  void shouldCountByTheLetter() {
    letter();
    PairHealth pair = pair(1, 11);
    pair.onSilent(false, NOW);
    pair.onSilent(false, NOW); // each failure counts
    assertThat(peer(11)).isEqualTo(800);
    long nowNs = NOW;
    for (int i = 1; i <= 199; i++) {
      assertThat(pair.pingDueNs() - nowNs).as("once a second").isEqualTo(SECOND);
      nowNs = pair.pingDueNs();
      assertThat(pair.takePing(nowNs)).isTrue();
      pair.onAnswered(false, nowNs);
      assertThat(peer(11)).isEqualTo(800 + i);
    }
    assertThat(pair.takePing(nowNs + SECOND)).isTrue();
    pair.onUnanswered(nowNs + SECOND);
    assertThat(peer(11)).isEqualTo(899);
    assertThat(local(1)).as("not in recovery").isEqualTo(1_000);
    for (int i = 0; i < 101; i++) {
      pair.onAnswered(false, nowNs + (2 + i) * SECOND);
    }
    assertThat(peer(11)).isEqualTo(1_000);
  }

  @Test
  @DisplayName("Health value updates, 2.f.i")
  void shouldPreferAnUnstableInterfaceLessByTheLetter() {
    letter();
    PairHealth stable = pair(1, 11);
    PairHealth unstable = pair(2, 12);
    stable.onSilent(false, NOW);
    unstable.onSilent(false, NOW);
    assertThat(unstable.second()).as("one failure each").isEqualTo(stable.second());
    for (int i = 1; i <= 3; i++) {
      stable.onAnswered(false, NOW + i * SECOND);
      unstable.onUnanswered(NOW + i * SECOND);
    }
    assertThat(stable.second()).isEqualTo(903);
    assertThat(unstable.second()).isEqualTo(600);
    assertThat(rail.config().isAsGood(unstable.second(), stable.second())).isFalse();
  }

  @Test
  @DisplayName("The monitor thread, 4.b.i")
  void shouldManageBothEndsOfAPingByTheLetter() {
    letter();
    PairHealth pair = pair(1, 11);
    pair.onSendsFailing(NOW);
    assertThat(pair.takePing(NOW + SECOND)).isTrue();
    pair.onAnswered(false, NOW + SECOND);
    assertThat(local(1)).isEqualTo(901);
    assertThat(peer(11)).isEqualTo(901);
    assertThat(pair.takePing(NOW + 2 * SECOND)).isTrue();
    pair.onUnanswered(NOW + 2 * SECOND);
    assertThat(local(1)).isEqualTo(801);
    assertThat(peer(11)).isEqualTo(801);
  }

  @Test
  void shouldCompareNumbersByTheLetterAndBandsOtherwise() {
    RailHealthConfig usual = RailHealthConfig.usual();
    assertThat(usual.isAsGood(999, 1_000)).isFalse();
    assertThat(usual.isAsGood(500, 999)).isTrue();
    assertThat(usual.isAsGood(499, 500)).isFalse();
    assertThat(usual.isAsGood(1, 499)).isTrue();
    assertThat(usual.isAsGood(0, 1)).isFalse();
    RailHealthConfig letter = RailHealthConfig.hld();
    assertThat(letter.isAsGood(999, 1_000)).isFalse();
    assertThat(letter.isAsGood(1_000, 1_000)).isTrue();
    RailHealthConfig ranged = letter.with().set(HealthParameter.HEALTH_RANGE, 100).build();
    assertThat(ranged.isAsGood(900, 1_000)).isTrue();
    assertThat(ranged.isAsGood(899, 1_000)).isFalse();
  }

  @Test
  void shouldCompareOurInterfaceFirstByTheLetterAndTheWeakerOtherwise() {
    PairHealth pair = pair(1, 11);
    pair.onQueued(NOW);
    pair.onSilent(false, NOW);
    pair.onSilent(false, NOW + SECOND); // ours 900, the peer's 800
    assertThat(pair.first()).isEqualTo(800);
    assertThat(pair.second()).isEqualTo(900);
    letter();
    assertThat(pair.first()).isEqualTo(900);
    assertThat(pair.second()).isEqualTo(800);
  }
}
