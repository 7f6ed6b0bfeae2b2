package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.ByteRanges;
import io.rtransport.core.transaction.PayloadSink;
import io.rtransport.core.transaction.Transaction;
import java.nio.ByteBuffer;

/**
 * Puts arriving bytes where they belong: into the sink of an open message; else, for an unsolicited
 * one that cannot be opened yet, into memory that its credit has paid. Ranges come in any order,
 * each byte is handed on once. Offsets and totals were held against what the peer may send before
 * this is called.
 */
final class Reassembler {
  /**
   * Answers of {@link #accept}: the message lies in more pieces than packets could make; its sink
   * has failed.
   */
  static final long TOO_MANY_PIECES = -1;

  static final long SINK_FAILED = -2;

  private final HoldingMemory holding;

  Reassembler(HoldingMemory holding) {
    this.holding = holding;
  }

  /**
   * Takes {@code [offset, offset + length)} of the message from {@code buffer[index ..)}.
   *
   * @return bytes that the sink took now, {@link #TOO_MANY_PIECES} or {@link #SINK_FAILED}
   */
  long accept(Transaction t, long offset, int length, ByteBuffer buffer, int index) {
    long end = offset + length;
    ByteRanges ranges = t.ranges;
    long taken = 0;
    long from = ranges.firstMissing(offset, end);
    while (from < end) {
      long to = ranges.missingEnd(from, end);
      if (!ranges.add(from, to)) {
        return TOO_MANY_PIECES;
      }
      int at = index + (int) (from - offset);
      int count = (int) (to - from);
      if (t.isDiscarding) {
        t.takenBytes += count;
        taken += count;
      } else if (t.isOpen) {
        int written = write(t, from, buffer, at, count);
        if (written == PayloadSink.FAILED) {
          return SINK_FAILED;
        }
        taken += written;
      } else {
        hold(t).put((int) from, buffer, at, count);
      }
      from = ranges.firstMissing(to, end);
    }
    return taken;
  }

  /** The sink may say within the call that it took more, of this message too. */
  private static int write(Transaction t, long offset, ByteBuffer from, int index, int length) {
    int taken = t.sink.write(t.handle, offset, from, index, length);
    assert taken >= PayloadSink.FAILED && taken <= length
        : "sink took " + taken + " of " + length + " B";
    if (t.isDiscarding) {
      return 0;
    }
    if (taken == PayloadSink.FAILED) {
      return taken;
    }
    t.takenBytes += taken;
    assert t.takenBytes <= t.ranges.bytes() : "sink took more than there is of " + t;
    return taken;
  }

  /** How many of these bytes are new. */
  static long countNew(Transaction t, long offset, int length) {
    long end = offset + length;
    long count = 0;
    long from = t.ranges.firstMissing(offset, end);
    while (from < end) {
      long to = t.ranges.missingEnd(from, end);
      count += to - from;
      from = t.ranges.firstMissing(to, end);
    }
    return count;
  }

  private ByteBuffer hold(Transaction t) {
    if (t.held == null) {
      // Unsolicited: the whole length was charged to the peer's credit before this byte came.
      t.held = holding.acquire((int) t.payloadBytes());
    }
    return t.held;
  }

  /** The message was opened: what was held for it goes to the sink. False when that failed. */
  boolean onOpened(Transaction t) {
    ByteBuffer held = t.held;
    if (held == null) {
      return true;
    }
    t.held = null;
    long total = t.payloadBytes();
    long from = 0;
    boolean isTaken = true;
    while (from < total && isTaken && !t.isDiscarding) { // failed from inside write
      long missing = t.ranges.firstMissing(from, total);
      if (missing > from) {
        int count = (int) (missing - from);
        isTaken = write(t, from, held, (int) from, count) != PayloadSink.FAILED;
      }
      from = missing < total ? t.ranges.missingEnd(missing, total) : total;
    }
    holding.release(held);
    return isTaken;
  }

  /** Nobody wants the message any more: what was held, and what still comes, is thrown away. */
  void discard(Transaction t) {
    t.isDiscarding = true;
    if (t.held != null) {
      holding.release(t.held);
      t.held = null;
    }
  }
}
