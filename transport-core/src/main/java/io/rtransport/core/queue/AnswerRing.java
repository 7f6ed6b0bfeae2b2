package io.rtransport.core.queue;

/**
 * Ring of what a consumer answers to the entries that it was given: acknowledged, failed, answered,
 * released. The consumer puts, the event loop takes.
 *
 * <p>It is never full and nothing in it waits behind posts: each entry that is handed over keeps
 * one place until its answer is taken, and the caller hands over no more than there are places.
 *
 * <p>Layout of an answer, two longs: number (32) | kind (32), and a code.
 */
public final class AnswerRing {
  private static final int SHIFT = 1;
  private static final int TAIL = 0;
  private static final int HEAD = 1;
  private static final int HEAD_SEEN = 2; // the consumer's
  private static final int WORDS = 3;

  private final SharedWords words = new SharedWords(WORDS);
  private final long[] answers;
  private final Object[] details;
  private final int mask;

  /**
   * Creates an empty ring.
   *
   * @param capacity most answers that wait, 1..2 × {@link CompletionQueue#CAPACITY_MAX}
   * @throws IllegalArgumentException if it is outside its range
   */
  public AnswerRing(int capacity) {
    Bounds.check("capacity", capacity, 1, 2 * CompletionQueue.CAPACITY_MAX);
    int length = Integer.highestOneBit(2 * capacity - 1);
    mask = length - 1;
    answers = new long[length << SHIFT];
    details = new Object[length];
  }

  // ---- the consumer

  /**
   * Puts an answer. The consumer.
   *
   * @param kind defined by the caller
   * @param number of what is answered, 32 bits
   * @param code any value
   * @param detail an object, or null
   * @throws IllegalStateException if there are more answers than entries that have a place
   */
  public void put(int kind, int number, long code, Object detail) {
    long tail = words.own(TAIL);
    if (tail - words.own(HEAD_SEEN) > mask) {
      words.setOwn(HEAD_SEEN, words.getAcquire(HEAD));
      if (tail - words.own(HEAD_SEEN) > mask) {
        throw new IllegalStateException("answer " + tail + " is to no entry that was handed over");
      }
    }
    int slot = (int) tail & mask;
    answers[slot << SHIFT] = (long) number << Integer.SIZE | kind & 0xFFFF_FFFFL;
    answers[(slot << SHIFT) + 1] = code;
    if (detail != null) {
      details[slot] = detail;
    }
    words.setRelease(TAIL, tail + 1);
  }

  // ---- the event loop

  /** Returns whether an answer waits. */
  public boolean hasNext() {
    return words.own(HEAD) != words.getAcquire(TAIL);
  }

  private int slot() {
    return (int) words.own(HEAD) & mask;
  }

  /** Returns the kind of the next answer. */
  public int kind() {
    return (int) answers[slot() << SHIFT];
  }

  /** Returns the number of the next answer, 0..2^32 - 1. */
  public long number() {
    return answers[slot() << SHIFT] >>> Integer.SIZE;
  }

  /** Returns the code of the next answer. */
  public long code() {
    return answers[(slot() << SHIFT) + 1];
  }

  /** Takes the next answer and returns its detail, or null. */
  public Object take() {
    int slot = slot();
    Object detail = details[slot];
    if (detail != null) {
      details[slot] = null;
    }
    words.setRelease(HEAD, words.own(HEAD) + 1);
    return detail;
  }
}
