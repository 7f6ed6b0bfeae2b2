package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Stage;
import java.util.function.Consumer;

/**
 * Opens the peer's solicited pushes in SSN order (patent, Figure 11). A push at the expected SSN is
 * opened when its request comes. A push that came before its turn is taken from the reorder engine.
 * The next turn comes when the application has said where the present push goes. Until then that
 * push holds up those after it, because pushes are granted in this order.
 *
 * <p>On an unordered connection SSNs have no meaning: each push is opened when its request comes.
 */
final class SolicitedOrder {
  private final ReorderEngine reorder;
  private final Consumer<Transaction> opener;
  private final Consumer<Transaction> onFailedPassed;
  private final boolean isOrdered;
  private final int span;
  private int nextSsn;

  /** The push whose turn it is, until the application has said where it goes. */
  private Transaction undecided;

  /**
   * @param opener asks the application about a push
   * @param onFailedPassed called at its turn with a push that failed before its turn: perhaps
   *     nothing else keeps it
   */
  SolicitedOrder(
      int firstSsn,
      boolean isOrdered,
      int span,
      ReorderEngine reorder,
      Consumer<Transaction> opener,
      Consumer<Transaction> onFailedPassed) {
    nextSsn = firstSsn;
    this.isOrdered = isOrdered;
    this.span = span;
    this.reorder = reorder;
    this.opener = opener;
    this.onFailedPassed = onFailedPassed;
  }

  boolean isOrdered() {
    return isOrdered;
  }

  /** Returns whether the peer may use {@code ssn} and has not used it. */
  boolean isAcceptable(int ssn) {
    return !isOrdered
        || (ssn - nextSsn >= 0
            && ssn - nextSsn < span
            && (undecided == null || ssn != nextSsn)
            && reorder.find(ReorderEngine.PEER_SSN, ssn) == null);
  }

  /** Handles a request with an acceptable SSN: the push is opened now or at its turn. */
  void onRequest(Transaction t) {
    if (!isOrdered) {
      if (t.stage() == Stage.ARRIVING) {
        opener.accept(t);
      }
    } else if (t.ssn() != nextSsn || undecided != null) {
      reorder.register(ReorderEngine.PEER_SSN, t.ssn(), t);
    } else {
      openFrom(t);
    }
  }

  private void openFrom(Transaction first) {
    for (Transaction t = first; t != null; t = reorder.take(ReorderEngine.PEER_SSN, nextSsn)) {
      if (t.stage() == Stage.ARRIVING) {
        undecided = t;
        opener.accept(t);
        return;
      }
      pass(t);
    }
  }

  private void pass(Transaction t) {
    nextSsn++;
    if (t.hasFailed()) {
      onFailedPassed.accept(t);
    }
  }

  /**
   * Moves on to the next push: the application has said where this one goes, or this one has
   * failed.
   */
  void onDecided(Transaction t) {
    if (t == undecided) {
      undecided = null;
      pass(t);
      openFrom(reorder.take(ReorderEngine.PEER_SSN, nextSsn));
    }
  }

  /** Forgets a push: the connection ended. */
  void forget(Transaction t) {
    if (t == undecided) {
      undecided = null;
    }
  }
}
