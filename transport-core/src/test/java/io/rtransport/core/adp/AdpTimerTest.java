package io.rtransport.core.adp;

import static io.rtransport.core.adp.DecMode.DIV_2;
import static io.rtransport.core.adp.DecMode.DIV_4;
import static io.rtransport.core.adp.DecMode.LOW_BOUND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each rule of docs/reference/adp.md, on both sides of its bounds. */
class AdpTimerTest {
  private static final AdpParameters STRICT_UNCAPPED =
      AdpParameters.DEFAULT.withAckTimeout(0).withStrictProfile(true);
  private static final AdpParameters FLOORED_UNCAPPED = AdpParameters.DEFAULT.withAckTimeout(0);
  private static final long MS = 1_000_000;

  private static AdpProfile.Builder base(int initLow, int initSize) {
    return AdpProfile.builder()
        .timeBaseMicros(4)
        .retxTotalTimeout(40)
        .initLowBound(initLow)
        .initRangeSize(initSize);
  }

  /** Two ranges with a gap below: 4..6 and 8..10. */
  private static AdpProfile twoRanges(int retry0, DecMode dec0, int retry1, DecMode dec1) {
    return base(0, 14).range(4, 2, retry0, dec0, 0).range(8, 2, retry1, dec1, 0).build();
  }

  private static List<String> states(AdpTimer timer, String events) {
    List<String> states = new ArrayList<>();
    for (char event : events.toCharArray()) {
      if (event == 'T') {
        timer.onTimeout();
      } else {
        timer.onProgress();
      }
      states.add(timer.rangeIndex() + ":" + timer.exponent());
    }
    return states;
  }

  @Test
  void shouldFollowTheGoldenExampleToTheLetter() {
    AdpProfile profile = base(2, 1).range(4, 2, 2, DIV_2, 0).range(7, 2, 1, LOW_BOUND, 0).build();
    AdpTimer timer = new AdpTimer(profile, STRICT_UNCAPPED, 2);
    List<Long> armedMicros = new ArrayList<>();
    List<Integer> exponents = new ArrayList<>();
    armedMicros.add(timer.timeoutNs(0) / 1_000);
    exponents.add(timer.exponent());
    for (int i = 0; i < 8; i++) {
      timer.onTimeout();
      armedMicros.add(timer.timeoutNs(0) / 1_000);
      exponents.add(timer.exponent());
    }
    assertThat(armedMicros).containsExactly(16L, 64L, 64L, 128L, 128L, 256L, 256L, 512L, 1024L);
    assertThat(exponents).containsExactly(2, 4, 4, 5, 5, 6, 6, 7, 8);
    assertThat(states(timer, "PPP")).containsExactly("1:7", "0:6", "0:5");
  }

  @Test
  void shouldDrawTheFirstExponentUniformlyFromLowToLowPlusSizeMinusOne() {
    AdpProfile profile = base(5, 4).range(5, 3, 1, DIV_2, 0).build();
    SplittableRandom random = new SplittableRandom(1);
    int[] drawn = new int[12];
    for (int i = 0; i < 4_000; i++) {
      AdpTimer timer = new AdpTimer(profile, STRICT_UNCAPPED, random);
      assertThat(timer.rangeIndex()).isEqualTo(AdpTimer.NO_RANGE);
      drawn[timer.exponent()]++;
    }
    for (int e = 0; e < drawn.length; e++) {
      if (e >= 5 && e <= 8) {
        assertThat(drawn[e]).isBetween(850, 1_150);
      } else {
        assertThat(drawn[e]).isZero();
      }
    }
  }

  @Test
  void shouldDrawTheSameFromTheSameSeed() {
    AdpProfile profile = base(0, 255).range(4, 2, 1, DIV_2, 0).build();
    Set<Integer> seen = new HashSet<>();
    for (int seed = 0; seed < 50; seed++) {
      int a = new AdpTimer(profile, STRICT_UNCAPPED, new SplittableRandom(seed)).exponent();
      int b = new AdpTimer(profile, STRICT_UNCAPPED, new SplittableRandom(seed)).exponent();
      assertThat(a).isEqualTo(b);
      seen.add(a);
    }
    assertThat(seen).hasSizeGreaterThan(20);
  }

  @ParameterizedTest
  @CsvSource({"4, true", "5, true", "6, true", "3, false", "7, false"})
  void shouldRefuseAnInitialExponentOutsideTheDraw(int exponent, boolean isValid) {
    AdpProfile profile = base(4, 3).range(4, 2, 1, DIV_2, 0).build();
    if (isValid) {
      assertThat(new AdpTimer(profile, STRICT_UNCAPPED, exponent).exponent()).isEqualTo(exponent);
    } else {
      assertThatThrownBy(() -> new AdpTimer(profile, STRICT_UNCAPPED, exponent))
          .isInstanceOf(InvalidProfileException.class)
          .hasMessageContaining("initial exponent=" + exponent)
          .hasMessageContaining("4..6");
    }
  }

  @ParameterizedTest
  @CsvSource({
    // below every range, in the gap, above all: the start range's low
    "3, 0, 0:4",
    "7, 0, 0:4",
    "11, 0, 0:4",
    "3, 1, 1:8",
    "7, 1, 1:8",
    "11, 1, 1:8",
    // inside: one step up at once although retry_num is 5, into the next range from a top, staying
    // at the last top
    "4, 1, 0:5",
    "5, 1, 0:6",
    "6, 1, 1:8",
    "8, 0, 1:9",
    "10, 0, 1:10"
  })
  void shouldArmTheInitialValueOnceThenEnterARange(int initial, int startRange, String state) {
    AdpProfile profile =
        base(0, 14)
            .startRangeIndex(startRange)
            .range(4, 2, 5, DIV_2, 0)
            .range(8, 2, 5, DIV_2, 0)
            .build();
    AdpTimer timer = new AdpTimer(profile, STRICT_UNCAPPED, initial);
    assertThat(states(timer, "T")).containsExactly(state);
  }

  @Test
  void shouldTakeTheFirstOfTwoRangesThatHoldTheInitialValue() {
    AdpProfile profile = base(6, 1).range(4, 4, 1, DIV_2, 0).range(6, 4, 1, DIV_2, 0).build();
    assertThat(states(new AdpTimer(profile, STRICT_UNCAPPED, 6), "T")).containsExactly("0:7");
  }

  @Test
  void shouldArmAValueRetryNumTimesBeforeItDoubles() {
    AdpTimer timer = new AdpTimer(twoRanges(3, DIV_2, 1, DIV_2), STRICT_UNCAPPED, 0);
    assertThat(states(timer, "TTTTTTT"))
        .containsExactly("0:4", "0:4", "0:4", "0:5", "0:5", "0:5", "0:6");
  }

  @Test
  void shouldGoOnInTheNextRangeAndStayAtTheLastTop() {
    AdpTimer timer = new AdpTimer(twoRanges(1, DIV_2, 1, DIV_2), STRICT_UNCAPPED, 5);
    assertThat(states(timer, "TTTTTT"))
        .containsExactly("0:6", "1:8", "1:9", "1:10", "1:10", "1:10");
  }

  @Test
  void shouldEnterAnOverlappingRangeAtTheNextExponentAndSkipOneThatEndsBelowIt() {
    // 4..8, then 5..7 (ends below 9), then 6..12: from 8 up is 9, in the third.
    AdpProfile profile =
        base(7, 1)
            .range(4, 4, 1, DIV_2, 0)
            .range(5, 2, 1, DIV_2, 0)
            .range(6, 6, 1, DIV_2, 1)
            .build();
    AdpTimer timer = new AdpTimer(profile, STRICT_UNCAPPED, 7);
    assertThat(states(timer, "TT")).containsExactly("0:8", "2:9");
  }

  @Test
  void shouldStayAtTheTopOfARangeWhenEveryLaterOneEndsLower() {
    AdpProfile profile = base(7, 1).range(4, 4, 1, DIV_2, 0).range(5, 2, 1, DIV_2, 0).build();
    AdpTimer timer = new AdpTimer(profile, STRICT_UNCAPPED, 7);
    assertThat(states(timer, "TTT")).containsExactly("0:8", "0:8", "0:8");
  }

  @ParameterizedTest
  @CsvSource({
    "DIV_2, 0:7 0:6 0:5 0:4 0:4",
    "DIV_4, 0:6 0:4 0:4 0:4 0:4",
    "LOW_BOUND, 0:4 0:4 0:4 0:4 0:4"
  })
  void shouldComeDownByDecModeAndNeverBelowLow(DecMode mode, String expected) {
    AdpProfile profile = base(7, 1).range(4, 4, 1, mode, 0).build();
    AdpTimer timer = new AdpTimer(profile, STRICT_UNCAPPED, 7);
    timer.onTimeout();
    assertThat(timer.exponent()).isEqualTo(8);
    assertThat(states(timer, "PPPPP")).containsExactly(expected.split(" "));
  }

  @Test
  void shouldStopAtLowWhenDiv4WouldPassIt() {
    AdpProfile profile = base(4, 1).range(4, 4, 1, DIV_4, 0).build();
    AdpTimer timer = new AdpTimer(profile, STRICT_UNCAPPED, 4);
    assertThat(states(timer, "TP")).containsExactly("0:5", "0:4");
  }

  @ParameterizedTest
  @CsvSource({
    // low of range 1 is 8; the range before is 4..6 unless it says otherwise
    "DIV_2, 2, 0:6", "DIV_4, 2, 0:6", "LOW_BOUND, 2, 0:4",
    // it reaches up to 7, so that min(top, 8 - n) is 8 - n
    "DIV_2, 3, 0:7", "DIV_4, 3, 0:6", "LOW_BOUND, 3, 0:4",
    // it is 4..9 and overlaps: below 8 all the same
    "DIV_2, 5, 0:7", "DIV_4, 5, 0:6", "LOW_BOUND, 5, 0:4"
  })
  void shouldFallIntoThePreviousRangeByThatRangesOwnMode(DecMode mode0, int size0, String state) {
    // Range 1's own mode would give something else, so that it shows whose mode counts.
    DecMode other = mode0 == LOW_BOUND ? DIV_2 : LOW_BOUND;
    AdpProfile profile =
        base(0, 14)
            .startRangeIndex(1)
            .range(4, size0, 1, mode0, 0)
            .range(8, 3, 1, other, 0)
            .build();
    AdpTimer timer = new AdpTimer(profile, STRICT_UNCAPPED, 0);
    assertThat(states(timer, "TP")).containsExactly("1:8", state);
  }

  @Test
  void shouldNotFallBelowTheLowOfThePreviousRange() {
    AdpProfile profile =
        base(0, 1).startRangeIndex(1).range(7, 2, 1, DIV_4, 0).range(8, 2, 1, DIV_4, 0).build();
    AdpTimer timer = new AdpTimer(profile, STRICT_UNCAPPED, 0);
    assertThat(states(timer, "TP")).containsExactly("1:8", "0:7");
  }

  @Test
  void shouldFallBackToTheRangeThatPrevRangeIndexNames() {
    AdpProfile profile =
        base(0, 1)
            .startRangeIndex(2)
            .range(1, 1, 1, DIV_2, 0)
            .range(4, 1, 1, DIV_2, 0)
            .range(7, 1, 1, DIV_2, 0)
            .build();
    AdpTimer timer = new AdpTimer(profile, STRICT_UNCAPPED, 0);
    assertThat(states(timer, "TPPP")).containsExactly("2:7", "0:2", "0:1", "0:1");
  }

  @Test
  void shouldChangeNothingOnProgressBeforeTheFirstTimeout() {
    AdpTimer timer = new AdpTimer(twoRanges(1, DIV_2, 1, DIV_2), STRICT_UNCAPPED, 5);
    assertThat(states(timer, "PPT")).containsExactly("-1:5", "-1:5", "0:6");
  }

  @Test
  void shouldCountTheTriesAnewAfterProgress() {
    AdpTimer timer = new AdpTimer(twoRanges(2, DIV_2, 1, DIV_2), STRICT_UNCAPPED, 0);
    // One try used at 4, then progress at the low bound: two more tries are due.
    assertThat(states(timer, "TTPTT")).containsExactly("0:4", "0:4", "0:4", "0:4", "0:5");
  }

  @ParameterizedTest
  @CsvSource({
    // n, exponent, armed ns: below the cap, above it, no cap at 0, the largest cap
    "14, 13, 32768000",
    "14, 14, 65536000",
    "14, 15, 67108864",
    "1, 0, 4000",
    "1, 1, 8000",
    "1, 2, 8192",
    "0, 30, 4294967296000",
    "31, 31, 8589934592000",
    "31, 32, 8796093022208"
  })
  void shouldCapByAckTimeoutUnlessItIsZero(int n, int exponent, long armedNs) {
    AdpProfile profile = base(0, 100).range(0, 100, 1, DIV_2, 0).build();
    AdpTimer timer = new AdpTimer(profile, STRICT_UNCAPPED.withAckTimeout(n), exponent);
    assertThat(timer.timeoutNs(0)).isEqualTo(armedNs);
  }

  @Test
  void shouldSaturateTheShift() {
    AdpProfile profile = base(0, 255).timeBaseMicros(4).range(0, 255, 1, DIV_2, 0).build();
    // 4,000 ns takes 12 bits: 51 shifts still fit 63 bits, the 52nd does not.
    assertThat(new AdpTimer(profile, STRICT_UNCAPPED, 51).timeoutNs(0)).isEqualTo(4_000L << 51);
    for (int e : new int[] {52, 63, 64, 65, 254}) {
      assertThat(new AdpTimer(profile, STRICT_UNCAPPED, e).timeoutNs(0)).isEqualTo(Long.MAX_VALUE);
    }
    assertThat(AdpProfile.saturatingShift(1, 62)).isEqualTo(1L << 62);
    assertThat(AdpProfile.saturatingShift(1, 63)).isEqualTo(Long.MAX_VALUE);
    assertThat(AdpProfile.saturatingShift(Long.MAX_VALUE, 0)).isEqualTo(Long.MAX_VALUE);
    assertThat(AdpProfile.saturatingShift(Long.MAX_VALUE, 1)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldDoubleTheFloorAtEachTimeoutInARowUpToASecondAndTakeItBackAtProgress() {
    AdpProfile profile = base(4, 1).range(4, 2, 1, DIV_2, 0).build();
    AdpTimer timer = new AdpTimer(profile, FLOORED_UNCAPPED, 4);
    List<Long> armed = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      armed.add(timer.timeoutNs(AdpTimer.FLOOR_UNSAMPLED_NS) / MS);
      timer.onTimeout();
    }
    assertThat(armed).containsExactly(100L, 200L, 400L, 800L, 1_000L, 1_000L);
    timer.onProgress();
    assertThat(timer.timeoutNs(AdpTimer.FLOOR_UNSAMPLED_NS)).isEqualTo(100 * MS);
    assertThat(timer.timeoutsInRow()).isZero();
  }

  @Test
  void shouldKeepAFloorThatIsAboveASecondAlready() {
    AdpProfile profile = base(4, 1).range(4, 2, 1, DIV_2, 0).build();
    AdpTimer timer = new AdpTimer(profile, FLOORED_UNCAPPED, 4);
    assertThat(timer.timeoutNs(3_000 * MS)).isEqualTo(3_000 * MS);
    timer.onTimeout();
    assertThat(timer.timeoutNs(3_000 * MS)).isEqualTo(3_000 * MS);
    assertThat(timer.timeoutNs(999 * MS)).isEqualTo(1_000 * MS);
  }

  @Test
  void shouldPutTheFloorAboveTheCapAndBelowALargerProfileValue() {
    AdpProfile profile = base(0, 30).range(0, 30, 1, DIV_2, 0).build();
    AdpParameters capped = FLOORED_UNCAPPED.withAckTimeout(1);
    assertThat(new AdpTimer(profile, capped, 20).timeoutNs(5 * MS)).isEqualTo(5 * MS);
    assertThat(new AdpTimer(profile, FLOORED_UNCAPPED, 14).timeoutNs(5 * MS)).isEqualTo(65_536_000);
    assertThat(new AdpTimer(profile, FLOORED_UNCAPPED, 0).timeoutNs(0)).isEqualTo(4_000);
  }

  @Test
  void shouldStayBoundedHoweverManyTimeoutsFollow() {
    AdpTimer timer = new AdpTimer(twoRanges(1, DIV_2, 1, DIV_2), FLOORED_UNCAPPED, 5);
    for (int i = 0; i < 1_000; i++) {
      timer.onTimeout();
      assertThat(timer.timeoutNs(1)).isBetween(4_000L, AdpTimer.FLOOR_NS_MAX);
    }
    assertThat(timer.timeoutNs(1)).isEqualTo(AdpTimer.FLOOR_NS_MAX);
    assertThat(timer.exponent()).isEqualTo(10);
  }

  @Test
  void shouldIgnoreTheFloorWhereTheProfileIsStrict() {
    AdpTimer timer = new AdpTimer(twoRanges(1, DIV_2, 1, DIV_2), STRICT_UNCAPPED, 5);
    timer.onTimeout();
    assertThat(timer.timeoutNs(1_000 * MS)).isEqualTo(256_000);
  }

  @Test
  void shouldMakeTheTotalOfTheProfileOrOfTheParameters() {
    AdpProfile own = base(4, 1).retxTotalTimeout(20).range(4, 2, 1, DIV_2, 0).build();
    assertThat(own.totalNs(AdpParameters.DEFAULT)).isEqualTo(4_194_304_000L);
    AdpProfile qp = base(4, 1).qpTotalTimeout(true).range(4, 2, 1, DIV_2, 0).build();
    AdpParameters p = AdpParameters.DEFAULT;
    assertThat(qp.totalNs(p)).isEqualTo(7 * 67_108_864L);
    assertThat(qp.totalNs(p.withRetryCount(1))).isEqualTo(67_108_864L);
    assertThat(qp.totalNs(p.withRetryCount(0))).isZero();
    assertThat(qp.totalNs(p.withRetryCount(0).withExtendedRetryCount(255)))
        .isEqualTo(255 * 67_108_864L);
    assertThat(qp.totalNs(p.withAckTimeout(31).withExtendedRetryCount(255)))
        .isEqualTo(255 * (4_096L << 31));
    AdpProfile endless = base(4, 1).retxTotalTimeout(255).range(4, 2, 1, DIV_2, 0).build();
    assertThat(endless.totalNs(p)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldRefuseATotalMadeOfACapThatIsOffNamingBoth() {
    AdpProfile qp = base(4, 1).qpTotalTimeout(true).range(4, 2, 1, DIV_2, 0).build();
    assertThatThrownBy(() -> new AdpTimer(qp, FLOORED_UNCAPPED, 4))
        .isInstanceOf(InvalidProfileException.class)
        .hasMessageContaining("qp_total_timeout")
        .hasMessageContaining("ack_timeout=0")
        .hasMessageContaining("1..31");
    assertThat(new AdpTimer(qp, FLOORED_UNCAPPED.withAckTimeout(1), 4).totalNs())
        .isEqualTo(7 * 8_192L);
  }

  @ParameterizedTest
  @CsvSource({
    "ack_timeout, 31, 7, 255, true",
    "ack_timeout, 32, 0, 0, false",
    "ack_timeout, -1, 0, 0, false",
    "retry_count, 0, 8, 0, false",
    "retry_count, 0, -1, 0, false",
    "extended_retry_count, 0, 0, 256, false",
    "extended_retry_count, 0, 0, -1, false"
  })
  void shouldCheckTheParameters(String field, int n, int retry, int extended, boolean isValid) {
    if (isValid) {
      assertThat(new AdpParameters(n, retry, extended, false, true).ackTimeout()).isEqualTo(n);
    } else {
      assertThatThrownBy(() -> new AdpParameters(n, retry, extended, false, true))
          .isInstanceOfSatisfying(
              InvalidProfileException.class, e -> assertThat(e.field()).isEqualTo(field));
    }
  }

  @Test
  void shouldStayInsideItsRangesUnderAnyRunOfEvents() {
    long seed = Long.getLong("seed", 7L);
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 300; i++) {
      AdpProfile profile = RandomProfiles.next(random, false);
      AdpTimer timer = new AdpTimer(profile, STRICT_UNCAPPED, random);
      for (int k = 0; k < 200; k++) {
        int before = timer.exponent();
        boolean isTimeout = random.nextInt(3) > 0;
        boolean wasInRange = timer.rangeIndex() != AdpTimer.NO_RANGE;
        if (isTimeout) {
          timer.onTimeout();
        } else {
          timer.onProgress();
        }
        String because = "seed " + seed + ", profile " + i + " " + profile + ", event " + k;
        if (timer.rangeIndex() != AdpTimer.NO_RANGE) {
          assertThat(profile.range(timer.rangeIndex()).contains(timer.exponent()))
              .as(because)
              .isTrue();
        }
        if (wasInRange && isTimeout) {
          assertThat(timer.exponent()).as(because).isGreaterThanOrEqualTo(before);
        } else if (!isTimeout) {
          assertThat(timer.exponent()).as(because).isLessThanOrEqualTo(before);
        }
      }
    }
  }

  @Test
  void shouldBeAsBeforeARowOfTimeoutsThatProvesNeedless() {
    AdpTimer timer =
        new AdpTimer(BuiltInProfiles.LAN, AdpParameters.DEFAULT, new SplittableRandom(1));
    timer.onTimeout();
    timer.onProgress();
    int exponent = timer.exponent();
    int range = timer.rangeIndex();
    long valueNs = timer.timeoutNs(0);
    for (int i = 0; i < 6; i++) {
      timer.onTimeout();
    }
    assertThat(timer.exponent()).isGreaterThan(exponent);
    timer.onTimeoutsNeedless();
    assertThat(timer.exponent()).isEqualTo(exponent);
    assertThat(timer.rangeIndex()).isEqualTo(range);
    assertThat(timer.timeoutsInRow()).isZero();
    assertThat(timer.timeoutNs(0)).isEqualTo(valueNs);
  }

  @Test
  void shouldNotTakeBackProgressWithTimeoutsThatProveNeedless() {
    AdpTimer timer = new AdpTimer(BuiltInProfiles.LAN, AdpParameters.DEFAULT, 10);
    for (int i = 0; i < 6; i++) {
      timer.onTimeout();
    }
    int before = timer.exponent();
    timer.onProgress();
    timer.onTimeout();
    for (int i = 0; i < 6; i++) {
      timer.onProgress();
    }
    int lower = timer.exponent();
    assertThat(lower).isLessThan(before);
    timer.onTimeoutsNeedless();
    assertThat(timer.exponent()).isEqualTo(lower);
  }

  @Test
  void shouldKeepToTheFlowThoughTimeoutsProveNeedlessWhereTheProfileIsStrict() {
    AdpTimer timer = new AdpTimer(BuiltInProfiles.LAN, STRICT_UNCAPPED, 10);
    timer.onTimeout();
    timer.onTimeout();
    int exponent = timer.exponent();
    timer.onTimeoutsNeedless();
    assertThat(timer.exponent()).isEqualTo(exponent);
    assertThat(timer.timeoutsInRow()).isEqualTo(2);
  }

  @Test
  void shouldSpreadTheValueFromTheSecondTimeoutOnUpToTwiceAndToASecondUntilProgress() {
    AdpTimer spread =
        new AdpTimer(BuiltInProfiles.LAN, AdpParameters.DEFAULT, new SplittableRandom(1));
    AdpTimer plain = new AdpTimer(BuiltInProfiles.LAN, AdpParameters.DEFAULT, spread.exponent());
    assertThat(spread.timeoutNs(0)).isEqualTo(plain.timeoutNs(0));
    boolean isLonger = false;
    for (int i = 0; i < 20; i++) {
      spread.onTimeout();
      plain.onTimeout();
      long plainNs = plain.timeoutNs(20_000_000);
      assertThat(spread.timeoutNs(20_000_000))
          .isBetween(plainNs, Math.min(2 * plainNs, Math.max(plainNs, AdpTimer.FLOOR_NS_MAX)));
      isLonger |= spread.timeoutNs(20_000_000) > plainNs + plainNs / 4;
    }
    assertThat(isLonger).isTrue();
    spread.onProgress();
    plain.onProgress();
    assertThat(spread.timeoutNs(0)).isEqualTo(plain.timeoutNs(0));
  }
}
