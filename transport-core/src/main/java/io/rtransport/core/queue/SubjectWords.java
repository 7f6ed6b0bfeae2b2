package io.rtransport.core.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A word for each subject of a {@link LinkEventQueue}, or each place of a {@link CancelSet}, side
 * by side. 0: nothing waits.
 */
final class SubjectWords {
  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] words;

  SubjectWords(int count) {
    words = new long[count];
  }

  long get(int subject) {
    return (long) WORD.getAcquire(words, subject);
  }

  boolean compareAndSet(int subject, long expected, long value) {
    return WORD.compareAndSet(words, subject, expected, value);
  }

  void or(int subject, long bits) {
    WORD.getAndBitwiseOr(words, subject, bits);
  }

  long getAndClear(int subject) {
    return (long) WORD.getAndSet(words, subject, 0L);
  }
}
