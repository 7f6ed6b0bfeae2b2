package io.rtransport.core.queue;

import java.util.function.LongSupplier;

/**
 * Decides what happens when a completion event is put on an event queue: the document's table.
 *
 * <p>A pure decision: it writes no byte and wakes nobody. It keeps the next interrupt delay and the
 * next interrupt timestamp. Its answer is a set of {@link #SET_PRIMARY}, {@link #SET_SECONDARY} and
 * {@link #INTERRUPT}; what holds in every cell of the table (EQE, pending bit, counter) is done by
 * {@link EventQueue}.
 *
 * <pre>
 *                    EQ empty (CEC = 0)             EQ not empty
 *   always           secondary byte if enabled      secondary byte if enabled
 *   now &lt;= timestamp primary byte if enabled;       nothing more
 *                    timestamp = now + delay;
 *                    interrupt if PSUM+INT
 *   now &gt; timestamp  as the cell above              timestamp = now + delay; interrupt
 * </pre>
 *
 * <p>Two departures are here. A further completion on a CQ that is pending also compares the
 * timestamp. And where the consumer has polled entries since the timestamp was set, it keeps up:
 * the timestamp moves on without an interrupt.
 *
 * <p>The clock has no relation to the time of day and may wrap. Times are compared by their signed
 * difference, so a time is later than another if it is less than 2^63 ns ahead of it; exactly 2^63
 * ns is not later. Confined to the event loop.
 */
public final class EventQueueContext {
  /** Longest next interrupt delay: 10 s, in nanoseconds. */
  public static final long DELAY_NS_MAX = 10_000_000_000L;

  /** Bit of an answer: set the primary summary byte. */
  public static final int SET_PRIMARY = 1;

  /** Bit of an answer: set the secondary summary byte. */
  public static final int SET_SECONDARY = 1 << 1;

  /** Bit of an answer: an interrupt is due, after all other writes. */
  public static final int INTERRUPT = 1 << 2;

  private final EventQueueControls controls;
  private final int always;
  private final int whenEmpty;
  private final LongSupplier polledCount;
  private long delayNs;
  private long timestampNs;
  private long polledAtTimestamp;
  private long interruptsDue;

  /**
   * Creates the context of an empty event queue.
   *
   * @param delayNs next interrupt delay in nanoseconds, 0..{@link #DELAY_NS_MAX}
   * @param polledCount how many entries the consumer has ever polled; only asked when a timestamp
   *     is set or has passed
   * @throws IllegalArgumentException if the delay is outside its range
   */
  public EventQueueContext(EventQueueControls controls, long delayNs, LongSupplier polledCount) {
    this.controls = controls;
    always = controls.secondarySummary() ? SET_SECONDARY : 0;
    whenEmpty =
        always
            | (controls.primarySummary() ? SET_PRIMARY : 0)
            | (controls.interruptWithPrimary() ? INTERRUPT : 0);
    this.polledCount = polledCount;
    delayNs(delayNs);
  }

  /** Returns the control bits. */
  public EventQueueControls controls() {
    return controls;
  }

  /** Sets the next interrupt delay. A timestamp that is set stays as it is. */
  public void delayNs(long newDelayNs) {
    delayNs = Bounds.check("delayNs", newDelayNs, 0, DELAY_NS_MAX);
  }

  /** Returns the next interrupt delay in nanoseconds. */
  public long delayNs() {
    return delayNs;
  }

  /** Returns the next interrupt timestamp. It means nothing before the first completion event. */
  public long timestampNs() {
    return timestampNs;
  }

  /** Returns how many answers had {@link #INTERRUPT}, delivered or not. */
  public long interruptsDue() {
    return interruptsDue;
  }

  /**
   * Decides on a completion event that is put on the EQ.
   *
   * @param isEmpty whether the EQ was empty of completion events: CEC was 0
   * @return a set of the bits above
   */
  public int onCompletionEvent(boolean isEmpty, long nowNs) {
    if (!isEmpty) {
      return always | interruptIfLate(nowNs);
    }
    setTimestamp(nowNs, polledCount.getAsLong());
    if ((whenEmpty & INTERRUPT) != 0) {
      interruptsDue++;
    }
    return whenEmpty;
  }

  /**
   * Decides on a completion whose CQ has an EQE already: nothing is put on the EQ. Departure: the
   * timestamp is compared all the same, so that one CQ can show that its consumer is late.
   *
   * @return {@link #INTERRUPT} or 0
   */
  public int onFurtherCompletion(long nowNs) {
    return interruptIfLate(nowNs);
  }

  private int interruptIfLate(long nowNs) {
    if (nowNs - timestampNs <= 0) {
      return 0;
    }
    long polled = polledCount.getAsLong();
    boolean keepsUp = polled != polledAtTimestamp;
    setTimestamp(nowNs, polled);
    if (keepsUp) {
      return 0;
    }
    interruptsDue++;
    return INTERRUPT;
  }

  private void setTimestamp(long nowNs, long polled) {
    timestampNs = nowNs + delayNs;
    polledAtTimestamp = polled;
  }
}
