package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.Limits;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RsnWindowTest {
  @Test
  void shouldMoveTheBaseOverTheRangesThatItReachesAcrossTheWrap() {
    RsnWindow window = new RsnWindow(-2);
    window.end(-1);
    window.end(1);
    window.end(0);
    assertThat(window.rangeCount()).isEqualTo(1);
    assertThat(window.base()).isEqualTo(-2);
    window.end(-2);
    assertThat(window.base()).isEqualTo(2);
    assertThat(window.rangeCount()).isZero();
    assertThat(window.isEnded(-2)).isTrue();
    assertThat(window.isEnded(1)).isTrue();
    assertThat(window.isEnded(2)).isFalse();
  }

  @Test
  void shouldBoundTheSpanFromTheBase() {
    RsnWindow window = new RsnWindow(-10);
    assertThat(window.isInSpan(-10 + Limits.RSN_SPAN_MAX - 1)).isTrue();
    assertThat(window.isInSpan(-10 + Limits.RSN_SPAN_MAX)).isFalse();
    window.end(-10);
    assertThat(window.isInSpan(-10 + Limits.RSN_SPAN_MAX)).isTrue();
  }

  @Test
  void shouldRefuseAnEndThatNeedsOneRangeTooManyAndTakeItWhenOneIsFree() {
    RsnWindow window = new RsnWindow(0);
    for (int i = 0; i < Limits.ENDED_RANGES_MAX; i++) {
      assertThat(window.end(2 * i + 1)).isTrue();
    }
    int one = 2 * Limits.ENDED_RANGES_MAX + 1;
    assertThat(window.end(one)).isFalse();
    assertThat(window.isEnded(one)).isFalse();
    assertThat(window.end(0)).isTrue();
    assertThat(window.base()).isEqualTo(2);
    assertThat(window.end(one)).isTrue();
    assertThat(window.rangeCount()).isEqualTo(Limits.ENDED_RANGES_MAX);
  }

  @Test
  void shouldAgreeWithASetInWhateverOrderTheyEnd() {
    for (long seed = 1; seed <= 100; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int first = random.nextBoolean() ? -random.nextInt(500) : random.nextInt();
      RsnWindow window = new RsnWindow(first);
      Set<Integer> ended = new HashSet<>();
      int base = first;
      for (int i = 0; i < 2_000; i++) {
        int rsn = base + random.nextInt(600);
        assertThat(window.isEnded(rsn)).as("seed %s", seed).isEqualTo(ended.contains(rsn));
        if (ended.add(rsn)) {
          assertThat(window.end(rsn)).isTrue();
        }
        while (ended.contains(base)) {
          base++;
        }
        assertThat(window.base()).as("seed %s", seed).isEqualTo(base);
      }
    }
  }
}
