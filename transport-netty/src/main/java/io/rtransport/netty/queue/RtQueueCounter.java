package io.rtransport.netty.queue;

import io.rtransport.core.queue.QueueCounter;

/** What {@link RtQueues} count. Each reason that is due ends as a wake-up or suppressed. */
public enum RtQueueCounter {
  /** Interrupts that the document's table decided, delivered or not. */
  INTERRUPTS_DUE(QueueCounter.INTERRUPTS_DUE),
  /** Times that the threshold of a wait was reached before an interrupt was due. */
  COUNTS_DUE(QueueCounter.COUNTS_DUE),
  /** Times that the delay had passed while the consumer slept and entries waited. */
  DEADLINES_DUE(QueueCounter.DEADLINES_DUE),
  /** Accepted connections, and what happened to connections. */
  EVENTS_DUE(QueueCounter.EVENTS_DUE),
  /** Deliveries to a consumer that slept, or was about to: it was woken. */
  WAKE_UPS(QueueCounter.WAKE_UPS),
  /** Deliveries to a consumer that polled: nobody was woken. */
  SUPPRESSED(QueueCounter.SUPPRESSED);

  final QueueCounter counter;

  RtQueueCounter(QueueCounter counter) {
    this.counter = counter;
  }
}
