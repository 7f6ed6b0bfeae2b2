package io.rtransport.core.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A few 64-bit words that two threads share, each on cache lines of its own.
 *
 * <p>All words that this package shares between threads are here, in the slots of {@link EventRing}
 * or in {@link SummaryBytes}. So what is atomic, and in which order, is said by the name of the
 * method called.
 */
final class SharedWords {
  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

  /** 128 bytes: processors fetch cache lines of 64 bytes in pairs. */
  private static final int STRIDE = 16;

  private final long[] words;

  /** Creates {@code count} words of value 0. */
  SharedWords(int count) {
    words = new long[(count + 1) * STRIDE];
  }

  private static int at(int word) {
    return (word + 1) * STRIDE;
  }

  /** Reads a word that this thread alone writes. */
  long own(int word) {
    return words[at(word)];
  }

  /** Writes a word that this thread alone reads before the next release. */
  void setOwn(int word, long value) {
    words[at(word)] = value;
  }

  long getAcquire(int word) {
    return (long) WORD.getAcquire(words, at(word));
  }

  void setRelease(int word, long value) {
    WORD.setRelease(words, at(word), value);
  }

  long getVolatile(int word) {
    return (long) WORD.getVolatile(words, at(word));
  }

  void setVolatile(int word, long value) {
    WORD.setVolatile(words, at(word), value);
  }

  long getAndAdd(int word, long delta) {
    return (long) WORD.getAndAdd(words, at(word), delta);
  }

  long getAndSet(int word, long value) {
    return (long) WORD.getAndSet(words, at(word), value);
  }

  long getAndBitwiseOr(int word, long bits) {
    return (long) WORD.getAndBitwiseOr(words, at(word), bits);
  }

  boolean compareAndSet(int word, long expected, long value) {
    return WORD.compareAndSet(words, at(word), expected, value);
  }
}
