package io.rtransport.netty;

import io.netty.channel.ChannelPromise;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.wire.WindowClass;
import io.rtransport.netty.RtChannelOption.WriteCompletes;
import java.util.ArrayDeque;

/**
 * Writes whose promise is done before their transaction ends (WRITE_COMPLETES = SENT or RECEIVED),
 * from their last byte's packet until then. The peer has a message wholly when it has that packet
 * and all before it. A write that ends first is its own completion's. Confined to the event loop.
 */
final class EarlyCompletions {
  private final OutboundPool pool;
  private final Connection connection;
  private final Marks sent = new Marks();
  private final Marks underWay = new Marks();
  private final ArrayDeque<RtException> failures = new ArrayDeque<>();
  private boolean isEndTold;

  /**
   * Slots, each with the transaction that was in it and the packet of its last byte, in the order
   * of those packets.
   */
  private static final class Marks {
    private final LongQueue slots = new LongQueue();
    private final LongQueue rsns = new LongQueue();

    void add(int psn, OutboundMessage entry) {
      slots.add((long) psn << 32 | entry.slot);
      rsns.add(entry.rsn);
    }

    boolean isEmpty() {
      return slots.isEmpty();
    }

    int psn() {
      return (int) (slots.peek() >>> 32);
    }
  }

  EarlyCompletions(OutboundPool pool, Connection connection) {
    this.pool = pool;
    this.connection = connection;
  }

  /**
   * The payload of {@code entry} is released, perhaps because its last byte is in a packet: inside
   * the call that builds it.
   */
  void onReleased(OutboundMessage entry) {
    if (entry.promise == null || entry.isEnded || !entry.isWholeCopied) {
      return;
    }
    if (entry.completes() == WriteCompletes.SENT) {
      sent.add(0, entry);
    } else {
      underWay.add(connection.window().nextPsn(WindowClass.DATA), entry);
    }
  }

  /**
   * Whether {@link #run} has something to do for certain: for what is under way it is called after
   * each packet that came in.
   */
  boolean isDue() {
    return !sent.isEmpty();
  }

  /** Says of each that is far enough that it is done. Calls into the application. */
  void run() {
    while (!sent.isEmpty()) {
      report(sent);
    }
    while (!underWay.isEmpty()
        && underWay.psn() - connection.window().acknowledgedBase(WindowClass.DATA) < 0) {
      report(underWay);
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

  private void report(Marks marks) {
    OutboundMessage entry = pool.bySlot((int) marks.slots.poll());
    boolean isSame = entry.rsn == marks.rsns.poll() && entry.isSubmitted && entry.isReleased;
    ChannelPromise promise = entry.promise;
    if (isSame && promise != null && !entry.isEnded) {
      entry.promise = null;
      entry.isReported = true;
      promise.trySuccess();
    }
  }
}
