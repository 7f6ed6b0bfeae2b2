package io.rtransport.core.adp;

import static io.rtransport.core.adp.DecMode.DIV_2;
import static io.rtransport.core.adp.DecMode.DIV_4;
import static io.rtransport.core.adp.DecMode.LOW_BOUND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Conformance of the strict machine to the document "ADP flow": a test a sentence, in the
 * document's order, cited by its heading and its place under it. The sentences that need a
 * connection are in {@code AdpFlowConnectionTest}; docs/reference/adp-conformance.md lists them
 * all.
 */
class AdpFlowTest {
  private static final AdpParameters STRICT =
      AdpParameters.DEFAULT.withAckTimeout(0).withStrictProfile(true);

  /** Two ranges: 4..6, two tries, one step down; 8..10, one try, to its low bound. */
  private static AdpProfile.Builder profile(int initLow, int initSize) {
    return AdpProfile.builder()
        .timeBaseMicros(4)
        .retxTotalTimeout(40)
        .initLowBound(initLow)
        .initRangeSize(initSize)
        .range(4, 2, 2, DIV_2, 0)
        .range(8, 2, 1, LOW_BOUND, 0);
  }

  private static List<Long> armedMicros(AdpTimer timer, String events) {
    List<Long> armed = new ArrayList<>();
    armed.add(timer.timeoutNs(0) / 1_000);
    for (char event : events.toCharArray()) {
      if (event == 'T') {
        timer.onTimeout();
      } else {
        timer.onProgress();
      }
      armed.add(timer.timeoutNs(0) / 1_000);
    }
    return armed;
  }

  private static AdpTimer timer(AdpProfile profile, int first, String events) {
    AdpTimer timer = new AdpTimer(profile, STRICT, first);
    armedMicros(timer, events);
    return timer;
  }

  @Test
  @DisplayName("Initialization 1: the initial value is rand(low, low + size - 1)")
  void shouldDrawTheInitialValueFromLowToLowPlusSizeMinusOne() {
    SplittableRandom random = new SplittableRandom(1);
    TreeSet<Integer> drawn = new TreeSet<>();
    for (int i = 0; i < 1_000; i++) {
      drawn.add(new AdpTimer(profile(5, 3).build(), STRICT, random).exponent());
    }
    assertThat(drawn).containsExactly(5, 6, 7);
  }

  @Test
  @DisplayName("Initialization 2: HW timer = time_base * 2^granularity, granularity = the value")
  void shouldArmTimeBaseTimesTwoToTheValue() {
    for (int base : new int[] {4, 8, 1_024, 32_768}) {
      AdpProfile profile = profile(0, 20).timeBaseMicros(base).build();
      for (int exponent = 0; exponent < 20; exponent++) {
        assertThat(new AdpTimer(profile, STRICT, exponent).timeoutNs(0))
            .isEqualTo(base * 1_000L * (1L << exponent));
      }
    }
  }

  @Test
  @DisplayName("On the first timeout 1: a value within a defined range goes on in that range")
  void shouldGoOnInTheRangeThatHoldsTheInitialValue() {
    for (int first = 4; first <= 6; first++) {
      AdpTimer timer = timer(profile(4, 7).startRangeIndex(1).build(), first, "T");
      assertThat(timer.rangeIndex()).isEqualTo(first == 6 ? 1 : 0); // 6 is the top: on to the next
      assertThat(timer.exponent()).isEqualTo(first == 6 ? 8 : first + 1);
    }
    assertThat(timer(profile(4, 7).build(), 8, "T").rangeIndex()).isEqualTo(1);
    assertThat(timer(profile(4, 7).build(), 10, "T").rangeIndex()).isEqualTo(1);
  }

  @Test
  @DisplayName("On the first timeout 2: else it starts from the low bound of start_range_index")
  void shouldStartAtTheLowBoundOfTheStartRangeOtherwise() {
    for (int outside : new int[] {3, 7, 11}) {
      assertThat(timer(profile(3, 9).build(), outside, "T").exponent()).isEqualTo(4);
      assertThat(timer(profile(3, 9).startRangeIndex(1).build(), outside, "T").exponent())
          .isEqualTo(8);
    }
  }

  @Test
  @DisplayName("Initialization, note 1: random, so that QPs do not all start with the same value")
  void shouldNotStartEveryConnectionAlike() {
    TreeSet<Integer> firsts = new TreeSet<>();
    for (int connection = 0; connection < 64; connection++) {
      firsts.add(
          new AdpTimer(BuiltInProfiles.LAN, STRICT, new SplittableRandom(connection)).exponent());
    }
    assertThat(firsts).hasSizeGreaterThan(1);
  }

  @Test
  @DisplayName("Initialization, note 2: a good configuration starts inside a defined range")
  void shouldStartEveryBuiltInProfileInsideARange() {
    for (String name : BuiltInProfiles.names()) {
      AdpProfile profile = BuiltInProfiles.byName(name);
      for (int first = profile.initLowBound(); first <= profile.initHighBound(); first++) {
        assertThat(profile.range(0).contains(first)).as(name + " " + first).isTrue();
      }
    }
  }

  @Test
  @DisplayName("Initialization, note 3: the initial value is retried only once")
  void shouldArmTheInitialValueOnce() {
    AdpProfile patient = profile(4, 1).range(11, 1, 9, DIV_2, 0).build();
    assertThat(armedMicros(new AdpTimer(patient, STRICT, 4), "T")).containsExactly(64L, 128L);
    assertThat(armedMicros(new AdpTimer(profile(2, 1).build(), STRICT, 2), "T"))
        .containsExactly(16L, 64L);
  }

  @Test
  @DisplayName("Initialization, note 4: time_base is a power of 2, at least 4 us")
  void shouldTakeAPowerOfTwoFromFourMicrosecondsOnAsTimeBase() {
    for (int base = 0; base <= 70_000; base++) {
      AdpProfile.Builder builder = profile(4, 1).timeBaseMicros(base);
      if (base >= 4 && base <= 32_768 && Integer.bitCount(base) == 1) {
        assertThat(builder.build().timeBaseMicros()).isEqualTo(base);
      } else {
        assertThatThrownBy(builder::build).hasMessageContaining("time_base (timeBase)=" + base);
      }
    }
  }

  @Test
  @DisplayName("Consecutive timeouts 1: a value is used timeout_retry_num times")
  void shouldArmAValueTimeoutRetryNumTimes() {
    for (int tries : new int[] {1, 2, 7, 1_023}) {
      AdpProfile profile =
          AdpProfile.builder().retxTotalTimeout(40).range(4, 2, tries, DIV_2, 0).build();
      AdpTimer timer = new AdpTimer(profile, STRICT, 0);
      timer.onTimeout();
      for (int i = 0; i < tries; i++) {
        assertThat(timer.exponent()).as("try %d of %d", i + 1, tries).isEqualTo(4);
        timer.onTimeout();
      }
      assertThat(timer.exponent()).isEqualTo(5);
    }
  }

  @Test
  @DisplayName("Consecutive timeouts 2: then it doubles, up to low bound + size")
  void shouldDoubleUpToLowBoundPlusSize() {
    AdpProfile one = AdpProfile.builder().retxTotalTimeout(40).range(4, 2, 2, DIV_2, 0).build();
    assertThat(armedMicros(new AdpTimer(one, STRICT, 0), "TTTTTTTTT"))
        .containsExactly(4L, 64L, 64L, 128L, 128L, 256L, 256L, 256L, 256L, 256L);
  }

  @Test
  @DisplayName("Consecutive timeouts 3: then it goes on with the next defined range")
  void shouldGoOnWithTheNextRange() {
    AdpTimer timer = timer(profile(5, 1).build(), 5, "T");
    assertThat(timer.rangeIndex()).isZero();
    assertThat(armedMicros(timer, "TTTT")).containsExactly(256L, 256L, 1_024L, 2_048L, 4_096L);
    assertThat(timer.rangeIndex()).isEqualTo(1);
  }

  @Test
  @DisplayName("Consecutive timeouts, note 1: a range defines one or more values")
  void shouldTakeARangeOfOneValue() {
    AdpProfile single =
        AdpProfile.builder()
            .retxTotalTimeout(40)
            .range(4, 0, 2, DIV_2, 0)
            .range(9, 0, 1, DIV_2, 0)
            .build();
    assertThat(armedMicros(new AdpTimer(single, STRICT, 0), "TTTT"))
        .containsExactly(4L, 64L, 64L, 2_048L, 2_048L);
  }

  @Test
  @DisplayName("Consecutive timeouts, note 2: ranges are sorted by low bound, strictly")
  void shouldRefuseRangesThatAreNotSortedByLowBound() {
    for (int low : new int[] {0, 7, 8}) {
      AdpProfile.Builder third = profile(4, 1).range(low, 0, 1, DIV_2, 0);
      assertThatThrownBy(third::build)
          .hasMessageContaining("timeout_range[2].range_low_bound (ranges[2].lowBound)=" + low)
          .hasMessageContaining("9..255");
    }
    assertThat(profile(4, 1).range(9, 0, 1, DIV_2, 0).build().rangeCount()).isEqualTo(3);
  }

  @Test
  @DisplayName("Consecutive timeouts, note 3: capped by ack_timeout, whatever the ranges say")
  void shouldCapEveryValueByAckTimeout() {
    AdpTimer timer = new AdpTimer(profile(4, 1).build(), STRICT.withAckTimeout(7), 4);
    for (int i = 0; i < 12; i++) {
      assertThat(timer.timeoutNs(0)).isEqualTo(Math.min(4_000L << timer.exponent(), 4_096L << 7));
      timer.onTimeout();
    }
    assertThat(timer.exponent()).as("the walk goes on under the cap").isEqualTo(10);
    // The built-in profiles are no exception: lossy and wan need an ack_timeout of 18, or 0.
    AdpParameters usual = AdpParameters.DEFAULT.withStrictProfile(true);
    assertThat(new AdpTimer(BuiltInProfiles.WAN, usual, 15).timeoutNs(0)).isEqualTo(4_096L << 14);
    assertThat(new AdpTimer(BuiltInProfiles.WAN, usual.withAckTimeout(18), 16).timeoutNs(0))
        .isEqualTo(4_000L << 16);
  }

  @Test
  @DisplayName("Consecutive timeouts, note 4: total = qp_total_timeout ? ack_timeout x retry : own")
  void shouldMakeTheTotalAsQpTotalTimeoutSays() {
    AdpProfile own = profile(4, 1).retxTotalTimeout(13).build();
    AdpProfile queuePair = profile(4, 1).retxTotalTimeout(13).qpTotalTimeout(true).build();
    AdpParameters parameters = STRICT.withAckTimeout(10).withRetryCount(3);
    assertThat(own.totalNs(parameters)).isEqualTo(4_000L << 13);
    assertThat(queuePair.totalNs(parameters)).isEqualTo(3 * (4_096L << 10));
    // ROCE_ACCL layout, qp_total_timeout: "or QP.extended_retry_count * QP.timeout".
    assertThat(queuePair.totalNs(parameters.withExtendedRetryCount(200)))
        .isEqualTo(200 * (4_096L << 10));
  }

  @Test
  @DisplayName("Forward progress 1: down by dec_mode, by 2, by 4, or to the low bound")
  void shouldDecrementByDecMode() {
    DecMode[] modes = {DIV_2, DIV_4, LOW_BOUND};
    long[] microsAfterOneProgress = {16_384, 8_192, 64};
    for (int i = 0; i < modes.length; i++) {
      AdpProfile profile =
          AdpProfile.builder()
              .retxTotalTimeout(40)
              .initLowBound(12)
              .range(4, 9, 1, modes[i], 0)
              .build();
      AdpTimer timer = timer(profile, 12, "T");
      assertThat(armedMicros(timer, "P"))
          .as("a half, a quarter, or the low bound: %s", modes[i])
          .containsExactly(32_768L, microsAfterOneProgress[i]);
    }
  }

  @Test
  @DisplayName("Forward progress 2: from the lowest value on to prev_range_index")
  void shouldMoveToThePreviousRangeFromTheLowestValue() {
    AdpTimer timer = timer(profile(4, 1).build(), 4, "TTTTTTT");
    assertThat(timer.rangeIndex()).isEqualTo(1);
    assertThat(timer.exponent()).isEqualTo(10);
    timer.onProgress(); // LOW_BOUND
    assertThat(timer.rangeIndex()).isEqualTo(1);
    assertThat(timer.exponent()).isEqualTo(8);
    timer.onProgress();
    assertThat(timer.rangeIndex()).isZero();
    assertThat(timer.exponent()).isEqualTo(6);
    armedMicros(timer, "PPPP");
    assertThat(timer.exponent()).as("range 0 stays at its low bound").isEqualTo(4);
  }

  @Test
  @DisplayName("Forward progress, note 1: never below adp_retx_base_timeout_min, 4 us")
  void shouldArmNothingBelowTheBaseTimeoutMin() {
    AdpProfile least = AdpProfile.builder().retxTotalTimeout(40).range(0, 0, 1, DIV_2, 0).build();
    for (int ackTimeout = 0; ackTimeout <= AdpParameters.ACK_TIMEOUT_MAX; ackTimeout++) {
      AdpTimer timer = new AdpTimer(least, STRICT.withAckTimeout(ackTimeout), 0);
      assertThat(timer.timeoutNs(0)).isEqualTo(AdpTimer.BASE_TIMEOUT_NS_MIN).isEqualTo(4_000);
      timer.onProgress();
      assertThat(timer.timeoutNs(0)).isEqualTo(4_000);
    }
  }

  @Test
  @DisplayName("Forward progress, note 2: prev_range_index is less than the current range")
  void shouldRefuseAPrevRangeIndexThatIsNotBelowItsRange() {
    for (int prev = 0; prev <= 3; prev++) {
      AdpProfile.Builder builder = profile(4, 1).range(11, 0, 1, DIV_2, prev);
      if (prev < 2) {
        assertThat(builder.build().range(2).prevRangeIndex()).isEqualTo(prev);
      } else {
        assertThatThrownBy(builder::build)
            .hasMessageContaining("timeout_range[2].prev_range_index")
            .hasMessageContaining("0..1");
      }
    }
  }

  @Test
  @DisplayName("General 4: adp_retx_profile_id says which mode is active, 0 or above")
  void shouldShowByTheProfileIdWhichModeIsActive() {
    RoceAcclRegister register = new RoceAcclRegister(BuiltInProfiles.DEFAULT);
    assertThat(profileId(register.query())).isZero();
    assertThat(RoceAcclRegister.decode(register.query()).profile()).isEqualTo(BuiltInProfiles.LAN);
    register.set(RoceAcclRegister.encode(BuiltInProfiles.WAN, 5, true));
    assertThat(profileId(register.query())).isEqualTo(5);
    assertThat(RoceAcclRegister.decode(register.query()).profile()).isEqualTo(BuiltInProfiles.WAN);
  }

  private static int profileId(byte[] register) {
    return register[4] >>> 4 & 7;
  }
}
