package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.transaction.TransactionQueue;
import io.rtransport.core.transaction.TransactionSublayer;

/**
 * Delivers the peer's transactions to the application in RSN order (patent, Figures 6 and 12). A
 * transaction that is ready at its turn is given out next. One that is ready before its turn is
 * registered in the reorder engine. When the turn moves on, the next RSN is looked up there. A
 * transaction that failed is skipped at its turn.
 *
 * <p>On an unordered connection every transaction always has its turn, and {@link #nextRsn} only
 * counts those that have passed.
 */
final class DeliveryOrder {
  private final TransactionSublayer transactions;
  private final ReorderEngine reorder;
  private final CreditAllowance credit;
  private final boolean isOrdered;

  /** Transactions that are ready and have their turn. At most one on an ordered connection. */
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
    atTurn = new TransactionQueue(transactions.pool(), Transaction.REPORT); // unused until its end
  }

  /** Returns whether it is the turn of {@code rsn}. */
  boolean isTurnOf(int rsn) {
    return !isOrdered || rsn == nextRsn;
  }

  /** Returns whether all RSNs below {@code rsn} have had their turn, and none at or above it. */
  boolean isAllPassed(int rsn) {
    return rsn == nextRsn;
  }

  /** Lets the push at the turn pass without a transaction of its own. */
  void passThrough() {
    nextRsn++;
  }

  /**
   * Handles a whole message, or a pull request that has come: {@link #poll} gives it at its turn.
   */
  void onReady(Transaction t) {
    t.becomeReady();
    if (isTurnOf(t.rsn())) {
      atTurn.addLast(t);
    } else {
      reorder.register(ReorderEngine.PEER_RSN, t.rsn(), t);
    }
  }

  /**
   * Removes a transaction that is not given out any more: it has failed, or the connection has
   * ended.
   */
  void withdraw(Transaction t) {
    atTurn.remove(t);
  }

  /** Skips a transaction that failed before its turn, when its turn comes. */
  void skip(Transaction t) {
    if (t.isTurnPassed() || reorder.isRegistered(ReorderEngine.PEER_RSN, t)) {
      return;
    }
    if (isOrdered) {
      reorder.register(ReorderEngine.PEER_RSN, t.rsn(), t);
    } else {
      nextRsn++;
      t.passTurn();
    }
  }

  /**
   * Puts the entry of the transaction whose turn it is. Failed transactions before it are skipped.
   *
   * @return false when the transaction whose turn it is has not come
   */
  boolean poll(OutboxEntry into) {
    for (Transaction t = next(); t != null; t = next()) {
      nextRsn++;
      t.passTurn();
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
    // The application has the header now, and the bytes that the sink has taken.
    boolean holdsCredit = t.kind() == Kind.PUSH && !t.isSolicited();
    long untaken = holdsCredit ? t.incoming().hereBytes() - t.incoming().takenBytes() : 0;
    giveBack(t, t.creditBytes() - untaken);
    transactions.inbound().give(t, into);
  }

  /** Returns credit that the transaction holds. */
  void giveBack(Transaction t, long bytes) {
    t.giveBack(bytes);
    credit.giveBack(bytes);
  }

  /**
   * Retires the transaction if it needs no state any more: it is reported, both orders have passed
   * it, and its answer, if any, is all sent.
   */
  void retireIfOver(Transaction t) {
    boolean isAnswered =
        t.kind() == Kind.PUSH || t.hasFailed() || (t.answerLengthBytes() >= 0 && !t.hasSource());
    // A push that was refused before its SSN's turn keeps its place. Otherwise SSN order would wait
    // for it for ever.
    boolean isSsnAwaited = reorder.isRegistered(ReorderEngine.PEER_SSN, t);
    if (t.stage() == Stage.REPORTED && t.isTurnPassed() && isAnswered && !isSsnAwaited) {
      reorder.forget(t);
      transactions.inbound().retire(t);
    }
  }
}
