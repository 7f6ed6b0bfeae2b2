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
 * Admits own submissions in RSN order (patent, Figure 8A, blocks 802 to 806): each is charged to
 * the peer's credit, gets its way (solicited or not) and its SSN, and goes to the queue of its
 * window. As late as possible, so that the way is chosen by what the path is like when the message
 * is about to leave. Because credit is charged in RSN order, the lowest undelivered RSN can always
 * be sent.
 */
final class Admission {
  /** Of a request without its header, about: that of a pull is as long. */
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

  /** Bytes that may still be admitted before all that is admitted has left. */
  private long burstBytes;

  /** A push gave up its place in the burst: others may have it. */
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

  /** Whether submissions may wait for others to share a packet with. */
  FlushWindow flushWindow() {
    return flushWindow;
  }

  /** A transmission begins; {@code isLeaving}: with a packet that takes along what has waited. */
  void onTransmitting(boolean isLeaving, long nowNs) {
    flushWindow.onTransmitting(submitted, isLeaving, nowNs);
  }

  /** It is over. */
  void onTransmitted() {
    flushWindow.onTransmitted(submitted);
  }

  Credit credit() {
    return credit;
  }

  /** Solicited pushes whose request has not left, in RSN order. */
  TransactionQueue solicited() {
    return solicited;
  }

  /** Pulls whose request has not left, in RSN order. */
  TransactionQueue pulls() {
    return pulls;
  }

  /** Unsolicited pushes with bytes to send, in RSN order. */
  TransactionQueue unsolicited() {
    return unsolicited;
  }

  /** It ended: whatever is left of it does not leave. */
  void remove(Transaction t) {
    if (!unsolicited.remove(t) && !submitted.remove(t) && !solicited.remove(t)) {
      pulls.remove(t);
    }
  }

  /** What an own transaction of which nothing has left was charged. */
  long chargedBytes(Transaction t) {
    if (t.stage() == Stage.QUEUED) {
      return 0;
    }
    return t.kind() == Kind.PULL || t.isSolicited
        ? t.headerLength
        : Credit.costBytes(t.lengthBytes, t.headerLength);
  }

  /**
   * Admits the next submission. False when there is none, it waits for others, or there is no
   * credit for it.
   */
  boolean admitNext() {
    Transaction next = submitted.peek();
    if (next == null || flushWindow.isHolding() || !hasBurstRoom()) {
      return false;
    }
    boolean isPush = next.kind() == Kind.PUSH;
    boolean asks =
        isPush && policy.isSolicited(next.lengthBytes, next.headerLength, path.isCongested());
    long cost =
        isPush && !asks ? Credit.costBytes(next.lengthBytes, next.headerLength) : next.headerLength;
    if (!isCovered(cost)) {
      return false;
    }
    credit.charge(cost);
    burstBytes -= isPush && !asks ? cost : REQUEST_BYTES + next.headerLength;
    submitted.poll();
    next.admit();
    if (asks) {
      next.isSolicited = true;
      next.ssn = nextSsn++;
      solicited.addLast(next);
    } else {
      (isPush ? unsolicited : pulls).addLast(next);
    }
    return true;
  }

  /**
   * Whether the next burst carries more than is admitted already. Where congestion decides which
   * way a push goes, the way is chosen when the push is about to leave.
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

  /** An unsolicited push was admitted, and leaves its queue unsent: its source is not ready. */
  void onAside() {
    isLookDue = policy.heedsCongestion() && !submitted.isEmpty();
  }

  /** Whether a turn is to come at once, and admit what can leave now. */
  boolean isLookDue() {
    return isLookDue;
  }

  /** That turn begins. */
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

  /** Whether the next submission waits for credit and nothing has come since. */
  boolean isCreditStalled() {
    return credit.isStalled() && (!submitted.isEmpty() || transactions.hasReady());
  }

  // ---- what is ready without being submitted

  /** Whether everything submitted is admitted: then it is the turn of what is only ready. */
  boolean isAllAdmitted() {
    return submitted.isEmpty();
  }

  /** Bytes of the push that is ready, if there is credit for it; else {@link PushSupplier#NONE}. */
  int nextReadyLengthBytes() {
    int length = transactions.nextReadyLengthBytes();
    assert !policy.isSolicited(length, 0, path.isCongested()) : length + " bytes must ask first";
    return length == PushSupplier.NONE || isCovered(Credit.costBytes(length, 0))
        ? length
        : PushSupplier.NONE;
  }

  /** Charges one that is ready, which begins with that. False when there is no credit for it. */
  boolean admitReady(int lengthBytes) {
    long cost = Credit.costBytes(lengthBytes, 0);
    if (!isCovered(cost)) {
      return false;
    }
    credit.charge(cost);
    return true;
  }
}
