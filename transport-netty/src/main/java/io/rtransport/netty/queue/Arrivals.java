package io.rtransport.netty.queue;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Accepted connections of one event loop that the consumer has not seen. */
final class Arrivals {
  private static final long ARRIVAL = 0;

  private final LoopQueue events;
  private final Queue<QueueLink> waiting = new ConcurrentLinkedQueue<>();

  Arrivals(LoopQueue events) {
    this.events = events;
  }

  LoopQueue queue() {
    return events;
  }

  /**
   * Offers an accepted connection to the consumer. The event loop.
   *
   * @return false if as many wait as there may be connections
   */
  boolean offer(QueueLink arrival) {
    waiting.add(arrival);
    if (events.events.putEvent(ARRIVAL)) {
      return true;
    }
    waiting.remove(arrival);
    return false;
  }

  /** Returns the next accepted connection, or null. The consumer. */
  QueueLink take() {
    return waiting.poll();
  }
}
