package io.rtransport.loadgen.workload;

import java.util.Arrays;

/** Length of each message: one, or drawn evenly from several by a seed. Immutable. */
public final class SizeMix {
  private final int[] sizesBytes;
  private final long seed;

  /**
   * Creates the mix.
   *
   * @param sizesBytes one or more lengths, each at least {@link MessageHeader#LENGTH}
   * @param seed of the draw
   */
  public SizeMix(int[] sizesBytes, long seed) {
    this.sizesBytes = sizesBytes.clone();
    this.seed = seed;
  }

  /**
   * Returns the length of message {@code sequence} of connection {@code connection}. It is always
   * the same.
   */
  public int sizeBytes(int connection, long sequence) {
    if (sizesBytes.length == 1) {
      return sizesBytes[0];
    }
    long mixed = (seed ^ sequence ^ (long) connection << 40) * 0x9E37_79B9_7F4A_7C15L;
    mixed = (mixed ^ mixed >>> 31) * 0xBF58_476D_1CE4_E5B9L;
    return sizesBytes[(int) Long.remainderUnsigned(mixed ^ mixed >>> 29, sizesBytes.length)];
  }

  /** Returns the longest length. */
  public int sizeBytesMax() {
    return Arrays.stream(sizesBytes).max().orElseThrow();
  }

  /** Returns all lengths. */
  public int[] sizesBytes() {
    return sizesBytes.clone();
  }
}
