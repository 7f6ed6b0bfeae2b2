package io.rtransport.core.queue;

/**
 * What an event queue counts. Each of the reasons that are due ends in {@link #WAKE_UPS} or in
 * {@link #SUPPRESSED}: these two together are the sum of the others.
 */
public enum QueueCounter {
  /** Interrupts that the table decided, delivered or not. */
  INTERRUPTS_DUE,
  /** Times that an armed consumer's count of entries was reached without an interrupt. */
  COUNTS_DUE,
  /** Times that the next interrupt timestamp came while the consumer was armed and CQs waited. */
  DEADLINES_DUE,
  /** Events that are no completions, and link events. */
  EVENTS_DUE,
  /** Deliveries to a consumer that was armed: it was woken. */
  WAKE_UPS,
  /** Deliveries to a consumer that was not armed: nobody was woken. */
  SUPPRESSED
}
