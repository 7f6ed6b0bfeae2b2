package io.rtransport.core.queue;

/**
 * Control bits of an event queue. Immutable.
 *
 * <p>Source: document, paragraph on the table ("as specified by the EQ Controls", "PSUM+INT").
 *
 * @param primarySummary whether the event that finds the EQ empty sets the primary summary byte
 * @param interruptWithPrimary PSUM+INT: whether that event is an interrupt too. Lowest latency;
 *     off, a consumer that sleeps is woken once a delay
 * @param secondarySummary whether each event sets the secondary summary byte of its CQ's group
 * @param selfTuning whether the event queue chooses the delay by what it measures, and a number of
 *     entries at which it wakes earlier. The document has no such bit
 */
public record EventQueueControls(
    boolean primarySummary,
    boolean interruptWithPrimary,
    boolean secondarySummary,
    boolean selfTuning) {
  /**
   * Checks the bits against each other.
   *
   * @throws IllegalArgumentException if {@code interruptWithPrimary} is set without {@code
   *     primarySummary}, or with {@code selfTuning}
   */
  public EventQueueControls {
    if (interruptWithPrimary && !primarySummary) {
      throw new IllegalArgumentException(
          "interruptWithPrimary=true needs primarySummary=true, which is false");
    }
    if (selfTuning && interruptWithPrimary) {
      throw new IllegalArgumentException(
          "selfTuning=true needs interruptWithPrimary=false, which is true");
    }
  }

  /** Creates the document's three control bits, without self-tuning. */
  public EventQueueControls(
      boolean primarySummary, boolean interruptWithPrimary, boolean secondarySummary) {
    this(primarySummary, interruptWithPrimary, secondarySummary, false);
  }

  /** Returns controls for a consumer that wakes at most once a delay: primary bytes alone. */
  public static EventQueueControls moderated() {
    return new EventQueueControls(true, false, false);
  }

  /** Returns controls for a consumer that wakes at each change from empty to not empty. */
  public static EventQueueControls immediate() {
    return new EventQueueControls(true, true, false);
  }

  /** Returns controls for a consumer whose delay is chosen by what is measured. */
  public static EventQueueControls selfTuned() {
    return new EventQueueControls(true, false, false, true);
  }
}
