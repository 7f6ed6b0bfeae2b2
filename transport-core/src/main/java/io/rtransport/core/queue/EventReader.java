package io.rtransport.core.queue;

import java.lang.invoke.VarHandle;

/**
 * The consumer's side of one event queue: its table of completion queues, and how they are drained.
 * Confined to the consumer's thread.
 *
 * <p>It leaves nothing unmarked. A CQ that a poll leaves behind at its limit is pending again, with
 * an EQE at the tail. And where the EQ is not empty at the end, the bytes that were cleared at the
 * beginning are set again.
 */
final class EventReader {
  private static final long NO_GROUPS = 0;

  private final EventQueue queue;
  private final SummaryBytes summary;
  private final SharedWords words;
  private final EventRing ring;
  private final boolean hasPrimary;
  private final boolean hasSecondary;
  private final Completion view;

  private final CompletionQueue[] open;
  private final int[] generations;
  private final int[] freeSlots;
  private int freeCount;
  private long staleSkipped;

  EventReader(EventQueue queue, SummaryBytes summary, Completion view) {
    this.queue = queue;
    this.summary = summary;
    this.view = view;
    words = queue.words();
    ring = queue.ring();
    hasPrimary = queue.controls().primarySummary();
    hasSecondary = queue.controls().secondarySummary();
    int slots = queue.completionQueuesMax();
    open = new CompletionQueue[slots];
    generations = new int[slots];
    freeSlots = new int[slots];
    for (int slot = slots - 1; slot >= 0; slot--) {
      freeSlots[freeCount++] = slot;
    }
  }

  EventQueue queue() {
    return queue;
  }

  // ---- opening and removing

  /** Opens a queue, or returns null if no slot is free. */
  CompletionQueue open(int postedMax, int inboundMax) {
    if (freeCount == 0) {
      return null;
    }
    int slot = freeSlots[freeCount - 1];
    CompletionQueue opened =
        new CompletionQueue(queue.index(), slot, generations[slot], postedMax, inboundMax);
    freeCount--;
    open[slot] = opened;
    return opened;
  }

  boolean isOpen(CompletionQueue candidate) {
    return open[candidate.slot()] == candidate;
  }

  /** Removes a finished queue. The handler gets what is left in it. */
  void remove(CompletionQueue finished, QueueHandler handler) {
    finished.drain(view, handler, Integer.MAX_VALUE);
    int slot = finished.slot();
    open[slot] = null;
    generations[slot] = generations[slot] + 1 & Integer.MAX_VALUE;
    if (finished.isPending()) {
      finished.resetPending();
      words.getAndAdd(EventQueue.CEC, -1);
      // Its EQE still stands in the ring. The slot is free when that is skipped.
    } else {
      freeSlots[freeCount++] = slot;
    }
  }

  private void skipStale(int slot) {
    staleSkipped++;
    freeSlots[freeCount++] = slot;
  }

  long staleSkipped() {
    return staleSkipped;
  }

  // ---- polling

  /** Returns whether the summary bytes, or without any the ring itself, say that there is work. */
  boolean hasWork() {
    if (hasPrimary) {
      return summary.isPrimarySet(queue.index());
    }
    if (hasSecondary) {
      for (int group = 0; group < summary.groups(); group++) {
        if (summary.isSecondarySet(queue.index(), group)) {
          return true;
        }
      }
      return false;
    }
    return !ring.isEmpty();
  }

  /**
   * Hands entries and events to the handler until the queue is empty or the limit is reached.
   *
   * @return how many
   */
  int drain(QueueHandler handler, int limit) {
    // Bytes first: what is set behind them is found now or sets them again.
    if (hasPrimary) {
      summary.clearPrimary(queue.index());
    }
    long cleared = hasSecondary ? clearSecondaries() : NO_GROUPS;
    try {
      int taken = 0;
      while (taken < limit) {
        long entry = ring.take();
        if (entry == 0) {
          break;
        }
        taken += onEntry(entry, handler, limit - taken);
      }
      return taken;
    } finally {
      if (!ring.isEmpty() || words.getAcquire(EventQueue.CEC) != 0) {
        setAgain(cleared);
      }
    }
  }

  private int onEntry(long entry, QueueHandler handler, int limit) {
    if (EventQueue.isEvent(entry)) {
      words.setRelease(EventQueue.EVENTS_TAKEN, words.own(EventQueue.EVENTS_TAKEN) + 1);
      countPolled(1);
      handler.onEvent(queue.index(), EventQueue.valueOf(entry));
      return 1;
    }
    int slot = EventQueue.slotOf(entry);
    if (EventQueue.generationOf(entry) != generations[slot]) {
      skipStale(slot);
      return 0;
    }
    return onPending(open[slot], handler, limit);
  }

  private int onPending(CompletionQueue pending, QueueHandler handler, int limit) {
    words.getAndAdd(EventQueue.CEC, -1);
    pending.resetPending();
    VarHandle.fullFence(); // Between resetting the pending bit and the look for entries.
    long before = pending.polled();
    try {
      return pending.drain(view, handler, limit);
    } finally {
      countPolled(pending.polled() - before);
      if (pending.hasEntries()) {
        queue.markAgain(pending);
        if (hasSecondary) {
          summary.setSecondary(queue.index(), EventQueue.groupOf(pending));
        }
      }
    }
  }

  private void countPolled(long count) {
    words.setRelease(EventQueue.POLLED, words.own(EventQueue.POLLED) + count);
  }

  private long clearSecondaries() {
    long cleared = NO_GROUPS;
    for (int group = 0; group < summary.groups(); group++) {
      if (summary.clearSecondary(queue.index(), group)) {
        cleared |= 1L << group;
      }
    }
    return cleared;
  }

  private void setAgain(long clearedGroups) {
    if (hasPrimary) {
      summary.setPrimary(queue.index());
    }
    for (long left = clearedGroups; left != 0; left &= left - 1) {
      summary.setSecondary(queue.index(), Long.numberOfTrailingZeros(left));
    }
  }

  int drainLinks(QueueHandler handler) {
    if (!summary.clearLink(queue.index())) {
      return 0;
    }
    try {
      return queue.links().drain(queue.index(), handler);
    } finally {
      if (!queue.links().isEmpty()) {
        summary.setLink(queue.index());
      }
    }
  }

  // ---- waiting

  /** Returns how many entries and events were ever stored. */
  long stored() {
    return words.getAcquire(EventQueue.STORED);
  }

  /** Returns whether nothing stands in the queue, not even a stale EQE. */
  boolean isEmpty() {
    return ring.isEmpty() && queue.links().isEmpty();
  }

  void arm(int threshold) {
    queue.arm(threshold);
  }

  void disarm() {
    queue.disarm();
  }
}
