package io.rtransport.core.queue;

/**
 * Queue of what happens to peers and rails. It merges the events of one subject (a peer or a rail)
 * and never drops one: a subject stands in it at most once, with the set of kinds that came and
 * with the last of them.
 *
 * <p>Departure: the document has one queue for all events. Here a flood of one subject cannot fill
 * it, and completions never wait behind it. The event loop puts, the consumer takes.
 */
final class LinkEventQueue {
  /** Largest kind of a link event. */
  static final int KIND_MAX = 15;

  /** Largest number of subjects. */
  static final int SUBJECTS_MAX = 1 << 16;

  private static final int KINDS_MASK = 0xFFFF;
  private static final int LAST_SHIFT = 16;

  private final SubjectWords subjects;
  private final EventRing ring;
  private final int subjectsMax;

  LinkEventQueue(int subjectsMax) {
    this.subjectsMax = Bounds.check("linkSubjectsMax", subjectsMax, 1, SUBJECTS_MAX);
    subjects = new SubjectWords(subjectsMax);
    ring = new EventRing(subjectsMax);
  }

  /**
   * Puts an event, or adds it to those of its subject that wait. The event loop.
   *
   * @throws IllegalArgumentException if the subject or the kind is outside its range
   */
  void put(int subject, int kind, int code) {
    Bounds.check("subject", subject, 0, subjectsMax - 1);
    Bounds.check("kind", kind, 0, KIND_MAX);
    long last = (long) code << Integer.SIZE | (long) kind << LAST_SHIFT | 1L << kind;
    long before;
    do {
      before = subjects.get(subject);
    } while (!subjects.compareAndSet(subject, before, last | before & KINDS_MASK));
    if (before == 0) {
      ring.put(subject + 1);
    }
  }

  /**
   * Hands all that waits to a handler. The consumer.
   *
   * @return how many subjects
   */
  int drain(int eventQueue, QueueHandler handler) {
    int count = 0;
    // No more than there are subjects: a loop that puts without end does not hold us here.
    while (count < subjectsMax) {
      int subject = (int) ring.take() - 1;
      if (subject < 0) {
        break;
      }
      long word = subjects.getAndClear(subject);
      count++;
      handler.onLinkEvent(
          eventQueue,
          subject,
          (int) word & KINDS_MASK,
          (int) word >>> LAST_SHIFT,
          (int) (word >>> Integer.SIZE));
    }
    return count;
  }

  boolean isEmpty() {
    return ring.isEmpty();
  }
}
