package io.rtransport.core.solicitation;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.transaction.TransactionPool;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.wire.CompleteInErrorFlyweight;
import io.rtransport.core.wire.ResyncFlyweight;
import org.agrona.collections.IntHashSet;

/**
 * The target's reaction when the peer gives up a transaction of its own.
 *
 * <p>CANCEL ends two kinds of transaction with COMPLETE_IN_ERROR: a message that was not delivered,
 * and a pull whose answer has not left whole. Any other transaction ends as without CANCEL. A
 * CANCEL that comes before its transaction is remembered. It counts as an unended transaction,
 * which bounds their number.
 *
 * <p>RESYNC names the RSN and SSN of a transaction that never comes, so that order does not wait
 * for it.
 */
final class PeerCancellations {
  private final Target target;
  private final TransactionSublayer transactions;
  private final CreditAllowance credit;
  private final PeerAdmission admission;
  private final CompletionTracker completions;
  private final SolicitedOrder solicitedOrder;
  private final DeliveryOrder order;
  private final Counters counters;
  private final Failure failure;

  /** RSNs whose CANCEL came before their transaction, {@link TransactionPool#scrambled}. */
  private IntHashSet early;

  PeerCancellations(
      Target target,
      TransactionSublayer transactions,
      CreditAllowance credit,
      SolicitedOrder solicitedOrder,
      DeliveryOrder order,
      Counters counters,
      Failure failure) {
    this.target = target;
    this.transactions = transactions;
    this.credit = credit;
    this.solicitedOrder = solicitedOrder;
    this.order = order;
    this.counters = counters;
    this.failure = failure;
    admission = target.admission();
    completions = target.completions();
  }

  /** Returns the number of CANCELs whose transaction has not come. */
  int earlyCount() {
    return early == null ? 0 : early.size();
  }

  /** Returns whether a CANCEL came for {@code rsn}, which begins now, and forgets that CANCEL. */
  boolean takeEarly(int rsn) {
    return early != null && early.remove(transactions.pool().scrambled(rsn));
  }

  private boolean isEarly(int rsn) {
    return early != null && early.contains(transactions.pool().scrambled(rsn));
  }

  void onCancel(int rsn) {
    Transaction t = transactions.peers().find(rsn);
    if (t == null) {
      if (isEarly(rsn)) {
        counters.increment(CounterId.RECORDS_IGNORED);
      } else if (target.isAcceptable(rsn)) {
        early = early == null ? new IntHashSet() : early;
        early.add(transactions.pool().scrambled(rsn));
      }
    } else if (t.stage() == Stage.ARRIVING && !t.isHeaderKnown()) {
      target.rejectOnceHeaderComes(t);
    } else if (t.stage() == Stage.ARRIVING || t.stage() == Stage.READY) {
      cancelUndelivered(t);
    } else if (isAwaitingAnswer(t)) {
      cancel(t, CompleteInErrorFlyweight.FLAG_OUTCOME_UNKNOWN);
    } else {
      counters.increment(CounterId.RECORDS_IGNORED); // its end is on its way
    }
  }

  /**
   * Returns whether the application has the request and the puller does not have the whole answer.
   */
  private static boolean isAwaitingAnswer(Transaction t) {
    return t.kind() == Kind.PULL
        && !t.hasFailed()
        && (t.stage() == Stage.DELIVERED || t.hasSource());
  }

  private void cancelUndelivered(Transaction t) {
    boolean wasOpen = t.isOpen();
    cancel(t, 0);
    if (wasOpen) {
      transactions.drop(t);
    }
  }

  private void cancel(Transaction t, int flags) {
    counters.increment(CounterId.TRANSACTIONS_CANCELLED_BY_PEER);
    t.blame(CloseCode.CANCELLED.code(), "", flags | CompleteInErrorFlyweight.FLAG_TRANSPORT);
    target.fail(t);
  }

  /** Handles RESYNC: the peer gave up an RSN and had sent nothing of it. */
  void onResync(ResyncFlyweight record) {
    int rsn = record.rsn();
    Transaction known = transactions.peers().find(rsn);
    if (known != null && known.isGivenUp() && isSameAs(known, record)) {
      counters.increment(CounterId.RECORDS_IGNORED);
      return; // a repetition under another PSN: it has ended, though its turn has not come
    }
    if (known != null || isEarly(rsn)) {
      failure.fail("RESYNC of RSN " + Integer.toUnsignedString(rsn) + ", which has begun");
      return;
    }
    if (!target.isAcceptable(rsn)) {
      return;
    }
    if (record.hasSsn() && !solicitedOrder.isAcceptable(record.ssn())) {
      failure.fail(
          "RESYNC ssn=" + Integer.toUnsignedString(record.ssn()) + " was used or is too far ahead");
      return;
    }
    if (!admission.charge(record.creditBytes())) {
      return;
    }
    credit.giveBack(record.creditBytes());
    Transaction t = target.begin(rsn, 0, 0);
    t.passOver(record.hasSsn(), record.ssn());
    order.skip(t);
    completions.onGivenUp(t);
    if (record.hasSsn() && solicitedOrder.isOrdered()) {
      solicitedOrder.onRequest(t); // may open those behind it
    }
  }

  private static boolean isSameAs(Transaction known, ResyncFlyweight record) {
    return known.isSolicited() == record.hasSsn() && known.ssn() == record.ssn();
  }

  /** Forgets everything: the connection ended. */
  void close() {
    early = null;
  }
}
