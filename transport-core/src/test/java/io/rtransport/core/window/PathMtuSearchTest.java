package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.Limits;
import io.rtransport.core.window.PathMtuSearch.State;
import org.junit.jupiter.api.Test;

class PathMtuSearchTest {
  private static final long MS = 1_000_000;
  private static final int AGREED = 1_408;
  private static final int TAIL = 12;

  private final PathMtuSearch search = PathMtuSearch.search(AGREED, 512, 9_000);
  private int nextId = 1;
  private int probes;
  private long nowNs;

  private int probe() {
    nowNs += MS;
    return search.pollProbe(nextId++, true, MS, nowNs);
  }

  private void fill(int packets) {
    for (int i = 0; i < packets; i++) {
      search.onBuilt(search.packetLengthMax(), nowNs);
    }
  }

  /** Probes as long as there are any, over a path that carries {@code mtu}. */
  private void searchOver(int mtu) {
    for (int i = 0; i < 200 && search.state() != State.COMPLETE; i++) {
      fill(PathMtuSearch.FULL_PACKETS);
      int length = probe();
      probes += length > 0 ? 1 : 0;
      if (length > 0 && length <= mtu) {
        assertThat(search.onAnswer(nextId - 1)).isTrue();
      } else if (length > 0) {
        nowNs = search.deadlineNs();
        search.onTimeout(nowNs, nowNs); // something else was acknowledged meanwhile
      }
    }
    assertThat(search.state()).isEqualTo(State.COMPLETE);
  }

  private void lose(int packets, int firstSequence) {
    for (int i = 0; i < packets; i++) {
      search.onLost(search.packetLengthMax(), firstSequence + i, nowNs);
    }
  }

  @Test
  void shouldNotProbeForWhoSendsLittleAndProbeOnceEnoughPacketsWereFull() {
    fill(PathMtuSearch.FULL_PACKETS - 1);
    assertThat(probe()).isZero();
    search.onBuilt(200, nowNs);
    assertThat(probe()).isZero();
    fill(1);
    assertThat(probe()).isEqualTo(1_452);
    assertThat(search.state()).isEqualTo(State.SEARCHING);
    assertThat(search.bytes()).isEqualTo(AGREED);
  }

  @Test
  void shouldNotProbeWhileNothingIsUnacknowledged() {
    fill(100);
    assertThat(search.pollProbe(1, false, MS, 0)).isZero();
    assertThat(search.deadlineNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldFindTheLengthsThatLinksHave() {
    for (int mtu : new int[] {1_408, 1_452, 1_472, 8_952, 8_972, 9_000}) {
      PathMtuSearchTest one = new PathMtuSearchTest();
      one.searchOver(mtu);
      assertThat(one.search.bytes()).isEqualTo(mtu);
      assertThat(one.probes).isLessThan(40);
    }
  }

  @Test
  void shouldComeWithinAnEighthOfAnyOtherLength() {
    for (int mtu = AGREED; mtu <= 9_000; mtu += 37) {
      PathMtuSearchTest one = new PathMtuSearchTest();
      one.searchOver(mtu);
      assertThat(one.search.bytes()).isBetween(mtu - mtu / 8 - 1, mtu);
    }
  }

  @Test
  void shouldCallALengthTooLongAfterTheThirdProbeAndNotAfterTheSecond() {
    fill(8);
    for (int i = 0; i < PathMtuSearch.TRIES; i++) {
      fill(1);
      assertThat(probe()).isEqualTo(1_452);
      assertThat(search.deadlineNs()).isEqualTo(nowNs + (PathMtuSearch.PROBE_NS_MIN << i));
      nowNs = search.deadlineNs();
      assertThat(search.onTimeout(nowNs - 1, nowNs - 1)).isFalse();
      assertThat(search.onTimeout(nowNs, nowNs)).isTrue();
    }
    fill(1);
    assertThat(probe()).isZero(); // 1,451 is no eighth more than 1,408
    assertThat(search.state()).isEqualTo(State.COMPLETE);
    assertThat(search.bytes()).isEqualTo(AGREED);
  }

  @Test
  void shouldLearnNothingFromAProbeThatWasLostWithAllElse() {
    fill(8);
    for (int i = 0; i < 10; i++) {
      fill(1);
      assertThat(probe()).isEqualTo(1_452);
      nowNs = search.deadlineNs();
      search.onTimeout(0, nowNs);
    }
  }

  @Test
  void shouldBelieveAnEarlierTryOfTheLengthAndNothingElse() {
    fill(8);
    assertThat(probe()).isEqualTo(1_452);
    int first = nextId - 1;
    nowNs = search.deadlineNs();
    search.onTimeout(nowNs, nowNs);
    fill(1);
    assertThat(probe()).isEqualTo(1_452);
    assertThat(search.onAnswer(999)).isFalse();
    assertThat(search.bytes()).isEqualTo(AGREED);
    assertThat(search.onAnswer(first)).isTrue();
    assertThat(search.bytes()).isEqualTo(1_452);
    assertThat(search.onAnswer(first)).isFalse();
  }

  @Test
  void shouldBelieveAnAnswerBelowTheBoundOfGuessesAndNoneFromThereOn() {
    fill(8);
    probe();
    for (int i = 1; i < Limits.PROBE_GUESSES_MAX; i++) {
      search.onAnswer(1_000 + i);
    }
    assertThat(search.onAnswer(nextId - 1)).isTrue();
    fill(1);
    assertThat(probe()).isEqualTo(1_472);
    for (int i = 1; i <= Limits.PROBE_GUESSES_MAX; i++) {
      search.onAnswer(1_000 + i);
    }
    assertThat(search.onAnswer(nextId - 1)).isFalse();
    assertThat(search.bytes()).isEqualTo(1_452);
  }

  @Test
  void shouldFallAtTheThirdLossInARowAndNotAtTheSecond() {
    searchOver(8_972);
    lose(PathMtuSearch.LOSSES_MAX - 1, 10);
    assertThat(search.bytes()).isEqualTo(8_972);
    lose(1, 20);
    assertThat(search.bytes()).isEqualTo(PathMtuSearch.BASE_BYTES);
    lose(3, 30);
    assertThat(search.bytes()).isEqualTo(640);
    assertThat(search.state()).isEqualTo(State.ERROR);
    lose(10, 40);
    assertThat(search.bytes()).isEqualTo(640);
  }

  @Test
  void shouldNotTakeLossesForABlackHoleWhenALaterLongPacketArrived() {
    searchOver(8_972);
    search.onArrived(search.packetLengthMax(), 100, nowNs);
    lose(50, 40);
    assertThat(search.bytes()).isEqualTo(8_972);
    lose(PathMtuSearch.LOSSES_MAX, 101);
    assertThat(search.bytes()).isEqualTo(PathMtuSearch.BASE_BYTES);
  }

  @Test
  void shouldSeeABlackHoleThoughPacketsOfMiddleLengthPass() {
    searchOver(8_972);
    for (int i = 0; i < PathMtuSearch.LOSSES_MAX; i++) {
      assertThat(search.bytes()).isEqualTo(8_972);
      search.onArrived(1_400, 11 + 2 * i, nowNs); // the tail behind it
      search.onLost(search.packetLengthMax(), 10 + 2 * i, nowNs);
    }
    assertThat(search.bytes()).isEqualTo(PathMtuSearch.BASE_BYTES);
  }

  @Test
  void shouldNotTakeWhatAnOutageLostForABlackHole() {
    searchOver(8_972);
    search.onExpiry(100);
    search.onShortened(search.packetLengthMax(), 10);
    search.onArrived(44, 100, nowNs);
    lose(50, 50);
    assertThat(search.bytes()).isEqualTo(8_972);
    lose(PathMtuSearch.LOSSES_MAX, 101); // what was sent after it
    assertThat(search.bytes()).isEqualTo(PathMtuSearch.BASE_BYTES);
  }

  @Test
  void shouldFallWhenOnlyWhatWasShortenedArrives() {
    searchOver(8_972);
    for (int i = 0; i < PathMtuSearch.LOSSES_MAX; i++) {
      assertThat(search.bytes()).isEqualTo(8_972);
      search.onShortened(search.packetLengthMax(), 10 + 2 * i);
      search.onArrived(44, 11 + 2 * i, nowNs);
    }
    assertThat(search.bytes()).isEqualTo(PathMtuSearch.BASE_BYTES);
  }

  @Test
  void shouldFindAgainWhatItFellFromAndNotTrustItAThirdTime() {
    searchOver(8_972);
    lose(3, 10);
    searchOver(8_972);
    assertThat(search.bytes()).isEqualTo(8_972);
    lose(3, 30);
    searchOver(8_972);
    assertThat(search.bytes()).isBetween(7_900, 8_971);
  }

  @Test
  void shouldRaiseAgainWhenItsTimerIsOverAndPacketsAreFull() {
    searchOver(1_472);
    nowNs += PathMtuSearch.RAISE_NS - 10 * MS;
    fill(8);
    assertThat(probe()).isZero();
    nowNs += 10 * MS;
    fill(1);
    assertThat(probe()).isEqualTo(4_052);
  }

  @Test
  void shouldShortenWhatNoLongerFitsAndAtAnExpiryWhatMayNotFit() {
    int full = AGREED - TAIL;
    assertThat(search.isTooLong(full, 0)).isFalse();
    assertThat(search.isTooLong(full + 1, 0)).isTrue();
    assertThat(search.isTooLong(full, 1)).isFalse();
    assertThat(search.isTooLong(full, 2)).isTrue();
    assertThat(search.isTooLong(640 - TAIL, 2)).isFalse();
    assertThat(search.isTooLong(640 - TAIL + 1, 2)).isTrue();
    searchOver(8_972);
    assertThat(search.isTooLong(full, 1)).isFalse();
    assertThat(search.isTooLong(full + 1, 1)).isTrue();
  }

  @Test
  void shouldForgetAllWhenThePathLeadsElsewhere() {
    searchOver(8_972);
    search.onMoved();
    assertThat(search.bytes()).isEqualTo(AGREED);
    assertThat(search.state()).isEqualTo(State.BASE);
  }

  @Test
  void shouldDoNothingWhereItIsFixed() {
    PathMtuSearch fixed = PathMtuSearch.fixed(AGREED);
    for (int i = 0; i < 100; i++) {
      fixed.onBuilt(AGREED - TAIL, 0);
      fixed.onLost(AGREED - TAIL, i, 0);
    }
    assertThat(fixed.pollProbe(1, true, MS, 0)).isZero();
    assertThat(fixed.isTooLong(AGREED, 5)).isFalse();
    assertThat(fixed.bytes()).isEqualTo(AGREED);
  }
}
