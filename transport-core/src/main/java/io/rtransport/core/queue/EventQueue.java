package io.rtransport.core.queue;

import java.lang.invoke.VarHandle;

/**
 * Event queue (EQ): tells one consumer which of its completion queues have something new, and wakes
 * it if it sleeps. One for each event loop and consumer.
 *
 * <p>All public methods but {@link #index} belong to the event loop. The consumer's side is {@link
 * EventConsumer}.
 *
 * <h2>What stands in it</h2>
 *
 * A CQ stands in it at most once: whoever sets its EQ Pending bit puts the EQE, and the consumer
 * resets the bit as it takes the EQE. An EQE has the slot and the generation of its CQ. That of a
 * CQ that was removed meanwhile is stale, and is skipped; its slot has no new CQ before that. So
 * there are at most as many EQEs of CQs as there are slots. Events that are no completions have as
 * many places again, and are refused beyond. The ring holds both: 2 × its CQs. It is never full.
 *
 * <h2>Order of memory</h2>
 *
 * The loop stores an entry, fences, and looks at the pending bit. The consumer resets the bit,
 * fences, and looks for entries. One of both sees the other: no entry stays behind without a bit.
 *
 * <p>The loop writes EQE and bytes, then the count of all that was stored, fences, and looks
 * whether the consumer is armed. The consumer arms, fences, and looks at the count. One of both
 * sees the other: no wake-up is lost. The four fences are full; less is not enough (Dekker's
 * pattern), and each has a canary in the module {@code interleavings}.
 *
 * <p>CEC is raised before the EQE is visible, so it is never below 0. It is changed by atomic
 * addition: the loop's raise from 0 sets the primary byte, and a consumer whose last look at CEC
 * was not 0 sets it itself. So the byte is set whenever CEC is not 0 and the consumer is not
 * polling.
 */
public final class EventQueue {
  static final int CEC = 0;
  static final int STORED = 1;
  static final int POLLED = 2;
  static final int EVENTS_TAKEN = 3;
  private static final int ARMED = 4;
  private static final int WORDS = 5;

  private static final long EVENT_BIT = Long.MIN_VALUE;
  private static final int NOT_ARMED = 0;

  private final int index;
  private final int completionQueuesMax;
  private final EventQueueControls controls;
  private final SummaryBytes summary;
  private final Parker parker;
  private final SharedWords words = new SharedWords(WORDS);
  private final EventRing ring;
  private final LinkEventQueue links;
  private final LoopSide loop;

  /** What the event loop alone changes, in an object of its own for the sake of cache lines. */
  private static final class LoopSide {
    private final EventQueueContext context;
    private final ModerationTuner tuner; // null without self-tuning
    private final long[] counts = new long[QueueCounter.values().length];
    private long eventsPut;
    private long nowNs; // of the last completion or timeout
    private boolean hasDeadline;

    LoopSide(EventQueueContext context, ModerationTuner tuner) {
      this.context = context;
      this.tuner = tuner;
    }
  }

  EventQueue(
      int index,
      int completionQueuesMax,
      int linkSubjectsMax,
      EventQueueControls controls,
      long delayNs,
      SummaryBytes summary,
      Parker parker) {
    this.index = index;
    this.completionQueuesMax = completionQueuesMax;
    this.controls = controls;
    this.summary = summary;
    this.parker = parker;
    ring = new EventRing(2 * completionQueuesMax);
    links = new LinkEventQueue(linkSubjectsMax);
    ModerationTuner tuner = controls.selfTuning() ? new ModerationTuner() : null;
    loop =
        new LoopSide(
            new EventQueueContext(
                controls,
                tuner == null ? delayNs : tuner.delayNs(),
                () -> words.getAcquire(POLLED)),
            tuner);
  }

  /** Returns the number of this queue at its consumer. Any thread. */
  public int index() {
    return index;
  }

  /**
   * Sets the next interrupt delay.
   *
   * @param delayNs nanoseconds, 0..{@link EventQueueContext#DELAY_NS_MAX}
   * @throws IllegalArgumentException outside this range
   * @throws IllegalStateException if this queue tunes itself
   */
  public void delayNs(long delayNs) {
    if (loop.tuner != null) {
      throw new IllegalStateException("delayNs=" + delayNs + ", valid: without selfTuning");
    }
    loop.context.delayNs(delayNs);
  }

  /** Returns the next interrupt delay in nanoseconds. */
  public long delayNs() {
    return loop.context.delayNs();
  }

  /** Returns the value of a counter. */
  public long count(QueueCounter counter) {
    return counter == QueueCounter.INTERRUPTS_DUE
        ? loop.context.interruptsDue()
        : loop.counts[counter.ordinal()];
  }

  // ---- the event loop puts

  /**
   * Announces entries that were stored in a completion queue of this event queue. The loop calls it
   * once for a run of entries, at the latest before it sleeps.
   *
   * @param entries how many entries were stored since the last call for this queue, above 0
   * @param nowNs time at which they were stored: the loop's clock, which may wrap
   */
  public void announce(CompletionQueue queue, int entries, long nowNs) {
    queue.show();
    VarHandle.fullFence(); // Between showing an entry and the look at its pending bit.
    loop.nowNs = nowNs;
    int actions;
    if (queue.isPending() || !queue.trySetPending()) {
      actions = loop.context.onFurtherCompletion(nowNs);
    } else {
      boolean isEmpty = words.getAndAdd(CEC, 1) == 0;
      actions = loop.context.onCompletionEvent(isEmpty, nowNs);
      ring.put(entryOf(queue));
      if ((actions & EventQueueContext.SET_SECONDARY) != 0) {
        summary.setSecondary(index, groupOf(queue));
      }
      if ((actions & EventQueueContext.SET_PRIMARY) != 0) {
        summary.setPrimary(index);
      }
    }
    queue.onAnnounced();
    boolean isInterrupt = (actions & EventQueueContext.INTERRUPT) != 0;
    publish(entries, entries, isInterrupt ? QueueCounter.INTERRUPTS_DUE : null);
  }

  /**
   * Puts an event that is no completion: it does not count in CEC. An armed consumer is woken.
   *
   * @param value what the consumer is told, 0..2^63 - 1
   * @return false if as many such events wait as there may be completion queues
   * @throws IllegalArgumentException if the value is below 0
   */
  public boolean putEvent(long value) {
    Bounds.check("value", value, 0, Long.MAX_VALUE);
    if (loop.eventsPut - words.getAcquire(EVENTS_TAKEN) == completionQueuesMax) {
      return false;
    }
    loop.eventsPut++;
    ring.put(value | EVENT_BIT);
    lookAtMe();
    publish(1, 0, QueueCounter.EVENTS_DUE);
    return true;
  }

  /**
   * Puts what happened to a peer or a rail. It is never refused: events of one subject are merged.
   * An armed consumer is woken.
   *
   * @param subject number of the peer or rail, below the number given for the consumer
   * @param kind what happened, 0..15. The caller defines it
   * @param code code of the event, any number
   * @throws IllegalArgumentException if the subject or the kind is outside its range
   */
  public void putLinkEvent(int subject, int kind, int code) {
    links.put(subject, kind, code);
    summary.setLink(index);
    publish(1, 0, QueueCounter.EVENTS_DUE);
  }

  /** A consumer that goes by bytes must find an event: its bytes are set as for a CQ of slot 0. */
  private void lookAtMe() {
    if (controls.primarySummary()) {
      summary.setPrimary(index);
    } else if (controls.secondarySummary()) {
      summary.setSecondary(index, 0);
    }
  }

  // ---- the event loop wakes

  private void publish(int entries, int completions, QueueCounter due) {
    long stored = words.own(STORED) + entries;
    words.setRelease(STORED, stored);
    VarHandle.fullFence(); // Between storing and the look whether the consumer is armed.
    long wakeAt = words.getAcquire(ARMED);
    boolean isTunedCount = loop.tuner != null && measure(completions, wakeAt != NOT_ARMED);
    if (due != null) {
      deliver(due);
    } else if (wakeAt != NOT_ARMED && (stored - wakeAt >= 0 || isTunedCount)) {
      deliver(QueueCounter.COUNTS_DUE);
    } else {
      loop.hasDeadline = wakeAt != NOT_ARMED;
    }
  }

  /** Returns whether so many completions wait that self-tuning wakes before the delay. */
  private boolean measure(int completions, boolean isArmed) {
    if (isArmed) {
      loop.tuner.onWaiting(completions, words.getAcquire(POLLED), loop.nowNs);
    } else {
      loop.tuner.onTaken(completions);
    }
    return loop.tuner.isCountReached();
  }

  private void deliver(QueueCounter due) {
    loop.hasDeadline = false;
    loop.counts[due.ordinal()]++;
    boolean isArmed =
        words.getAcquire(ARMED) != NOT_ARMED && words.getAndSet(ARMED, NOT_ARMED) != NOT_ARMED;
    if (isArmed) {
      loop.counts[QueueCounter.WAKE_UPS.ordinal()]++;
      parker.unpark();
      if (loop.tuner != null) {
        loop.tuner.onWakeUp(loop.nowNs);
        loop.context.delayNs(loop.tuner.delayNs());
      }
    } else {
      loop.counts[QueueCounter.SUPPRESSED.ordinal()]++;
    }
  }

  /**
   * Returns whether the loop must call {@link #onTimeout} at {@link #deadlineNs}. Departure: while
   * the consumer is armed and CQs are pending there is a deadline at the next interrupt timestamp,
   * so a last completion does not sleep.
   */
  public boolean hasDeadline() {
    return loop.hasDeadline;
  }

  /** Returns the deadline in the loop's time. Valid where {@link #hasDeadline} is true. */
  public long deadlineNs() {
    return loop.context.timestampNs();
  }

  /** Wakes the consumer if the deadline has come and it still is armed with something pending. */
  public void onTimeout(long nowNs) {
    if (!loop.hasDeadline || nowNs - deadlineNs() < 0) {
      return;
    }
    loop.hasDeadline = false;
    loop.nowNs = nowNs;
    if (words.getAcquire(ARMED) != NOT_ARMED && words.getAcquire(CEC) != 0) {
      deliver(QueueCounter.DEADLINES_DUE);
    }
  }

  // ---- the consumer

  static long entryOf(CompletionQueue queue) {
    return (long) queue.generation() << Integer.SIZE | queue.slot() + 1;
  }

  static boolean isEvent(long entry) {
    return entry < 0;
  }

  static long valueOf(long event) {
    return event & ~EVENT_BIT;
  }

  static int slotOf(long entry) {
    return (int) entry - 1;
  }

  static int generationOf(long entry) {
    return (int) (entry >>> Integer.SIZE);
  }

  static int groupOf(CompletionQueue queue) {
    return queue.slot() / SummaryBytes.GROUP_LENGTH;
  }

  /** Returns the words that consumer and loop share, for the consumer's side. */
  SharedWords words() {
    return words;
  }

  EventRing ring() {
    return ring;
  }

  LinkEventQueue links() {
    return links;
  }

  EventQueueControls controls() {
    return controls;
  }

  int completionQueuesMax() {
    return completionQueuesMax;
  }

  /** Marks a CQ pending again that the consumer has left: as the loop does, without the table. */
  void markAgain(CompletionQueue queue) {
    if (queue.trySetPending()) {
      words.getAndAdd(CEC, 1);
      ring.put(entryOf(queue));
    }
  }

  /** Has the loop wake the consumer once {@code threshold} entries more are stored, or later. */
  void arm(int threshold) {
    long wakeAt = threshold == 0 ? Long.MAX_VALUE : words.getAcquire(STORED) + threshold;
    words.setRelease(ARMED, wakeAt);
  }

  void disarm() {
    if (words.getAcquire(ARMED) != NOT_ARMED) {
      words.getAndSet(ARMED, NOT_ARMED);
    }
  }
}
