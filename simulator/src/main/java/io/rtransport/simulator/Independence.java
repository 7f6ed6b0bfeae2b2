package io.rtransport.simulator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Check that on an unordered connection no message waits for another. It follows on the wire which
 * bytes have arrived undamaged. A message must be delivered in the turn of its host in which its
 * last byte arrived. An end must be handed up in the turn in which it was told. Missing packets of
 * other messages do not matter. Messages that the application itself has put off, refused or given
 * up are excused.
 */
final class Independence {
  /**
   * Bytes of a message in one packet. Those of a pull's answer go to its initiator, those of a push
   * to its target.
   */
  private record Piece(int ordinal, PlannedTransaction transaction, long offset, long end) {}

  private final boolean isOrdered;

  /** Contents of each packet, by sending host, and by window and PSN. */
  private final List<Map<Long, List<Piece>>> carried = List.of(new HashMap<>(), new HashMap<>());

  private final Map<PlannedTransaction, DisjointRanges> arrived = new HashMap<>();

  /**
   * Transactions that must be delivered or ended when the receiving host's turn is over, by host.
   */
  private final List<List<PlannedTransaction>> due = List.of(new ArrayList<>(), new ArrayList<>());

  Independence(boolean isOrdered) {
    this.isOrdered = isOrdered;
  }

  /**
   * Records a packet that leaves for the first time. It carries bytes {@code [offset, end)} of the
   * message or answer, a whole request, or an end.
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
   * Records a packet of {@code from} that is about to be read, undamaged, with its first {@code
   * recordCount} records. A shortened packet has fewer than before.
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
      DisjointRanges ranges = arrived.computeIfAbsent(transaction, t -> new DisjointRanges());
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
   * Returns whether all of the push has arrived undamaged. On an ordered connection this is known
   * only for a push with a wanted receipt.
   */
  boolean hasArrived(PlannedTransaction push) {
    DisjointRanges ranges = arrived.get(push);
    return ranges != null && ranges.total() == push.lengthBytes;
  }

  /** Checks the host's obligations when its turn is over. */
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
