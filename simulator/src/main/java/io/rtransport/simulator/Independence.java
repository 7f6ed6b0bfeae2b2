package io.rtransport.simulator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * On an unordered connection no message waits for another: follows on the wire which bytes have
 * arrived undamaged, and demands that a message is delivered in the very turn of its host in which
 * the last of them came, and an end handed up in the turn in which it was told, whatever is still
 * missing of others. Excused is what an application itself has put off, refused or given up.
 */
final class Independence {
  /**
   * Bytes of a message in one packet; those of a pull's answer go to its initiator, of a push to
   * its target.
   */
  private record Piece(int ordinal, PlannedTransaction transaction, long offset, long end) {}

  private final boolean isOrdered;

  /** By sending host, and by window and PSN: what a packet carries. */
  private final List<Map<Long, List<Piece>>> carried = List.of(new HashMap<>(), new HashMap<>());

  private final Map<PlannedTransaction, ByteRanges> arrived = new HashMap<>();

  /** By receiving host: what has to be delivered, or to have ended, when its turn is over. */
  private final List<List<PlannedTransaction>> due = List.of(new ArrayList<>(), new ArrayList<>());

  Independence(boolean isOrdered) {
    this.isOrdered = isOrdered;
  }

  /**
   * A packet leaves for the first time with bytes {@code [offset, end)} of the message or answer,
   * all of a request, or an end.
   */
  void onCarried(
      int from,
      int window,
      int psn,
      int ordinal,
      PlannedTransaction transaction,
      long offset,
      long end) {
    if (!isOrdered || transaction.isReceiptWanted) {
      carried
          .get(from)
          .computeIfAbsent(key(window, psn), k -> new ArrayList<>())
          .add(new Piece(ordinal, transaction, offset, end));
    }
  }

  private static long key(int window, int psn) {
    return (long) window << 32 | psn & 0xFFFF_FFFFL;
  }

  /**
   * A packet of {@code from} is about to be read, undamaged, with so many of its records: a
   * shortened one has the first of them only.
   */
  void onDelivered(int from, int window, int psn, int recordCount) {
    List<Piece> pieces = carried.get(from).remove(key(window, psn));
    if (pieces == null) {
      return; // a copy
    }
    for (Piece piece : pieces) {
      if (piece.ordinal >= recordCount) {
        continue;
      }
      PlannedTransaction transaction = piece.transaction;
      boolean isBegunHere = transaction.host == from;
      boolean isMessage = transaction.isPush() == isBegunHere;
      ByteRanges ranges = arrived.computeIfAbsent(transaction, t -> new ByteRanges());
      if (isMessage) {
        ranges.add(piece.offset, piece.end);
      }
      if (isOrdered) {
        continue;
      }
      if (!isMessage || ranges.total() == transaction.lengthBytes) {
        due.get(1 - from).add(transaction);
      }
    }
  }

  /**
   * Whether all of the push has arrived undamaged; of an ordered connection if it asked for that.
   */
  boolean hasArrived(PlannedTransaction push) {
    ByteRanges ranges = arrived.get(push);
    return ranges != null && ranges.total() == push.lengthBytes;
  }

  /** The turn of {@code host} is over. */
  void check(int host, SimApplication application, long nowNs) {
    boolean isExcused =
        application.isStopped() || application.isDeathExpected() || application.isRefusing();
    for (Iterator<PlannedTransaction> i = due.get(host).iterator(); i.hasNext(); ) {
      PlannedTransaction transaction = i.next();
      boolean isDone =
          transaction.host == host
              ? transaction.isEnded
              : transaction.isDelivered || transaction.isFailed || transaction.isBroken;
      boolean isGivenUp = transaction.isCancelled || transaction.deadlineNs <= nowNs;
      if (isDone || isGivenUp || isExcused) {
        i.remove();
      } else {
        if (!(transaction.isPutOff)) {
          throw InvariantViolation.of(
              Invariant.INDEPENDENCE,
              "host %d has all of %s, and it waits for something else",
              host,
              transaction.state());
        }
      }
    }
  }
}
