package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SequenceNumberBitmapTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 32, 63, 65, 16_383, 16_385, 32_768, -64})
  void shouldRefuseACapacityThatIsNoWindow(int capacity) {
    assertThatIllegalArgumentException().isThrownBy(() -> new SequenceNumberBitmap(capacity, 0));
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 128, 16_384})
  void shouldTakeTheSmallestAndTheLargestWindow(int capacity) {
    assertThat(new SequenceNumberBitmap(capacity, 5).capacity()).isEqualTo(capacity);
  }

  @Test
  void shouldKeepTheWindowsHighestBitsApartFromTheBasesInTheWordTheyShare() {
    SequenceNumberBitmap bitmap = new SequenceNumberBitmap(64, 10);
    bitmap.set(73);
    assertThat(bitmap.isSet(73)).isTrue();
    // PSN 73 is bit 9 of the word behind the base's; bits 0..9 of the base's are below the base.
    assertThat(bitmap.word(0)).isEqualTo((1L << 9) | 0x3FFL);
    assertThat(bitmap.word(1)).isEqualTo(1L << 9);
    assertThat(bitmap.word(2)).isZero();
  }

  @Test
  void shouldHoldWhatAFastPathNeedsUntilMoreIsUsed() {
    SequenceNumberBitmap bitmap = new SequenceNumberBitmap(16_384, 100);
    assertThat(bitmap.heldCapacity()).isEqualTo(1_024);
    bitmap.set(100 + 1_023);
    assertThat(bitmap.isSet(100 + 1_024)).isFalse();
    assertThat(bitmap.isSet(100 + 16_383)).isFalse();
    bitmap.setBits(1_152, 0);
    assertThat(bitmap.heldCapacity()).isEqualTo(1_024);
    bitmap.set(100 + 1_024);
    assertThat(bitmap.heldCapacity()).isEqualTo(2_048);
    bitmap.set(100 + 16_383);
    assertThat(bitmap.heldCapacity()).isEqualTo(16_384);
    assertThat(bitmap.isSet(100 + 1_023)).isTrue();
    assertThat(bitmap.isSet(100 + 1_024)).isTrue();
    assertThat(bitmap.isSet(100 + 1_025)).isFalse();
    // Where the smaller ring had both, in one word.
    assertThat(bitmap.isSet(100)).isFalse();
    assertThat(bitmap.word(0)).isEqualTo(-1L >>> 28);
  }

  @Test
  void shouldAdvanceOverTheSetPrefixAcrossTheWrapAndForgetIt() {
    SequenceNumberBitmap bitmap = new SequenceNumberBitmap(128, -3);
    for (int psn = -3; psn != 70; psn++) {
      bitmap.set(psn);
    }
    bitmap.set(72);
    assertThat(bitmap.advance()).isEqualTo(73);
    assertThat(bitmap.base()).isEqualTo(70);
    assertThat(bitmap.advance()).isZero();
    assertThat(bitmap.isSet(71)).isFalse();
    assertThat(bitmap.isSet(72)).isTrue();
    assertThat(bitmap.isSet(-3 + 128)).isFalse();
  }

  @Test
  void shouldAdvanceOverAFullWindow() {
    SequenceNumberBitmap bitmap = new SequenceNumberBitmap(64, 37);
    for (int psn = 37; psn < 101; psn++) {
      bitmap.set(psn);
    }
    assertThat(bitmap.advance()).isEqualTo(64);
    for (int psn = 101; psn < 165; psn++) {
      assertThat(bitmap.isSet(psn)).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 256, 16_384})
  void shouldAgreeWithASetOfNumbers(int capacity) {
    for (long seed = 0; seed < 20; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int base = -random.nextInt(1_000);
      SequenceNumberBitmap bitmap = new SequenceNumberBitmap(capacity, base);
      Set<Integer> model = new HashSet<>();
      for (int step = 0; step < 2_000; step++) {
        int psn = base + random.nextInt(Math.min(capacity, 1 + random.nextInt(capacity)));
        bitmap.set(psn);
        model.add(psn);
        if (random.nextInt(3) == 0) {
          bitmap.set(base);
          model.add(base);
          int moved = bitmap.advance();
          while (model.remove(base)) {
            base++;
            moved--;
          }
          assertThat(moved).as("seed=%d", seed).isZero();
        } else if (random.nextInt(50) == 0) {
          int to = base + random.nextInt(capacity + 1);
          bitmap.advanceTo(to);
          for (; base != to; base++) {
            model.remove(base);
          }
        }
        assertThat(bitmap.base()).as("seed=%d", seed).isEqualTo(base);
        assertWord(bitmap, model, random.nextInt(capacity / 64 + 2), seed);
      }
    }
  }

  private static void assertWord(
      SequenceNumberBitmap bitmap, Set<Integer> model, int offset, long seed) {
    long expected = 0;
    int first = (bitmap.base() & ~63) + 64 * offset;
    for (int i = 0; i < 64; i++) {
      if (first + i - bitmap.base() < 0 || model.contains(first + i)) {
        expected |= 1L << i;
      }
    }
    assertThat(bitmap.word(offset)).as("seed=%d offset=%d", seed, offset).isEqualTo(expected);
  }
}
