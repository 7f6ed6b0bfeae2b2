package io.rtransport.core.queue;

import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Consumer of event queues: one thread of the application, which polls them, arms them and waits.
 *
 * <p>It goes by the summary bytes: an event queue whose byte is 0 costs no look at the queue. All
 * methods but {@link #signal} belong to one thread. The caller of this room binds it; core cannot
 * ask for the thread.
 *
 * <p>A wait loses no wake-up: {@link #arm} refuses where something was stored after the count that
 * it is given was read.
 */
public final class EventConsumer {
  /** Largest number of event queues of a consumer. */
  public static final int EVENT_QUEUES_MAX = 1 << 10;

  /** Largest number of completion queues of an event queue. */
  public static final int COMPLETION_QUEUES_MAX = 1 << 12;

  /** Largest limit of a poll, in entries. */
  public static final int LIMIT_MAX = 1 << 16;

  /** Largest threshold of a wait, in entries of one event queue. */
  public static final int THRESHOLD_MAX = 1 << 16;

  /** Longest wait: a day, in nanoseconds. */
  public static final long TIMEOUT_NS_MAX = 86_400_000_000_000L;

  private static final int SIGNAL = 0;

  private final int eventQueuesMax;
  private final int completionQueuesMax;
  private final int linkSubjectsMax;
  private final Parker parker;
  private final SummaryBytes summary;
  private final SharedWords words = new SharedWords(1);
  private final Completion view = new Completion();
  private EventReader[] readers = {};
  private boolean goesByPrimary = true;
  private int next;
  private boolean isInside;

  /**
   * Creates a consumer without event queues.
   *
   * @param eventQueuesMax how many it may have, 1..{@link #EVENT_QUEUES_MAX}
   * @param completionQueuesMax how many completion queues each may have, 1..{@link
   *     #COMPLETION_QUEUES_MAX}
   * @param linkSubjectsMax how many peers and rails each may speak of, 1..65,536
   * @throws IllegalArgumentException if a number is outside its range
   */
  public EventConsumer(
      int eventQueuesMax, int completionQueuesMax, int linkSubjectsMax, Parker parker) {
    this.eventQueuesMax = Bounds.check("eventQueuesMax", eventQueuesMax, 1, EVENT_QUEUES_MAX);
    this.completionQueuesMax =
        Bounds.check("completionQueuesMax", completionQueuesMax, 1, COMPLETION_QUEUES_MAX);
    this.linkSubjectsMax =
        Bounds.check("linkSubjectsMax", linkSubjectsMax, 1, LinkEventQueue.SUBJECTS_MAX);
    this.parker = parker;
    summary = new SummaryBytes(eventQueuesMax, SummaryBytes.groupsOf(completionQueuesMax));
  }

  // ---- queues

  /**
   * Adds an event queue, whose loop is told of it by the caller.
   *
   * @param delayNs next interrupt delay in nanoseconds, 0..{@link EventQueueContext#DELAY_NS_MAX}
   * @throws IllegalArgumentException if the delay is outside its range
   * @throws IllegalStateException if there are as many as there may be, or from a handler
   */
  public EventQueue addEventQueue(EventQueueControls controls, long delayNs) {
    checkOutside("addEventQueue");
    int index = readers.length;
    if (index == eventQueuesMax) {
      throw new IllegalStateException(
          "eventQueues=" + (index + 1) + " is not in the range 1.." + eventQueuesMax);
    }
    EventQueue queue =
        new EventQueue(
            index, completionQueuesMax, linkSubjectsMax, controls, delayNs, summary, parker);
    readers = Arrays.copyOf(readers, index + 1);
    readers[index] = new EventReader(queue, summary, view);
    goesByPrimary &= controls.primarySummary();
    return queue;
  }

  /**
   * Opens a completion queue of an event queue.
   *
   * @param postedMax how many entries of own transactions it holds, 1..{@link
   *     CompletionQueue#CAPACITY_MAX}
   * @param inboundMax how many entries that a peer began it holds, 0..{@link
   *     CompletionQueue#CAPACITY_MAX}
   * @return the queue, or null if no slot is free: all are open, or the EQEs of removed ones wait
   *     to be polled
   * @throws IllegalArgumentException if a number is outside its range
   * @throws IllegalStateException from a handler
   */
  public CompletionQueue open(EventQueue eventQueue, int postedMax, int inboundMax) {
    checkOutside("open");
    return readers[eventQueue.index()].open(postedMax, inboundMax);
  }

  /**
   * Removes a completion queue. What is left in it goes to the handler first.
   *
   * @return false if it is not closed, or if some of what was posted has not ended yet
   * @throws IllegalArgumentException if the queue was removed before
   * @throws IllegalStateException from a handler
   */
  public boolean remove(CompletionQueue queue, QueueHandler handler) {
    checkOutside("remove");
    EventReader reader = readers[queue.eventQueue()];
    if (!reader.isOpen(queue)) {
      throw new IllegalArgumentException("slot=" + queue.slot() + " has another queue, or none");
    }
    if (!queue.isFinished()) {
      return false;
    }
    isInside = true;
    try {
      reader.remove(queue, handler);
    } finally {
      isInside = false;
    }
    return true;
  }

  /** Returns how many EQEs of removed completion queues were skipped. */
  public long staleSkipped() {
    long sum = 0;
    for (EventReader reader : readers) {
      sum += reader.staleSkipped();
    }
    return sum;
  }

  // ---- polling

  /**
   * Hands completions and events to the handler. Never blocks. The next poll begins with the event
   * queue after the one at which this one stopped.
   *
   * @param limit most entries and events to hand over, 1..{@link #LIMIT_MAX}
   * @return how many
   * @throws IllegalArgumentException if the limit is outside its range
   * @throws IllegalStateException from a handler
   */
  public int poll(QueueHandler handler, int limit) {
    Bounds.check("limit", limit, 1, LIMIT_MAX);
    checkOutside("poll");
    isInside = true;
    try {
      return sweep(handler, limit);
    } finally {
      isInside = false;
    }
  }

  private int sweep(QueueHandler handler, int limit) {
    int taken = 0;
    int count = readers.length;
    int at = next < count ? next : 0;
    for (int i = 0; i < count; i++) {
      int current = at;
      at = at + 1 == count ? 0 : at + 1;
      if (hasWork(current)) {
        next = at; // Also where the handler throws.
        taken += readers[current].drain(handler, limit - taken);
        if (taken == limit) {
          break;
        }
      }
    }
    return taken;
  }

  /** Where all have primary bytes, an idle sweep reads these and no event queue. */
  private boolean hasWork(int at) {
    return goesByPrimary ? summary.isPrimarySet(at) : readers[at].hasWork();
  }

  /**
   * Hands over what happened to peers and rails. Never blocks.
   *
   * @return how many subjects
   * @throws IllegalStateException from a handler
   */
  public int pollLinks(QueueHandler handler) {
    checkOutside("pollLinks");
    isInside = true;
    try {
      int count = 0;
      for (EventReader reader : readers) {
        count += reader.drainLinks(handler);
      }
      return count;
    } finally {
      isInside = false;
    }
  }

  private void checkOutside(String verb) {
    if (isInside) {
      throw new IllegalStateException(verb + " was called from a handler of this consumer");
    }
  }

  // ---- waiting

  /**
   * Returns how many entries and events were ever stored in all event queues. Read it before the
   * poll that finds nothing, and give it to {@link #arm}.
   */
  public long storedCount() {
    long sum = 0;
    for (EventReader reader : readers) {
      sum += reader.stored();
    }
    return sum;
  }

  /**
   * Arms all event queues: from now on their loops wake this consumer by its parker. The first to
   * do so disarms its own queue; the others stay armed until {@link #disarm}.
   *
   * @param seenCount {@link #storedCount} before the last poll
   * @param threshold entries of one event queue after which it is woken, though no interrupt is
   *     due, 1..{@link #THRESHOLD_MAX}; 0: by time alone
   * @return false if something was stored after that count, or something was left. Nothing is armed
   *     then
   * @throws IllegalArgumentException if the threshold is outside its range
   * @throws IllegalStateException from a handler
   */
  public boolean arm(long seenCount, int threshold) {
    Bounds.check("threshold", threshold, 0, THRESHOLD_MAX);
    checkOutside("arm");
    if (!isEmpty()) {
      return false;
    }
    for (EventReader reader : readers) {
      reader.arm(threshold);
    }
    VarHandle.fullFence(); // Between arming and the look at what was stored.
    if (storedCount() == seenCount) {
      return true;
    }
    disarm();
    return false;
  }

  private boolean isEmpty() {
    for (EventReader reader : readers) {
      if (!reader.isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /** Ends what {@link #arm} began. A wake-up that is on its way may still come. */
  public void disarm() {
    for (EventReader reader : readers) {
      reader.disarm();
    }
  }

  /**
   * Polls, and sleeps where there is nothing. Returns as soon as something was handed over, after
   * {@link #signal}, at the timeout, or if the thread is interrupted.
   *
   * @param limit as of {@link #poll}
   * @param timeoutNs longest sleep in nanoseconds, 0..{@link #TIMEOUT_NS_MAX}
   * @param threshold as of {@link #arm}
   * @return how many entries, events and subjects were handed over
   * @throws IllegalArgumentException if a number is outside its range
   * @throws IllegalStateException from a handler
   */
  public int await(QueueHandler handler, int limit, long timeoutNs, int threshold) {
    Bounds.check("timeoutNs", timeoutNs, 0, TIMEOUT_NS_MAX);
    Bounds.check("threshold", threshold, 0, THRESHOLD_MAX);
    long deadlineNs = parker.nowNs() + timeoutNs;
    int taken = pollAll(handler, limit);
    while (taken == 0 && !takeSignal() && !parker.isInterrupted()) {
      long seen = storedCount();
      taken = pollAll(handler, limit);
      if (taken > 0) {
        break;
      }
      long leftNs = deadlineNs - parker.nowNs();
      if (leftNs <= 0) {
        break;
      }
      if (arm(seen, threshold)) {
        try {
          parker.park(leftNs);
        } finally {
          disarm();
        }
      } else {
        parker.pause();
      }
      taken = pollAll(handler, limit);
    }
    return taken;
  }

  private int pollAll(QueueHandler handler, int limit) {
    return poll(handler, limit) + pollLinks(handler);
  }

  /** Ends the current {@link #await}, or the next one. Any thread. */
  public void signal() {
    words.setVolatile(SIGNAL, 1);
    parker.unpark();
  }

  private boolean takeSignal() {
    return words.getAcquire(SIGNAL) != 0 && words.getAndSet(SIGNAL, 0) != 0;
  }
}
