package io.rtransport.core.window;

/**
 * The receiving half of one window. It decides for each packet whether it is new, a duplicate, or
 * above the window (OWN), and knows what is to be said about it: the base (BSN, the lowest packet
 * number not received), the bitmap words above it, and which of those words changed since they were
 * last sent, or concern a duplicate, whose sender evidently does not know.
 */
final class RxWindow {
  enum Verdict {
    NEW,
    DUPLICATE,
    OUT_OF_WINDOW
  }

  private final SequenceNumberBitmap received;

  /**
   * A bit per bitmap word, a ring over absolute words: twice the window's, because the word of the
   * base and the highest may differ.
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

  /** As many as the bitmap needs that is held now. */
  private void makeMarks() {
    int marks = Math.max(64, received.heldCapacity() >>> 5);
    changed = new long[marks >>> 6];
    changedMask = marks - 1;
  }

  int capacity() {
    return received.capacity();
  }

  /** BSN: the lowest packet number not received. */
  int base() {
    return received.base();
  }

  /** Whether something above the base has been received. */
  boolean hasGap() {
    return end != received.base();
  }

  /** Takes a packet. */
  Verdict onPacket(int psn) {
    int distance = psn - received.base();
    if (distance < 0) {
      return Verdict.DUPLICATE;
    }
    if (distance >= received.capacity()) {
      return Verdict.OUT_OF_WINDOW;
    }
    if (distance == 0 && !hasGap()) {
      // In order, the common case: no bit need be set only to be cleared again.
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

  /** Whether there is something to say that the base alone does not. */
  boolean hasChanges() {
    return changedCount > 0;
  }

  /**
   * Bitmap words from the one of the base to the one of the highest packet received; 0 without a
   * gap.
   */
  int wordCount() {
    return hasGap() ? (((end - 1) >>> 6) - (received.base() >>> 6) & (-1 >>> 6)) + 1 : 0;
  }

  /**
   * Where the words of the next acknowledgement begin: at the first that changed, else at the base.
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

  /** The word at an offset below {@link #wordCount}; it counts as said from now on. */
  long takeWord(int offset) {
    unmark((received.base() >>> 6) + offset);
    return received.word(offset);
  }
}
