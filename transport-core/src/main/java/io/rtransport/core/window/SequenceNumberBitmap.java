package io.rtransport.core.window;

import io.rtransport.core.stats.Limits;

/**
 * One bit per packet number of a window (the patent's sequence number bitmap), in 64-bit words aligned to absolute PSNs, so that a word
 * here is a word on the wire. The bits of {@code [base, base + capacity)} are kept in a ring; the ring has no spare word, so that the
 * word of the base also holds the highest bits of the window, and {@link #word} takes the two apart.
 */
final class SequenceNumberBitmap {
  private final long[] words;
  private final int indexMask;
  private final int capacity;
  private int base;

  /**
   * @param capacity packets, a power of two in 64..16,384
   * @param base the lowest packet number, any
   */
  SequenceNumberBitmap(int capacity, int base) {
    if (capacity < Limits.WINDOW_PACKETS_MIN
        || capacity > Limits.WINDOW_PACKETS_MAX
        || Integer.bitCount(capacity) != 1) {
      throw new IllegalArgumentException(
          "window=" + capacity + " packets, valid: powers of two in 64..16384");
    }
    this.words = new long[capacity >>> 6];
    this.indexMask = words.length - 1;
    this.capacity = capacity;
    this.base = base;
  }

  /** The lowest packet number whose bit is kept; those below count as set. */
  int base() {
    return base;
  }

  int capacity() {
    return capacity;
  }

  /** The bit of a packet number in {@code [base, base + capacity)}. */
  boolean isSet(int psn) {
    return (words[(psn >>> 6) & indexMask] & (1L << psn)) != 0;
  }

  /** Sets the bit of a packet number in {@code [base, base + capacity)}. */
  void set(int psn) {
    words[(psn >>> 6) & indexMask] |= 1L << psn;
  }

  /** Sets the given bits of the aligned word that holds {@code psn}; all must lie in {@code [base, base + capacity)}. */
  void setBits(int psn, long bits) {
    words[(psn >>> 6) & indexMask] |= bits;
  }

  /** Moves the base over the set bits that begin at it, and forgets them. Returns how far it moved. */
  int advance() {
    int from = base;
    while (true) {
      int index = (base >>> 6) & indexMask;
      int shift = base & 63;
      // Only bits from the base to the end of its word: those below it are the window's highest.
      int run = Long.numberOfTrailingZeros(~(words[index] >>> shift));
      run = Math.min(run, 64 - shift);
      if (run == 0) {
        return base - from;
      }
      words[index] &= ~(ones(run) << shift);
      base += run;
      if ((base & 63) != 0) {
        return base - from;
      }
    }
  }

  /** Moves the base forward to {@code newBase}, at most by the capacity, and forgets the bits below it. */
  void advanceTo(int newBase) {
    while (base != newBase) {
      int shift = base & 63;
      int run = Math.min(64 - shift, newBase - base);
      words[(base >>> 6) & indexMask] &= ~(ones(run) << shift);
      base += run;
    }
  }

  /**
   * Word {@code offset} counted from the one that holds the base, 0..capacity/64: bits below the base are 1, bits above the window 0.
   */
  long word(int offset) {
    int shift = base & 63;
    long below = shift == 0 ? 0 : ones(shift);
    if (offset == 0) {
      return words[(base >>> 6) & indexMask] | below;
    }
    if (offset < words.length) {
      return words[((base >>> 6) + offset) & indexMask];
    }
    return offset == words.length ? words[(base >>> 6) & indexMask] & below : 0;
  }

  private static long ones(int count) {
    return -1L >>> (64 - count);
  }
}
