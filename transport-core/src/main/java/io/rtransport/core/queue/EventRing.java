package io.rtransport.core.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Ring of event queue entries (EQEs). Two threads put: the event loop, and the consumer that marks
 * a CQ again. The consumer takes.
 *
 * <p>It has no test for "full": who puts more than it holds has a defect, and {@link EventQueue}
 * shows why that cannot be. An EQE is never 0.
 */
final class EventRing {
  private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int TAIL = 0;
  private static final int HEAD = 1;
  private static final int WORDS = 2;

  private final SharedWords words = new SharedWords(WORDS);
  private final long[] slots;
  private final int mask;

  /** Creates a ring for at least {@code capacity} entries. */
  EventRing(int capacity) {
    slots = new long[Integer.highestOneBit(2 * capacity - 1)];
    mask = slots.length - 1;
  }

  /** Puts an entry. The loop or the consumer. */
  void put(long entry) {
    long at = words.getAndAdd(TAIL, 1);
    SLOT.setRelease(slots, (int) at & mask, entry);
  }

  /** Takes the first entry, or 0 if there is none, or if it is claimed and not written yet. */
  long take() {
    long head = words.own(HEAD);
    int at = (int) head & mask;
    long entry = (long) SLOT.getAcquire(slots, at);
    if (entry != 0) {
      // Plain: the consumer's release of what the entry stood for comes after it, and the loop
      // writes this slot again only after it has seen such a release.
      slots[at] = 0;
      words.setOwn(HEAD, head + 1);
    }
    return entry;
  }

  /** Returns whether nothing stands here, not even a claim. The consumer. */
  boolean isEmpty() {
    return words.getAcquire(TAIL) == words.own(HEAD);
  }
}
