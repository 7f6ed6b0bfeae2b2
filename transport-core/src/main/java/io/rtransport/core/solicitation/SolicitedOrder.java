package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Stage;
import java.util.function.Consumer;

/**
 * Opens the peer's solicited pushes in SSN order (patent, Figure 11): the one at the expected SSN
 * when its request comes, one that came before its turn from the reorder engine. The next one's
 * turn comes when the application has said where this one goes; until then it holds up those after
 * it, for they are granted in that order.
 *
 * <p>On an unordered connection SSNs say nothing: each push is opened when its request comes.
 */
final class SolicitedOrder {
  private final ReorderEngine reorder;
  private final Consumer<Transaction> opener;
  private final Consumer<Transaction> onFailedPassed;
  private final boolean isOrdered;
  private final int span;
  private int nextSsn;

  /** The one whose turn it is, as long as the application has not said where it goes. */
  private Transaction undecided;

  /**
   * @param opener has the application asked
   * @param onFailedPassed told of one that had failed before its turn, at its turn: perhaps nothing
   *     else keeps it
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

  /** Whether {@code ssn} is one that the peer may use and has not used. */
  boolean isAcceptable(int ssn) {
    return !isOrdered
        || (ssn - nextSsn >= 0
            && ssn - nextSsn < span
            && (undecided == null || ssn != nextSsn)
            && reorder.find(ReorderEngine.PEER_SSN, ssn) == null);
  }

  /** A request with an acceptable SSN: opened now or at its turn. */
  void onRequest(Transaction t) {
    if (!isOrdered) {
      if (t.stage() == Stage.ARRIVING) {
        opener.accept(t);
      }
    } else if (t.ssn != nextSsn || undecided != null) {
      reorder.register(ReorderEngine.PEER_SSN, t.ssn, t);
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
    if (t.hasFailed) {
      onFailedPassed.accept(t);
    }
  }

  /** The application has said where it goes, or it has failed: the next one's turn comes. */
  void onDecided(Transaction t) {
    if (t == undecided) {
      undecided = null;
      pass(t);
      openFrom(reorder.take(ReorderEngine.PEER_SSN, nextSsn));
    }
  }

  /** The connection ended. */
  void forget(Transaction t) {
    if (t == undecided) {
      undecided = null;
    }
  }
}
