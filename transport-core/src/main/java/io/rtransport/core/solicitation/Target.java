package io.rtransport.core.solicitation;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.IncomingPayload;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PolledMessage;
import io.rtransport.core.transaction.RangeLimit;
import io.rtransport.core.transaction.TargetRole;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.wire.CompleteInErrorFlyweight;
import io.rtransport.core.wire.Flyweights;
import io.rtransport.core.wire.PullRequestFlyweight;
import io.rtransport.core.wire.PushSolicitedDataFlyweight;
import io.rtransport.core.wire.PushSolicitedRequestFlyweight;
import java.nio.ByteBuffer;

/**
 * This connection's side of the transactions that the peer began, from the first record to the
 * ULP-ACK (patent, Figures 11 and 12).
 *
 * <p>Its parts:
 *
 * <ul>
 *   <li>{@link PeerAdmission} decides what the peer may begin;
 *   <li>{@link UnsolicitedPushes} decides which way a small push takes;
 *   <li>{@link Openings} asks the application where a message goes;
 *   <li>{@link SolicitedOrder} opens solicited pushes in SSN order;
 *   <li>{@link DeliveryOrder} delivers in RSN order;
 *   <li>{@link PullResponder} sends the answers to pulls;
 *   <li>{@link CompletionTracker} tells the peer how its transactions ended.
 * </ul>
 *
 * <p>This class does the rest: requests, granted data, and the effects of an opening, an end or a
 * verb of the application. Verbs of the application never call up. {@link #pollArriving} and {@link
 * #poll} give the entries that result from them.
 */
final class Target implements PieceOwner, TargetRole {
  private final TransactionSublayer transactions;
  private final PolledMessage polled;
  private final GrantScheduler grants;
  private final Reassembler reassembler;
  private final ReorderEngine reorder;
  private final RsnWindow window;
  private final PeerAdmission admission;
  private final CompletionTracker completions;
  private final SolicitedOrder solicitedOrder;
  private final DeliveryOrder order;
  private final PullResponder responder;
  private final UnsolicitedPushes unsolicited;
  private final PeerCancellations cancellations;
  private final Counters counters;
  private final Failure failure;
  private final Openings openings;

  Target(
      SolicitationConfig config,
      TransactionSublayer transactions,
      CreditAllowance credit,
      GrantScheduler grants,
      ReorderEngine reorder,
      Reassembler reassembler,
      Segmenter segmenter,
      RangeLimit grantRanges,
      Counters counters,
      Flyweights write,
      Failure failure) {
    this.transactions = transactions;
    this.grants = grants;
    this.reorder = reorder;
    this.reassembler = reassembler;
    this.counters = counters;
    this.failure = failure;
    polled = transactions.inbound().polled();
    openings = new Openings(transactions);
    window = new RsnWindow(config.agreed().rxNumbers().rsn());
    admission = new PeerAdmission(config, transactions, credit, window, counters, failure);
    order =
        new DeliveryOrder(
            config.agreed().rxNumbers().rsn(), config.isOrdered(), transactions, reorder, credit);
    completions =
        new CompletionTracker(
            window,
            transactions.peers(),
            transactions.pool(),
            credit,
            new CompletionDelay(config),
            counters,
            write,
            this::onReported);
    solicitedOrder =
        new SolicitedOrder(
            config.agreed().rxNumbers().ssn(),
            config.isOrdered(),
            config.agreed().both().outstandingMax(),
            reorder,
            openings::add,
            order::retireIfOver);
    responder =
        new PullResponder(
            config, transactions, segmenter, grantRanges, counters, order::retireIfOver);
    unsolicited =
        new UnsolicitedPushes(this, transactions, credit, reassembler, order, counters, failure);
    cancellations =
        new PeerCancellations(this, transactions, credit, solicitedOrder, order, counters, failure);
  }

  /** Starts an answer that has not left yet, because the end is told or on its way. */
  private void onReported(Transaction t) {
    if (t.hasSource()) {
      responder.add(t);
    }
    order.retireIfOver(t);
  }

  PeerCancellations cancellations() {
    return cancellations;
  }

  UnsolicitedPushes unsolicited() {
    return unsolicited;
  }

  CompletionTracker completions() {
    return completions;
  }

  PeerAdmission admission() {
    return admission;
  }

  PullResponder responder() {
    return responder;
  }

  RsnWindow window() {
    return window;
  }

  /** Returns whether an RSN that has no state here may begin a transaction. */
  boolean isAcceptable(int rsn) {
    return admission.isAcceptable(rsn, completions.failuresHeld() - cancellations.earlyCount());
  }

  /** Begins a push of the peer that has cost {@code cost} bytes of credit. */
  Transaction begin(int rsn, long length, long cost) {
    Transaction t = transactions.inbound().begin(rsn, Kind.PUSH, length);
    t.charge(cost);
    return t;
  }

  // ------------------------------------------------------------------ solicited pushes (Figure 11)

  void onSolicitedRequest(PushSolicitedRequestFlyweight record, ByteBuffer buffer) {
    int rsn = record.rsn();
    int ssn = record.ssn();
    long length = record.messageLength();
    Transaction t = transactions.peers().find(rsn);
    if (t != null) {
      onRepeated(t, t.isSolicited() && t.ssn() == ssn && t.lengthBytes() == length);
      return;
    }
    boolean isCancelled = cancellations.takeEarly(rsn);
    if (!isAcceptable(rsn)) {
      return;
    }
    if (!solicitedOrder.isAcceptable(ssn)) {
      failure.fail(
          "PUSH_SOLICITED_REQUEST ssn="
              + Integer.toUnsignedString(ssn)
              + " was used or is too far ahead");
      return;
    }
    if (!admission.isLengthAgreed(length) || !admission.chargeHeader(record.headerLength())) {
      return;
    }
    t = begin(rsn, length, record.headerLength());
    t.solicit(ssn);
    t.keepHeader(buffer, record.headerOffset(), record.headerLength());
    refuseIfUnwanted(t, isCancelled);
    solicitedOrder.onRequest(t);
  }

  private void onRepeated(Transaction t, boolean isEqual) {
    counters.increment(CounterId.RECORDS_IGNORED);
    if (!isEqual) {
      failure.fail("a second request that disagrees with " + t);
    }
  }

  void onSolicitedData(PushSolicitedDataFlyweight record, ByteBuffer buffer, long nowNs) {
    Transaction t = transactions.peers().find(record.rsn());
    if (t == null ? window.isEnded(record.rsn()) : t.hasFailed()) {
      counters.increment(CounterId.RECORDS_IGNORED);
      return;
    }
    long offset = record.offset();
    int length = record.payloadLength();
    if (t == null || !t.isSolicited() || offset + length > t.incoming().grantedBytes()) {
      failure.fail(
          "PUSH_SOLICITED_DATA "
              + offset
              + "+"
              + length
              + " not granted, RSN "
              + Integer.toUnsignedString(record.rsn()));
      return;
    }
    reassembler.begin(this, t, offset, length, buffer, record.payloadOffset(), nowNs);
  }

  // ------------------------------------------------------------------ pieces of pushes

  @Override
  public boolean isWanted(Transaction t, long offset, int length, long nowNs) {
    if (t.stage() != Stage.ARRIVING) {
      counters.increment(CounterId.RECORDS_IGNORED);
      return false;
    }
    counters.add(CounterId.MESSAGE_BYTES_RECEIVED, length);
    if (t.isSolicited()) {
      grants.onArrived(t, t.incoming().countMissing(offset, offset + length), nowNs);
    }
    return true;
  }

  @Override
  public boolean passesBy(Transaction t, long from, long end) {
    return false; // a failed transaction is discarded, so it is not in hand any more
  }

  @Override
  public void onPieceDone(Transaction t) {
    deliverIfWhole(t);
  }

  @Override
  public void onTooManyPieces(Transaction t) {
    failure.fail("too many pieces of " + t);
  }

  void onPullRequest(PullRequestFlyweight record, ByteBuffer buffer) {
    int rsn = record.rsn();
    long granted = record.grantedBytes();
    Transaction t = transactions.peers().find(rsn);
    if (t != null) {
      onRepeated(t, t.kind() == Kind.PULL && t.lengthBytes() == record.maxLength());
      return;
    }
    boolean isCancelled = cancellations.takeEarly(rsn);
    if (!isAcceptable(rsn)) {
      return;
    }
    if (granted > record.maxLength()) {
      failure.fail("PULL_REQUEST granted=" + granted + " must be 0.." + record.maxLength());
      return;
    }
    if (!admission.chargeHeader(record.headerLength())) {
      return;
    }
    t = transactions.inbound().begin(rsn, Kind.PULL, record.maxLength());
    t.charge(record.headerLength());
    t.keepHeader(buffer, record.headerOffset(), record.headerLength());
    t.outgoing().grantUpTo(granted);
    refuseIfUnwanted(t, isCancelled);
    if (t.stage() == Stage.ARRIVING) {
      order.onReady(t);
    }
  }

  // ------------------------------------------------------------------ where a message goes

  /** Asks the application where a push goes. Its header is kept. */
  void open(Transaction t) {
    openings.add(t);
  }

  /**
   * Accepts a push for the application.
   *
   * @param handle names the push in its entries
   * @param isKeptWhole whether the sink takes none of it before all of it is there
   * @param untakenBytesMax see {@link IncomingPayload#untakenBytesMax}
   * @return false if the push waits for no answer: it failed or was given up meanwhile
   */
  boolean accept(int rsn, long handle, boolean isKeptWhole, long untakenBytesMax) {
    Transaction t = openings.answered(rsn);
    if (t == null) {
      return false;
    }
    t.incoming().accept(handle, isKeptWhole, untakenBytesMax);
    if (!t.isSolicited()) {
      if (t.incoming().held() != null) {
        reassembler.giveHeld(t);
      } else if (!reassembler.hasInHand(t)) {
        deliverIfWhole(t);
      }
      return true;
    }
    if (isKeptWhole && !grants.isPossible(t.lengthBytes())) {
      failByTransport(t, CloseCode.REFUSED_BY_SINK, "larger than this node can keep whole");
      transactions.drop(t);
      return true;
    }
    if (t.lengthBytes() > 0) {
      grants.addPush(t);
    } else {
      deliverIfWhole(t);
    }
    solicitedOrder.onDecided(t);
    return true;
  }

  /** Refuses a push for the application. */
  void refuse(int rsn, int code, boolean isFromTransport) {
    Transaction t = openings.answered(rsn);
    if (t != null) {
      t.blame(code, "", isFromTransport ? CompleteInErrorFlyweight.FLAG_TRANSPORT : 0);
      fail(t);
    }
  }

  /** Sets how many bytes of a push may be granted and not yet taken. */
  void limitUntaken(int rsn, long bytes) {
    limitUntaken(transactions.peers().find(rsn), bytes);
  }

  /**
   * Sets the same bound for any message. It has an effect only if the message's sink writes behind.
   */
  static void limitUntaken(Transaction t, long bytes) {
    if (t != null && t.isIncoming()) {
      t.incoming().limitUntaken(bytes);
    }
  }

  /**
   * Fails a push that the application had accepted, because the application failed over its bytes.
   */
  void failSink(int rsn) {
    Transaction t = transactions.peers().find(rsn);
    if (t != null && t.isOpen() && (t.stage() == Stage.ARRIVING || t.stage() == Stage.READY)) {
      failByTransport(t, CloseCode.REFUSED_BY_SINK, "");
    }
  }

  /** Asks the application again about a message that it had put off. */
  void retryOpen(int rsn) {
    openings.retry(rsn);
  }

  /** Asks the application again about every message that it had put off. */
  void retryOpen() {
    openings.retryAll();
  }

  /** Returns whether verbs of the application left entries to be given. */
  boolean isSettleDue() {
    return openings.isDue() || reassembler.hasHeld();
  }

  /** Asks again about messages that were put off. Called in a later turn of the loop. */
  void settle() {
    openings.settle();
  }

  /**
   * Puts off the push that the application was asked about and has not answered. Called when the
   * next entry is asked for.
   */
  void putOff() {
    openings.putOff();
  }

  /** Puts the next entry about arriving pushes: that a push begins, or bytes of one. */
  boolean pollArriving(OutboxEntry into) {
    return openings.poll(into) || reassembler.poll(this, into);
  }

  /** Puts the next entry for a transaction of the peer that is whole and whose turn it is. */
  boolean poll(OutboxEntry into) {
    return !transactions.isEnded() && order.poll(into);
  }

  void deliverIfWhole(Transaction t) {
    if (t.stage() == Stage.ARRIVING && t.isOpen() && t.incoming().hereBytes() == t.lengthBytes()) {
      order.onReady(t);
    }
  }

  // ---- the application's answers

  /** Notes that the sink took {@code bytes} that it had not taken yet. */
  void taken(int rsn, long bytes) {
    if (polled.is(rsn)) {
      polled.taken(bytes);
      return;
    }
    Transaction t = transactions.peers().find(rsn);
    if (t == null || t.kind() != Kind.PUSH || t.incoming().isDiscarding()) {
      return;
    }
    long now = t.incoming().takeUpTo(bytes);
    if (t.isSolicited()) {
      grants.onTaken(t, now);
    } else if (t.isTurnPassed()) {
      order.giveBack(t, now);
    }
  }

  @Override
  public void onAcknowledged(Transaction t) {
    letGo(t);
    completions.onCompleted(t);
  }

  @Override
  public void onAcknowledged(int rsn, int lengthBytes, int heldBytes, boolean isUnawaited) {
    unsolicited.onAcknowledged(rsn, lengthBytes, heldBytes, isUnawaited);
  }

  @Override
  public boolean isLowestUnended(int rsn) {
    return window.base() == rsn;
  }

  @Override
  public void onResponding(Transaction t) {
    responder.add(t);
  }

  /** Ends a transaction's reception: it takes no more bytes and gives back all that it holds. */
  private void letGo(Transaction t) {
    if (t.isIncoming()) {
      reassembler.discard(t);
      if (t.isSolicited()) {
        grants.onEnded(t);
      }
      openings.remove(t);
    }
    order.giveBack(t, t.creditBytes());
  }

  /**
   * Rejects a push that was cancelled or refused before its header arrived. The header has now
   * come.
   */
  void rejectUnwanted(Transaction t) {
    refuseIfUnwanted(t, t.isCancelled());
  }

  private void refuseIfUnwanted(Transaction t, boolean isCancelled) {
    if (isCancelled) {
      counters.increment(CounterId.TRANSACTIONS_CANCELLED_BY_PEER);
      failByTransport(t, CloseCode.CANCELLED, "");
    } else if (admission.isRefusing()) {
      failByTransport(t, CloseCode.CLOSING, "");
    }
  }

  /**
   * Marks a push that was cancelled before its header came. The header is charged too, so the push
   * ends when it comes. Until then its bytes are thrown away.
   */
  void rejectOnceHeaderComes(Transaction t) {
    t.cancelOnceHeaderComes();
    reassembler.discard(t);
  }

  void failByTransport(Transaction t, CloseCode code, String text) {
    t.blame(code.code(), text, CompleteInErrorFlyweight.FLAG_TRANSPORT);
    fail(t);
  }

  /**
   * Ends a transaction in error; code, text and flags are set. {@link #poll} lets its turn pass.
   */
  @Override
  public void fail(Transaction t) {
    if (t.isIncoming()) {
      t.incoming().close();
    }
    order.withdraw(t);
    letGo(t);
    responder.remove(t);
    transactions.releaseSource(t);
    completions.onFailed(t);
    order.skip(t);
    solicitedOrder.onDecided(t);
  }

  /**
   * Returns whether the peer begins nothing more and everything that it began was handed to the
   * application.
   */
  boolean isAllDelivered() {
    return admission.hasFinal() && order.isAllPassed(admission.finalRsn());
  }

  /**
   * Returns whether the peer begins nothing more and everything that it began has ended, was told
   * and was answered.
   */
  boolean isFinished() {
    return admission.isAllEnded() && completions.isIdle() && transactions.peers().size() == 0;
  }

  /** Gives back what an open transaction holds, because the connection ended. */
  @Override
  public void abandon(Transaction t) {
    order.withdraw(t);
    letGo(t);
    responder.remove(t);
    completions.forget(t);
    solicitedOrder.forget(t);
    reorder.forget(t);
  }
}
