package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.transaction.TransactionQueue;
import io.rtransport.core.transaction.TransactionSublayer;

/**
 * Lets the peer's transactions through to the application in RSN order (patent, Figures 6 and 12).
 * One that is ready at its turn is given out next; one that is ready before is registered in the
 * reorder engine, and when the turn moves on the next RSN is looked up there. One that failed is
 * skipped at its turn.
 *
 * <p>On an unordered connection it is always everybody's turn, and {@link #nextRsn} only counts
 * those that have had theirs.
 */
final class DeliveryOrder {
  private final TransactionSublayer transactions;
  private final ReorderEngine reorder;
  private final CreditAllowance credit;
  private final boolean isOrdered;

  /** Ready, and it is their turn: one at most where there is an order. */
  private final TransactionQueue atTurn;

  private int nextRsn;

  DeliveryOrder(
      int firstRsn,
      boolean isOrdered,
      TransactionSublayer transactions,
      ReorderEngine reorder,
      CreditAllowance credit) {
    this.transactions = transactions;
    this.reorder = reorder;
    this.credit = credit;
    this.isOrdered = isOrdered;
    nextRsn = firstRsn;
    atTurn = new TransactionQueue(transactions.pool(), Transaction.REPORT); // it has no end yet
  }

  /** Whose turn it is. */
  boolean isTurnOf(int rsn) {
    return !isOrdered || rsn == nextRsn;
  }

  /** Whether all below {@code rsn} have had their turn, and none at or above it. */
  boolean isAllPassed(int rsn) {
    return rsn == nextRsn;
  }

  /** The push at the turn passes without a transaction of its own. */
  void passThrough() {
    nextRsn++;
  }

  /** A message is whole, or a pull request is there: {@link #poll} gives it at its turn. */
  void onReady(Transaction t) {
    t.becomeReady();
    if (isTurnOf(t.rsn)) {
      atTurn.addLast(t);
    } else {
      reorder.register(ReorderEngine.PEER_RSN, t.rsn, t);
    }
  }

  /** It is not given out any more: it has failed, or the connection has ended. */
  void withdraw(Transaction t) {
    atTurn.remove(t);
  }

  /** It failed before its turn: it is skipped then. */
  void skip(Transaction t) {
    if (t.isTurnPassed || reorder.isRegistered(ReorderEngine.PEER_RSN, t)) {
      return;
    }
    if (isOrdered) {
      reorder.register(ReorderEngine.PEER_RSN, t.rsn, t);
    } else {
      nextRsn++;
      t.isTurnPassed = true;
    }
  }

  /**
   * Gives the one whose turn it is, and lets pass those before it that failed.
   *
   * @return false when the one whose turn it is has not come
   */
  boolean poll(OutboxEntry into) {
    for (Transaction t = next(); t != null; t = next()) {
      nextRsn++;
      t.isTurnPassed = true;
      if (t.stage() == Stage.READY) {
        give(t, into);
        return true;
      }
      retireIfOver(t);
    }
    return false;
  }

  private Transaction next() {
    Transaction t = atTurn.poll();
    return t == null ? reorder.take(ReorderEngine.PEER_RSN, nextRsn) : t;
  }

  private void give(Transaction t, OutboxEntry into) {
    // Its header is with the application now, and so are the bytes that the sink has taken.
    long untaken = t.kind() == Kind.PULL || t.isSolicited ? 0 : t.ranges.bytes() - t.takenBytes;
    giveBack(t, t.creditBytes - untaken);
    transactions.inbound().give(t, into);
  }

  /** Returns credit that the transaction holds. */
  void giveBack(Transaction t, long bytes) {
    t.creditBytes -= bytes;
    credit.giveBack(bytes);
  }

  /**
   * Gives the transaction up if nothing can come of it any more: reported, passed in both orders,
   * and its answer, if any, all sent.
   */
  void retireIfOver(Transaction t) {
    boolean isAnswered =
        t.kind() == Kind.PUSH || t.hasFailed || (t.answerLengthBytes >= 0 && t.source == null);
    // One that was refused before its SSN's turn keeps its place, or that order would wait for it
    // for ever.
    boolean isSsnAwaited = reorder.isRegistered(ReorderEngine.PEER_SSN, t);
    if (t.stage() == Stage.REPORTED && t.isTurnPassed && isAnswered && !isSsnAwaited) {
      reorder.forget(t);
      transactions.inbound().retire(t);
    }
  }
}
