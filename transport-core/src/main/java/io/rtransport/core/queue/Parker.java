package io.rtransport.core.queue;

/**
 * How a consumer's thread sleeps and is woken. Core has no threads and no clock, so its caller
 * brings them: in netty by {@code LockSupport}, which a virtual thread may use too; in tests by
 * virtual time.
 */
public interface Parker {
  /** Returns the time in nanoseconds, of any origin. The consumer. */
  long nowNs();

  /**
   * Sleeps until {@link #unpark} is called, or was called since the last return, or for {@code
   * timeoutNs}. May also return for no reason. The consumer.
   */
  void park(long timeoutNs);

  /** Returns whether the consumer should stop to wait: its thread was interrupted. The consumer. */
  default boolean isInterrupted() {
    return false;
  }

  /** Wakes the consumer, or has its next {@link #park} return at once. Any thread. */
  void unpark();

  /** Gives way for a moment: an event loop is in the middle of a write. The consumer. */
  void pause();
}
