package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.transaction.TransactionSublayer;

/**
 * Lets the peer's transactions through to the application in RSN order (patent, Figures 6 and 12). One that is ready at its turn
 * passes at once; one that is ready before is registered in the reorder engine, and when the turn moves on the next RSN is looked up there.
 * One that failed is skipped at its turn.
 *
 * <p>On an unordered connection it is always everybody's turn, and {@link #nextRsn} only counts those that have had theirs.
 */
final class DeliveryOrder {
  private final TransactionSublayer transactions;
  private final ReorderEngine reorder;
  private final CreditAllowance credit;
  private final boolean isOrdered;
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

  /** A message is whole, or a pull request is there: delivered now or at its turn. */
  void onReady(Transaction t) {
    t.stage(Stage.READY);
    if (isTurnOf(t.rsn)) {
      pass(t);
      deliverFollowing();
    } else {
      reorder.register(ReorderEngine.PEER_RSN, t.rsn, t);
    }
  }

  /** It failed before its turn: it is skipped then. Never calls up. */
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

  /** Delivers what is registered from the turn on. */
  void deliverFollowing() {
    while (!transactions.isEnded()) {
      Transaction t = reorder.take(ReorderEngine.PEER_RSN, nextRsn);
      if (t == null) {
        return;
      }
      pass(t);
    }
  }

  private void pass(Transaction t) {
    nextRsn++;
    t.isTurnPassed = true;
    if (t.stage() == Stage.READY) {
      // Its header is with the application now, and so are the bytes that the sink has taken.
      long untaken = t.kind() == Kind.PULL || t.isSolicited ? 0 : t.ranges.bytes() - t.takenBytes;
      giveBack(t, t.creditBytes - untaken);
      transactions.inbound().deliver(t);
    } else {
      retireIfOver(t);
    }
  }

  /** Returns credit that the transaction holds. */
  void giveBack(Transaction t, long bytes) {
    t.creditBytes -= bytes;
    credit.giveBack(bytes);
  }

  /** Gives the transaction up if nothing can come of it any more: reported, passed in both orders, and its answer, if any, all sent. */
  void retireIfOver(Transaction t) {
    boolean isAnswered =
        t.kind() == Kind.PUSH || t.hasFailed || (t.answerLengthBytes >= 0 && t.source == null);
    // One that was refused before its SSN's turn keeps its place, or that order would wait for it
    // for
    // ever.
    boolean isSsnAwaited = reorder.isRegistered(ReorderEngine.PEER_SSN, t);
    if (t.stage() == Stage.REPORTED && t.isTurnPassed && isAnswered && !isSsnAwaited) {
      reorder.forget(t);
      transactions.inbound().retire(t);
    }
  }
}
