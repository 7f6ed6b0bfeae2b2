package io.rtransport.netty;

import io.netty.channel.ChannelPromise;
import io.rtransport.core.connection.Connection;
import java.util.ArrayDeque;

/**
 * Writes whose promise is done before their transaction ends (WRITE_COMPLETES = SENT or RECEIVED),
 * once they are that far. A write that ends first is its own completion's. Confined to the event
 * loop.
 */
final class EarlyCompletions {
  private final OutboundPool pool;
  private final Connection connection;

  /** Slots, each with the transaction that was in it. */
  private final LongQueue due = new LongQueue();

  private final ArrayDeque<RtException> failures = new ArrayDeque<>();
  private boolean isEndTold;

  EarlyCompletions(OutboundPool pool, Connection connection) {
    this.pool = pool;
    this.connection = connection;
  }

  /** {@code entry} is far enough: its promise is done at the next {@link #run}. */
  void add(OutboundMessage entry) {
    if (entry.promise != null && !entry.isEnded) {
      due.add(entry.rsn << 32 | entry.slot);
    }
  }

  /** Whether {@link #run} has something to do. */
  boolean isDue() {
    return !due.isEmpty();
  }

  /** Says of each that is far enough that it is done. Calls into the application. */
  void run() {
    while (!due.isEmpty()) {
      long next = due.poll();
      OutboundMessage entry = pool.bySlot((int) next);
      ChannelPromise promise = entry.promise;
      boolean isSame = (int) entry.rsn == (int) (next >>> 32) && entry.isSubmitted;
      if (isSame && promise != null && !entry.isEnded) {
        entry.promise = null;
        entry.isReported = true;
        promise.trySuccess();
      }
    }
  }

  /**
   * A write ended whose promise was done. A failure must not be silent; a bare buffer's ends the
   * channel, and tells itself by that. When the connection has ended one stands for all.
   */
  void onEnded(boolean isPlain, RtException failure) {
    if (failure == null) {
      return;
    }
    if (connection.isEnded() ? !isEndTold : !isPlain) {
      isEndTold |= connection.isEnded();
      failures.add(failure);
    }
  }

  /** The next failure to tell, or null. */
  RtException takeFailure() {
    return failures.poll();
  }
}
