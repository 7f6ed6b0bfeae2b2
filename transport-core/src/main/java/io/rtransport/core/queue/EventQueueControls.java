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
 */
public record EventQueueControls(
    boolean primarySummary, boolean interruptWithPrimary, boolean secondarySummary) {
  /**
   * Checks the bits against each other.
   *
   * @throws IllegalArgumentException if {@code interruptWithPrimary} is set without {@code
   *     primarySummary}
   */
  public EventQueueControls {
    if (interruptWithPrimary && !primarySummary) {
      throw new IllegalArgumentException(
          "interruptWithPrimary=true needs primarySummary=true, which is false");
    }
  }

  /** Returns controls for a consumer that wakes at most once a delay: primary bytes alone. */
  public static EventQueueControls moderated() {
    return new EventQueueControls(true, false, false);
  }

  /** Returns controls for a consumer that wakes at each change from empty to not empty. */
  public static EventQueueControls immediate() {
    return new EventQueueControls(true, true, false);
  }
}
