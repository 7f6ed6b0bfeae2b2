package io.rtransport.core.solicitation;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.transaction.TransactionQueue;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.wire.PushSolicitedRequestFlyweight;

/**
 * Admits own submissions in RSN order (patent, Figure 8A, blocks 802 to 806). Each is charged to
 * the peer's credit, gets its way (solicited or not) and its SSN, and goes to the queue of its
 * window.
 *
 * <p>A submission is admitted as late as possible. So its way depends on the state of the path when
 * the message is about to leave. Credit is charged in RSN order, so the lowest undelivered RSN can
 * always be sent.
 */
final class Admission {
  /** About the bytes of a request without its header; a pull's request is as long. */
  private static final int REQUEST_BYTES = PushSolicitedRequestFlyweight.FIXED_LENGTH;

  private final TransactionSublayer transactions;
  private final TransactionQueue submitted;
  private final Credit credit;
  private final SolicitationPolicy policy;
  private final PathView path;
  private final Counters counters;
  private final TransactionQueue solicited;
  private final TransactionQueue pulls;
  private final TransactionQueue unsolicited;
  private final FlushWindow flushWindow;
  private int nextSsn;

  /** Bytes that may still be admitted before all admitted messages have left. */
  private long burstBytes;

  /** Whether a push gave up its place in the burst, so that others may have it. */
  private boolean isLookDue;

  Admission(
      SolicitationConfig config,
      TransactionSublayer transactions,
      PathView path,
      Counters counters) {
    this.transactions = transactions;
    submitted = transactions.submitted();
    this.path = path;
    this.counters = counters;
    credit = new Credit(config.agreed().tx().initialCreditBytes(), config.takenCreditBytes());
    policy =
        new SolicitationPolicy(
            config.agreed().both().solicitThresholdBytes(),
            config.congestedThresholdBytes(),
            config.agreed().tx().initialCreditBytes());
    nextSsn = config.agreed().txNumbers().ssn();
    solicited = new TransactionQueue(transactions.pool(), Transaction.STREAM);
    pulls = new TransactionQueue(transactions.pool(), Transaction.STREAM);
    unsolicited = new TransactionQueue(transactions.pool(), Transaction.STREAM);
    flushWindow = new FlushWindow(config.flushWindowNs(), config.recordsLengthMax(), counters);
  }

  /** Returns the window in which submissions may wait for others to share a packet. */
  FlushWindow flushWindow() {
    return flushWindow;
  }

  /**
   * Notes that a transmission begins.
   *
   * @param isLeaving whether a packet leaves anyway, which takes waiting submissions along
   */
  void onTransmitting(boolean isLeaving, long nowNs) {
    flushWindow.onTransmitting(submitted, isLeaving, nowNs);
  }

  /** Notes that the transmission is over. */
  void onTransmitted() {
    flushWindow.onTransmitted(submitted);
  }

  Credit credit() {
    return credit;
  }

  /** Returns the solicited pushes whose request has not left, in RSN order. */
  TransactionQueue solicited() {
    return solicited;
  }

  /** Returns the pulls whose request has not left, in RSN order. */
  TransactionQueue pulls() {
    return pulls;
  }

  /** Returns the unsolicited pushes with bytes to send, in RSN order. */
  TransactionQueue unsolicited() {
    return unsolicited;
  }

  /** Removes a transaction that has ended: the rest of it does not leave. */
  void remove(Transaction t) {
    if (!unsolicited.remove(t) && !submitted.remove(t) && !solicited.remove(t)) {
      pulls.remove(t);
    }
  }

  /** Returns the credit that an own transaction was charged, as long as nothing of it has left. */
  long chargedBytes(Transaction t) {
    if (t.stage() == Stage.QUEUED) {
      return 0;
    }
    return t.kind() == Kind.PULL || t.isSolicited()
        ? t.headerLength()
        : Credit.costBytes(t.lengthBytes(), t.headerLength());
  }

  /**
   * Admits the next submission. Returns false when there is none, when it waits for others, or when
   * the credit does not cover it.
   */
  boolean admitNext() {
    Transaction next = submitted.peek();
    if (next == null || flushWindow.isHolding() || !hasBurstRoom()) {
      return false;
    }
    boolean isPush = next.kind() == Kind.PUSH;
    boolean asks =
        isPush && policy.isSolicited(next.lengthBytes(), next.headerLength(), path.isCongested());
    long cost =
        isPush && !asks
            ? Credit.costBytes(next.lengthBytes(), next.headerLength())
            : next.headerLength();
    if (!isCovered(cost)) {
      return false;
    }
    credit.charge(cost);
    burstBytes -= isPush && !asks ? cost : REQUEST_BYTES + next.headerLength();
    submitted.poll();
    next.admit();
    if (asks) {
      next.solicit(nextSsn++);
      solicited.addLast(next);
    } else {
      (isPush ? unsolicited : pulls).addLast(next);
    }
    return true;
  }

  /**
   * Returns whether the next burst carries more than is admitted already. If congestion decides
   * which way a push goes, a push is admitted only when it is about to leave.
   */
  private boolean hasBurstRoom() {
    if (!policy.heedsCongestion()) {
      return true;
    }
    if (solicited.isEmpty() && unsolicited.isEmpty()) {
      burstBytes = Math.max(1, path.roomBytes());
    }
    return burstBytes > 0;
  }

  /**
   * Notes that an admitted unsolicited push leaves its queue unsent, because its source is not
   * ready.
   */
  void onAside() {
    isLookDue = policy.heedsCongestion() && !submitted.isEmpty();
  }

  /** Returns whether a turn must come at once, to admit submissions that can leave now. */
  boolean isLookDue() {
    return isLookDue;
  }

  /** Notes that this turn begins. */
  void onLook() {
    isLookDue = false;
  }

  private boolean isCovered(long cost) {
    boolean wasStalled = credit.isStalled();
    boolean isCovered = credit.covers(cost);
    if (!isCovered && !wasStalled) {
      counters.increment(CounterId.CREDIT_STALLS);
    }
    return isCovered;
  }

  /** Returns whether the next submission waits for credit and no credit has come since. */
  boolean isCreditStalled() {
    return credit.isStalled() && (!submitted.isEmpty() || transactions.hasReady());
  }

  // ---- pushes that are ready without being submitted

  /**
   * Returns whether everything submitted is admitted. Then pushes that are only ready may follow.
   */
  boolean isAllAdmitted() {
    return submitted.isEmpty();
  }

  /**
   * Returns the bytes of the push that is ready, if the credit covers it; otherwise {@link
   * PushSupplier#NONE}.
   */
  int nextReadyLengthBytes() {
    int length = transactions.nextReadyLengthBytes();
    assert !policy.isSolicited(length, 0, path.isCongested()) : length + " bytes must ask first";
    return length == PushSupplier.NONE || isCovered(Credit.costBytes(length, 0))
        ? length
        : PushSupplier.NONE;
  }

  /**
   * Charges a push that is ready and begins now. Returns false when the credit does not cover it.
   */
  boolean admitReady(int lengthBytes) {
    long cost = Credit.costBytes(lengthBytes, 0);
    if (!isCovered(cost)) {
      return false;
    }
    credit.charge(cost);
    return true;
  }
}
