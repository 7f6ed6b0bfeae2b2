package io.rtransport.core.transaction;

import io.rtransport.core.fuzz.FuzzInput;
import java.util.BitSet;

/**
 * {@link ByteRanges} against a set of bytes: what is there, what is missing, how many ranges that
 * makes.
 */
public final class ByteRangesFuzz {
  private static final int SIZE = 2_048;

  private ByteRangesFuzz() {}

  /** Ranges in any order, three bytes each. */
  public static void fuzzerTestOneInput(byte[] data) {
    FuzzInput input = new FuzzInput(data);
    ByteRanges ranges = new ByteRanges();
    BitSet expected = new BitSet();
    while (input.remaining() >= 3) {
      int from = input.u16() % SIZE;
      int to = Math.min(SIZE, from + 1 + input.u8());
      int missing = to - from - expected.get(from, to).cardinality();
      long before = ranges.bytes();
      if (!ranges.addMissing(from, to) || ranges.bytes() != before + missing) {
        throw new AssertionError("added " + from + ".." + to + ", missing were " + missing);
      }
      expected.set(from, to);
      check(ranges, expected, from, to);
    }
    check(ranges, expected, 0, SIZE);
    ranges.clear();
    check(ranges, new BitSet(), 0, SIZE);
  }

  private static void check(ByteRanges ranges, BitSet expected, int from, int to) {
    int prefix = expected.nextClearBit(0);
    int count = 0;
    for (int at = expected.nextSetBit(prefix); at >= 0; ) {
      count++;
      at = expected.nextSetBit(expected.nextClearBit(at));
    }
    boolean isRight =
        ranges.prefix() == prefix
            && ranges.bytes() == expected.cardinality()
            && ranges.count() == count
            && ranges.firstMissing(from, to) == Math.min(to, expected.nextClearBit(from))
            && ranges.firstMissing(0, SIZE) == Math.min(SIZE, prefix);
    if (!isRight) {
      throw new AssertionError(ranges.prefix() + " " + ranges.count() + ", not " + expected);
    }
    int gap = expected.nextClearBit(from / 2);
    if (gap < SIZE) {
      int set = expected.nextSetBit(gap);
      long end = ranges.missingEnd(gap, SIZE);
      if (end != (set < 0 ? SIZE : set)) {
        throw new AssertionError("gap " + gap + ".." + end + ", not " + expected);
      }
    }
  }
}
