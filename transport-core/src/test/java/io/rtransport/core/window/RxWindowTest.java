package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.window.RxWindow.Verdict;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RxWindowTest {
  @Test
  void shouldTakeTheFirstAndTheLastOfTheWindowAndRefuseWhatLiesBeside() {
    RxWindow window = new RxWindow(-1, 64);
    assertThat(window.onPacket(-2)).isEqualTo(Verdict.DUPLICATE);
    assertThat(window.onPacket(63)).isEqualTo(Verdict.OUT_OF_WINDOW);
    assertThat(window.onPacket(62)).isEqualTo(Verdict.NEW);
    assertThat(window.onPacket(62)).isEqualTo(Verdict.DUPLICATE);
    assertThat(window.onPacket(-1)).isEqualTo(Verdict.NEW);
    assertThat(window.base()).isZero();
    assertThat(window.onPacket(63)).isEqualTo(Verdict.NEW);
    assertThat(window.onPacket(64)).isEqualTo(Verdict.OUT_OF_WINDOW);
  }

  @Test
  void shouldHaveNothingToSayBesideTheBaseWhileInOrder() {
    RxWindow window = new RxWindow(7, 128);
    for (int psn = 7; psn < 500; psn++) {
      assertThat(window.onPacket(psn)).isEqualTo(Verdict.NEW);
      assertThat(window.hasChanges()).isFalse();
      assertThat(window.wordCount()).isZero();
    }
    assertThat(window.base()).isEqualTo(500);
  }

  @Test
  void shouldSayChangedWordsOnceAndAgainAfterADuplicate() {
    RxWindow window = new RxWindow(0, 1_024);
    window.onPacket(3);
    window.onPacket(200);
    assertThat(window.wordCount()).isEqualTo(4);
    assertThat(window.firstWordOffset()).isZero();
    assertThat(window.takeWord(0)).isEqualTo(8);
    assertThat(window.firstWordOffset()).isEqualTo(3);
    assertThat(window.takeWord(3)).isEqualTo(1L << 8);
    assertThat(window.hasChanges()).isFalse();
    window.onPacket(200);
    assertThat(window.firstWordOffset()).isEqualTo(3);
    assertThat(window.hasChanges()).isTrue();
  }

  @Test
  void shouldKeepWhatChangedWhileTheWindowGrows() {
    RxWindow window = new RxWindow(-70, 16_384);
    window.onPacket(-70 + 3);
    window.onPacket(900);
    window.onPacket(-70 + 16_383);
    int offset = window.firstWordOffset();
    assertThat(offset).isZero();
    window.takeWord(offset);
    assertThat(window.firstWordOffset()).isEqualTo((900 >> 6) + 2);
    assertThat(window.takeWord((900 >> 6) + 2)).isEqualTo(1L << 900);
    int last = window.wordCount() - 1;
    assertThat(window.firstWordOffset()).isEqualTo(last);
    assertThat(window.takeWord(last)).isEqualTo(1L << (-70 + 16_383));
    assertThat(window.hasChanges()).isFalse();
  }

  @Test
  void shouldForgetChangesThatTheBaseHasPassed() {
    RxWindow window = new RxWindow(0, 1_024);
    for (int psn = 1; psn < 300; psn++) {
      window.onPacket(psn);
    }
    assertThat(window.hasChanges()).isTrue();
    window.onPacket(0);
    assertThat(window.base()).isEqualTo(300);
    assertThat(window.hasChanges()).isFalse();
    assertThat(window.hasGap()).isFalse();
  }

  @Test
  void shouldKeepAChangeInTheWordOfTheBase() {
    RxWindow window = new RxWindow(0, 64);
    window.onPacket(1);
    window.onPacket(5);
    window.onPacket(0);
    assertThat(window.base()).isEqualTo(2);
    assertThat(window.hasChanges()).isTrue();
    assertThat(window.takeWord(0)).isEqualTo(0b100011);
    window.onPacket(2);
    window.onPacket(3);
    window.onPacket(4);
    assertThat(window.hasChanges()).isFalse();
  }

  @Test
  void shouldAgreeWithASetOfNumbers() {
    for (long seed = 0; seed < 100; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int capacity = 64 << random.nextInt(9);
      int base = -random.nextInt(3_000);
      RxWindow window = new RxWindow(base, capacity);
      Set<Integer> received = new HashSet<>();
      for (int step = 0; step < 3_000; step++) {
        int psn = base + random.nextInt(-20, capacity + 20);
        if (random.nextInt(4) == 0) {
          psn = base;
        }
        Verdict expected =
            psn - base < 0 || received.contains(psn)
                ? Verdict.DUPLICATE
                : psn - base >= capacity ? Verdict.OUT_OF_WINDOW : Verdict.NEW;
        assertThat(window.onPacket(psn)).as("seed=%d", seed).isEqualTo(expected);
        if (expected == Verdict.NEW) {
          received.add(psn);
        }
        while (received.remove(base)) {
          base++;
        }
        assertThat(window.base()).as("seed=%d", seed).isEqualTo(base);
        assertThat(window.hasGap()).as("seed=%d", seed).isEqualTo(!received.isEmpty());
        if (random.nextInt(5) == 0 && window.wordCount() > 0) {
          window.takeWord(window.firstWordOffset());
        }
        if (received.isEmpty()) {
          assertThat(window.hasChanges()).as("seed=%d", seed).isFalse();
        }
      }
    }
  }
}
