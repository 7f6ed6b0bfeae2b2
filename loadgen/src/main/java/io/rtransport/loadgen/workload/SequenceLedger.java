package io.rtransport.loadgen.workload;

import java.util.Arrays;

/**
 * Decides for each sequence number that arrives whether it is new, a duplicate, or late. Numbers
 * start at 0 and have no upper bound. A bitmap covers the numbers from the lowest missing one to
 * the highest seen. It grows with that distance to at most 2^22 numbers. Above that, the lowest
 * missing ones are given up: they are lost, and if one still arrives it counts as a duplicate. Not
 * thread-safe.
 */
public final class SequenceLedger {
  /** Result for a number. */
  public enum Arrival {
    /** Above all before. */
    IN_ORDER,
    /** First time, after a higher one. */
    OUT_OF_ORDER,
    /** Seen before. */
    DUPLICATE
  }

  private static final int WORDS_MIN = 16;
  private static final int WORDS_MAX = (1 << 22) / Long.SIZE;

  private long[] words = {}; // from the first gap on
  private long baseSequence;
  private long nextSequence;
  private long duplicates;
  private long outOfOrder;

  /** Takes a number, 0 or more. */
  public Arrival onSequence(long sequence) {
    if (sequence < baseSequence) {
      duplicates++;
      return Arrival.DUPLICATE;
    }
    if (sequence == nextSequence && baseSequence == nextSequence) {
      // The common case: nothing is missing, so no bit is set or needed.
      baseSequence = ++nextSequence;
      return Arrival.IN_ORDER;
    }
    makeRoom(sequence);
    if (isSet(sequence)) {
      duplicates++;
      return Arrival.DUPLICATE;
    }
    words[word(sequence)] |= 1L << sequence;
    Arrival arrival = Arrival.IN_ORDER;
    if (sequence < nextSequence) {
      outOfOrder++;
      arrival = Arrival.OUT_OF_ORDER;
    } else {
      nextSequence = sequence + 1;
    }
    advance();
    return arrival;
  }

  /** Returns the numbers that arrived again. */
  public long duplicates() {
    return duplicates;
  }

  /** Returns the numbers that arrived for the first time after a higher one. */
  public long outOfOrder() {
    return outOfOrder;
  }

  /** Returns the lowest number that has not arrived. */
  public long baseSequence() {
    return baseSequence;
  }

  private void makeRoom(long sequence) {
    if (words.length == 0) {
      words = new long[WORDS_MIN];
    }
    // Two spare words: the base and the number may both be in the middle of a word.
    while (sequence - baseSequence >= (long) (words.length - 2) * Long.SIZE
        && words.length < WORDS_MAX) {
      long[] wider = new long[words.length * 2];
      for (long s = baseSequence; s < nextSequence; s++) {
        if (isSet(s)) {
          wider[(int) (s >>> 6) & wider.length - 1] |= 1L << s;
        }
      }
      words = wider;
    }
    long baseMin = sequence - (long) (words.length - 2) * Long.SIZE + 1;
    if (baseMin > nextSequence) {
      Arrays.fill(words, 0);
      baseSequence = baseMin;
      nextSequence = baseMin;
    }
    while (baseSequence < baseMin) {
      clear(baseSequence++);
    }
  }

  private void advance() {
    while (baseSequence < nextSequence && isSet(baseSequence)) {
      clear(baseSequence++);
    }
  }

  private int word(long sequence) {
    return (int) (sequence >>> 6) & words.length - 1;
  }

  private boolean isSet(long sequence) {
    return (words[word(sequence)] & 1L << sequence) != 0;
  }

  private void clear(long sequence) {
    words[word(sequence)] &= ~(1L << sequence);
  }
}
