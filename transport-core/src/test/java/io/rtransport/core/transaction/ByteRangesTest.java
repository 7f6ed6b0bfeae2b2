package io.rtransport.core.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ByteRangesTest {
  private final ByteRanges ranges = new ByteRanges();

  @Test
  void shouldMoveThePrefixOverARangeThatTouchesIt() {
    assertThat(ranges.add(10, 20)).isTrue();
    assertThat(ranges.prefix()).isZero();
    assertThat(ranges.add(0, 9)).isTrue();
    assertThat(ranges.prefix()).isEqualTo(9);
    assertThat(ranges.add(9, 10)).isTrue();
    assertThat(ranges.prefix()).isEqualTo(20);
    assertThat(ranges.count()).isZero();
    assertThat(ranges.bytes()).isEqualTo(20);
  }

  @Test
  void shouldJoinARangeToBothItsNeighbours() {
    ranges.add(10, 20);
    ranges.add(30, 40);
    ranges.add(20, 30);
    assertThat(ranges.count()).isEqualTo(1);
    assertThat(ranges.firstMissing(10, 100)).isEqualTo(40);
    assertThat(ranges.missingEnd(0, 100)).isEqualTo(10);
  }

  @Test
  void shouldTakeSoManyRangesAsAWindowCanHaveGapsAndNotOneMore() {
    for (int i = 0; i < ByteRanges.RANGES_MAX; i++) {
      assertThat(ranges.add(2L * i + 1, 2L * i + 2)).isTrue();
    }
    long bytes = ranges.bytes();
    assertThat(ranges.add(2L * ByteRanges.RANGES_MAX + 1, 2L * ByteRanges.RANGES_MAX + 2))
        .isFalse();
    assertThat(ranges.bytes()).isEqualTo(bytes);
    // One that joins two others needs no place.
    assertThat(ranges.add(2, 3)).isTrue();
    assertThat(ranges.count()).isEqualTo(ByteRanges.RANGES_MAX - 1);
  }

  @Test
  void shouldShareALimitAndGiveBackWhatTheyNoLongerHave() {
    RangeLimit limit = new RangeLimit(40);
    ByteRanges other = new ByteRanges();
    other.share(limit);
    assertThat(other.add(1, 2) && other.add(3, 4)).isTrue();
    for (long seed = 1; seed <= 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      ranges.clear();
      ranges.share(limit);
      for (int i = 0; i < 200; i++) {
        int from = random.nextInt(300);
        int to = from + 1 + random.nextInt(3);
        boolean isFull = limit.inUse() == 40;
        boolean isTaken = ranges.addMissing(from, to);
        assertThat(isTaken || isFull || limit.inUse() == 40).as("seed %d", seed).isTrue();
        assertThat(limit.inUse())
            .as("seed %d", seed)
            .isEqualTo(ranges.count() + other.count())
            .isLessThanOrEqualTo(40);
        ranges.share(limit);
      }
    }
    ranges.clear();
    assertThat(limit.inUse()).isEqualTo(2);
    assertThat(other.add(0, 1)).isTrue();
    assertThat(limit.inUse()).isEqualTo(1);
    other.clear();
    assertThat(limit.inUse()).isZero();
    ranges.add(5, 6);
    assertThat(limit.inUse()).as("without it again").isZero();
  }

  @Test
  void shouldAgreeWithASetOfBytesWhateverComes() {
    for (long seed = 1; seed <= 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      ranges.clear();
      BitSet expected = new BitSet();
      int size = 1 + random.nextInt(400);
      for (int i = 0; i < 120; i++) {
        int from = random.nextInt(size);
        int to = from + 1 + random.nextInt(Math.min(40, size - from));
        assertThat(ranges.addMissing(from, to)).isTrue();
        expected.set(from, to);
        check(expected, size, random, seed);
      }
    }
  }

  private void check(BitSet expected, int size, SplittableRandom random, long seed) {
    assertThat(ranges.bytes()).as("seed %s", seed).isEqualTo(expected.cardinality());
    assertThat(ranges.prefix()).as("seed %s", seed).isEqualTo(expected.nextClearBit(0));
    int from = random.nextInt(size);
    long missing = Math.min(size, expected.nextClearBit(from));
    assertThat(ranges.firstMissing(from, size)).as("seed %s", seed).isEqualTo(missing);
    if (missing < size) {
      int next = expected.nextSetBit((int) missing);
      assertThat(ranges.missingEnd(missing, size))
          .as("seed %s", seed)
          .isEqualTo(next < 0 ? size : next);
    }
  }

  @Test
  void shouldBeAsNewAfterClear() {
    ranges.add(5, 6);
    ranges.add(0, 1);
    ranges.clear();
    assertThat(ranges.prefix()).isZero();
    assertThat(ranges.bytes()).isZero();
    assertThat(ranges.firstMissing(0, 9)).isZero();
    assertThat(ranges.missingEnd(0, 9)).isEqualTo(9);
  }
}
