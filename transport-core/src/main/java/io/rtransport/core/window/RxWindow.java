package io.rtransport.core.window;

/**
 * The receiving half of one window. It decides for each packet whether it is new, a duplicate, or
 * above the window (OWN). It also holds the content of acknowledgements: the base (BSN, the lowest
 * packet number not received) and the bitmap words above it. It marks words that changed since they
 * were last sent, and words with a duplicate, because the duplicate's sender lacks their content.
 */
final class RxWindow {
  enum Verdict {
    NEW,
    DUPLICATE,
    OUT_OF_WINDOW
  }

  private final SequenceNumberBitmap received;

  /**
   * One bit for each bitmap word, in a ring over absolute words. It has twice as many bits as the
   * window has words, because the window can touch one word more.
   */
  private long[] changed;

  private int changedMask;
  private int changedCount;

  /** One above the highest packet number received. */
  private int end;

  RxWindow(int firstPsn, int capacity) {
    this.received = new SequenceNumberBitmap(capacity, firstPsn);
    this.end = firstPsn;
    makeMarks();
  }

  /** Creates marks for the bitmap's current size. */
  private void makeMarks() {
    int marks = Math.max(64, received.heldCapacity() >>> 5);
    changed = new long[marks >>> 6];
    changedMask = marks - 1;
  }

  int capacity() {
    return received.capacity();
  }

  /** Returns BSN, the lowest packet number not received. */
  int base() {
    return received.base();
  }

  /** Returns whether a packet above the base has been received. */
  boolean hasGap() {
    return end != received.base();
  }

  /** Handles a packet. */
  Verdict onPacket(int psn) {
    int distance = psn - received.base();
    if (distance < 0) {
      return Verdict.DUPLICATE;
    }
    if (distance >= received.capacity()) {
      return Verdict.OUT_OF_WINDOW;
    }
    if (distance == 0 && !hasGap()) {
      // In order, the common case: no bit need be set and cleared again.
      received.advanceTo(psn + 1);
      end = received.base();
      return Verdict.NEW;
    }
    if (received.isSet(psn)) {
      mark(psn);
      return Verdict.DUPLICATE;
    }
    int formerCapacity = received.heldCapacity();
    received.set(psn);
    if (received.heldCapacity() != formerCapacity) {
      growMarks();
    }
    if (psn - end >= 0) {
      end = psn + 1;
    }
    if (distance == 0) {
      advance();
    } else {
      mark(psn);
    }
    return Verdict.NEW;
  }

  private void advance() {
    int from = received.base() >>> 6;
    received.advance();
    int words = ((received.base() >>> 6) - from) & (-1 >>> 6);
    for (int i = 0; i < words && changedCount > 0; i++) {
      unmark(from + i);
    }
    if (!hasGap()) {
      unmark(received.base() >>> 6);
    }
  }

  private void growMarks() {
    long[] former = changed;
    int formerMask = changedMask;
    int from = received.base() >>> 6;
    int words = wordCount();
    makeMarks();
    changedCount = 0;
    for (int i = 0; i < words; i++) {
      int word = (from + i) & formerMask;
      if ((former[word >>> 6] & (1L << word)) != 0) {
        mark(from + i << 6);
      }
    }
  }

  private void mark(int psn) {
    int word = (psn >>> 6) & changedMask;
    long bit = 1L << word;
    if ((changed[word >>> 6] & bit) == 0) {
      changed[word >>> 6] |= bit;
      changedCount++;
    }
  }

  private void unmark(int absoluteWord) {
    int word = absoluteWord & changedMask;
    long bit = 1L << word;
    if ((changed[word >>> 6] & bit) != 0) {
      changed[word >>> 6] &= ~bit;
      changedCount--;
    }
  }

  /** Returns whether there is news beyond the base. */
  boolean hasChanges() {
    return changedCount > 0;
  }

  /**
   * Returns the bitmap words from the base's word to the word of the highest packet received; 0
   * without a gap.
   */
  int wordCount() {
    return hasGap() ? (((end - 1) >>> 6) - (received.base() >>> 6) & (-1 >>> 6)) + 1 : 0;
  }

  /**
   * Returns the offset of the first word of the next acknowledgement: the first that changed, else
   * the base's word.
   */
  int firstWordOffset() {
    int count = wordCount();
    if (changedCount > 0) {
      int from = received.base() >>> 6;
      for (int offset = 0; offset < count; offset++) {
        int word = (from + offset) & changedMask;
        if ((changed[word >>> 6] & (1L << word)) != 0) {
          return offset;
        }
      }
    }
    return 0;
  }

  /** Returns the word at an offset below {@link #wordCount} and marks it as sent. */
  long takeWord(int offset) {
    unmark((received.base() >>> 6) + offset);
    return received.word(offset);
  }
}
