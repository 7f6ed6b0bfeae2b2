package io.rtransport.core.window;

import io.rtransport.core.stats.Limits;

/**
 * One bit for each packet number of a window (the patent's sequence number bitmap). The 64-bit
 * words are aligned to absolute PSNs, so a word here is a word on the wire. A ring holds the bits
 * of {@code [base, base + capacity)}. It has no spare word, so the base's word also holds the
 * highest bits of the window. {@link #word} separates the two.
 *
 * <p>The ring of a larger window begins with {@value #PACKETS_AT_FIRST} packets. It doubles when a
 * bit beyond them is set.
 */
final class SequenceNumberBitmap {
  /** Packets that the ring holds at first, in 128 bytes. Only long paths need more. */
  static final int PACKETS_AT_FIRST = 1_024;

  private long[] words;
  private int indexMask;
  private final int capacity;
  private int base;

  /**
   * Creates a bitmap without set bits.
   *
   * @param capacity packets, a power of two in 64..16,384
   * @param base the lowest packet number, any value
   */
  SequenceNumberBitmap(int capacity, int base) {
    if (capacity < Limits.WINDOW_PACKETS_MIN
        || capacity > Limits.WINDOW_PACKETS_MAX
        || Integer.bitCount(capacity) != 1) {
      throw new IllegalArgumentException(
          "window=" + capacity + " packets, valid: powers of two in 64..16384");
    }
    this.words = new long[Math.min(capacity, PACKETS_AT_FIRST) >>> 6];
    this.indexMask = words.length - 1;
    this.capacity = capacity;
    this.base = base;
  }

  /** Returns the lowest packet number whose bit is kept. Those below count as set. */
  int base() {
    return base;
  }

  int capacity() {
    return capacity;
  }

  /** Returns the packets that the ring holds now. The bits of all above are 0. */
  int heldCapacity() {
    return words.length << 6;
  }

  /** Returns the bit of a packet number in {@code [base, base + capacity)}. */
  boolean isSet(int psn) {
    return psn - base < heldCapacity() && (words[(psn >>> 6) & indexMask] & (1L << psn)) != 0;
  }

  /** Sets the bit of a packet number in {@code [base, base + capacity)}. */
  void set(int psn) {
    reach(psn);
    words[(psn >>> 6) & indexMask] |= 1L << psn;
  }

  /**
   * Sets the given bits of the aligned word at {@code wordPsn}. All must be in {@code [base, base +
   * capacity)}.
   */
  void setBits(int wordPsn, long bits) {
    if (bits != 0) {
      reach(wordPsn + 63 - Long.numberOfLeadingZeros(bits));
      words[(wordPsn >>> 6) & indexMask] |= bits;
    }
  }

  private void reach(int psn) {
    int distance = psn - base;
    if (distance >= heldCapacity()) {
      grow(Integer.highestOneBit(distance) << 1);
    }
  }

  private void grow(int packets) {
    long[] former = words;
    int formerMask = indexMask;
    int first = base >>> 6;
    long below = (base & 63) == 0 ? 0 : ones(base & 63);
    words = new long[packets >>> 6];
    indexMask = words.length - 1;
    for (int i = 1; i < former.length; i++) {
      words[(first + i) & indexMask] = former[(first + i) & formerMask];
    }
    // The base's word and the highest word shared a place. Each gets its own.
    words[first & indexMask] = former[first & formerMask] & ~below;
    words[(first + former.length) & indexMask] = former[first & formerMask] & below;
  }

  /**
   * Moves the base over the set bits that begin at it, and clears them. Returns how far it moved.
   */
  int advance() {
    int from = base;
    while (true) {
      int index = (base >>> 6) & indexMask;
      int shift = base & 63;
      // Only bits from the base to the end of its word. Those below are the window's highest.
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

  /**
   * Moves the base forward to {@code newBase}, at most by the capacity, and clears the bits below
   * it.
   */
  void advanceTo(int newBase) {
    while (base != newBase) {
      int shift = base & 63;
      int run = Math.min(64 - shift, newBase - base);
      words[(base >>> 6) & indexMask] &= ~(ones(run) << shift);
      base += run;
    }
  }

  /**
   * Returns word {@code offset}, counted from the base's word, 0..capacity/64. Bits below the base
   * are 1, bits above the window 0.
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
