package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Stage;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Opens the peer's solicited pushes in SSN order (patent, Figure 11): the one at the expected SSN
 * at once, one that comes before its turn from the reorder engine. A sink that says LATER holds up
 * those after it, for they are granted in that order.
 *
 * <p>On an unordered connection SSNs say nothing: each push is opened when its request comes.
 */
final class SolicitedOrder {
  private final ReorderEngine reorder;
  private final Predicate<Transaction> opener;
  private final Consumer<Transaction> onFailedPassed;
  private final boolean isOrdered;
  private final int span;
  private int nextSsn;
  private Transaction later;

  /**
   * @param opener asks the sink; false when the connection ended meanwhile
   * @param onFailedPassed told of one that had failed before its turn, at its turn: perhaps nothing
   *     else keeps it
   */
  SolicitedOrder(
      int firstSsn,
      boolean isOrdered,
      int span,
      ReorderEngine reorder,
      Predicate<Transaction> opener,
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
            && reorder.find(ReorderEngine.PEER_SSN, ssn) == null);
  }

  /** A request with an acceptable SSN: opened now or at its turn. */
  void onRequest(Transaction t) {
    if (!isOrdered) {
      if (t.stage() == Stage.ARRIVING) {
        opener.test(t);
      }
    } else if (t.ssn != nextSsn || later != null) {
      reorder.register(ReorderEngine.PEER_SSN, t.ssn, t);
    } else {
      openFrom(t);
    }
  }

  private void openFrom(Transaction first) {
    Transaction t = first;
    while (t != null) {
      if (t.stage() == Stage.ARRIVING && !opener.test(t)) {
        return;
      }
      if (t.isLater) {
        later = t;
        reorder.register(ReorderEngine.PEER_SSN, t.ssn, t); // it keeps its place, should it fail
        return;
      }
      nextSsn++;
      if (t.hasFailed) {
        onFailedPassed.accept(t);
      }
      t = reorder.take(ReorderEngine.PEER_SSN, nextSsn);
    }
  }

  boolean isHeldUpBy(Transaction t) {
    return t == later;
  }

  /** The one that was put off can be asked again, or has failed: the order goes on. */
  void resume() {
    Transaction t = later;
    later = null;
    if (t != null) {
      reorder.take(ReorderEngine.PEER_SSN, t.ssn);
      openFrom(t);
    }
  }

  /** Whether the one that was put off has failed meanwhile. */
  boolean isHeldUpForNothing() {
    return later != null && later.hasFailed;
  }

  /** The connection ended. */
  void forget(Transaction t) {
    if (t == later) {
      later = null;
    }
  }
}
