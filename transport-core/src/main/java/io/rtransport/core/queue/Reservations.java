package io.rtransport.core.queue;

/**
 * Room of a completion queue that is claimed before an entry is stored. The number of claims and
 * the closed bit are one word: a claim is either refused or counted, and after the word is closed
 * the number only falls. Any thread may call any method.
 */
final class Reservations {
  private static final long CLOSED_BIT = 1L << 32;

  private final SharedWords words;
  private final int word;
  private final int max;

  Reservations(SharedWords words, int word, int max) {
    this.words = words;
    this.word = word;
    this.max = max;
  }

  Claim tryClaim(int count) {
    for (; ; ) {
      long old = words.getAcquire(word);
      if ((old & CLOSED_BIT) != 0) {
        return Claim.CLOSED;
      }
      if (old + count > max) {
        return Claim.BACK_PRESSURED;
      }
      if (words.compareAndSet(word, old, old + count)) {
        return Claim.TAKEN;
      }
    }
  }

  /**
   * Claims as many as there is room for.
   *
   * @param most how many are wanted, from 1
   * @return how many, 0 if there is no room; negative: closed
   */
  int tryClaimUpTo(int most) {
    for (; ; ) {
      long old = words.getAcquire(word);
      if ((old & CLOSED_BIT) != 0) {
        return -1;
      }
      int count = (int) Math.min(most, max - old);
      if (count == 0 || words.compareAndSet(word, old, old + count)) {
        return count;
      }
    }
  }

  void release(int count) {
    long old = words.getAndAdd(word, -count);
    assert (int) old >= count : "released " + count + " of " + (int) old + " claims";
  }

  void close() {
    words.getAndBitwiseOr(word, CLOSED_BIT);
  }

  boolean isClosed() {
    return (words.getAcquire(word) & CLOSED_BIT) != 0;
  }

  /** Returns how many are claimed: not stored yet, or stored and not polled. */
  int claimed() {
    return (int) words.getVolatile(word);
  }
}
