package io.rtransport.simulator;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * Contents of all messages: slices of one region of random bytes, each message from its own start.
 * A byte of another message, or of another offset of the same message, almost certainly differs
 * within a few bytes. One vectorised mismatch compares them.
 */
final class Pattern {
  /** Starts are in [0, STARTS): the longest message fits behind the last. */
  static final int STARTS = 1 << 20;

  private static final int LENGTH_BYTES = STARTS + (2 << 20);
  private static final ByteBuffer REGION = region();

  private Pattern() {}

  private static ByteBuffer region() {
    ByteBuffer region = ByteBuffer.allocate(LENGTH_BYTES);
    SplittableRandom random = new SplittableRandom(0x52_54);
    for (int i = 0; i < LENGTH_BYTES; i += 8) {
      region.putLong(i, random.nextLong());
    }
    return region.asReadOnlyBuffer();
  }

  /** Writes bytes {@code [offset, offset + length)} of the message that starts at {@code start}. */
  static void copy(int start, long offset, ByteBuffer to, int index, int length) {
    to.put(index, REGION, start + Math.toIntExact(offset), length);
  }

  /**
   * Returns the first of {@code length} bytes that differs from the message's at {@code offset}, or
   * -1.
   */
  static int mismatch(int start, long offset, ByteBuffer from, int index, int length) {
    ByteBuffer expected = REGION.slice(start + Math.toIntExact(offset), length);
    return from.slice(index, length).mismatch(expected);
  }
}
