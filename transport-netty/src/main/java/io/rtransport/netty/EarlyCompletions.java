package io.rtransport.netty;

import io.netty.channel.ChannelPromise;
import io.rtransport.core.connection.Connection;
import java.util.ArrayDeque;
import org.agrona.collections.LongArrayQueue;

/**
 * Completes promises of writes before their transaction ends (WRITE_COMPLETES = SENT or RECEIVED),
 * once the write has got that far. If the transaction ends first, {@link WriteCompletions}
 * completes the promise. Confined to the event loop.
 */
final class EarlyCompletions {
  private static final long NONE = -1; // no number of a transaction and slot: slots are positive

  private final OutboundPool pool;
  private final Connection connection;

  /**
   * Slots of writes that have got far enough, each with the number of the transaction that was in
   * it.
   */
  private final LongArrayQueue due = new LongArrayQueue(NONE);

  private final ArrayDeque<RtException> failures = new ArrayDeque<>();
  private boolean isEndTold;

  EarlyCompletions(OutboundPool pool, Connection connection) {
    this.pool = pool;
    this.connection = connection;
  }

  /** Notes that {@code entry} has got far enough: its promise is done at the next {@link #run}. */
  void add(OutboundMessage entry) {
    if (entry.promise != null && !entry.isEnded) {
      due.addLong(entry.rsn << 32 | entry.slot);
    }
  }

  /** Returns whether {@link #run} has something to do. */
  boolean isDue() {
    return !due.isEmpty();
  }

  /** Completes the promise of each write that has got far enough. Calls into the application. */
  void run() {
    while (!due.isEmpty()) {
      long next = due.pollLong();
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
   * Tells that a write ended whose promise was done before. A failure must not be silent. The
   * failure of a bare buffer is not kept here: it ends the channel, and the application learns it
   * that way. When the connection has ended, one failure stands for all.
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

  /** Returns the next failure to tell, or null. */
  RtException takeFailure() {
    return failures.poll();
  }
}
