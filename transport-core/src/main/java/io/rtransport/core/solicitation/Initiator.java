package io.rtransport.core.solicitation;

import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.InitiatorRole;
import io.rtransport.core.transaction.OutgoingPayload;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.core.transaction.RangeLimit;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.transaction.TransactionQueue;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.wire.CompleteInErrorFlyweight;
import io.rtransport.core.wire.CompletedFlyweight;
import io.rtransport.core.wire.Flyweights;
import io.rtransport.core.wire.PullRequestFlyweight;
import io.rtransport.core.wire.PushGrantFlyweight;
import io.rtransport.core.wire.PushSolicitedRequestFlyweight;
import io.rtransport.core.wire.PushUnsolicitedDataFlyweight;
import io.rtransport.core.wire.WireText;
import java.nio.ByteBuffer;

/**
 * This connection's side of the transactions that its own application began (patent, Figures 8A,
 * 8B, 9 and 10). Decides what is sent when, and handles the peer's grants and completions. {@link
 * PullReceiver} handles the answers to pulls.
 *
 * <p>{@link Admission} admits transactions in RSN order. After that its queues go on independently:
 * requests, pulls that wait for a reservation, unsolicited data, granted data. Granted data goes in
 * SSN order on an ordered connection, otherwise by {@link ServingOrder}.
 *
 * <p>A message whose source is not ready leaves its queue until {@link #ready}. Nothing else waits
 * for it, except what order requires.
 */
final class Initiator implements InitiatorRole {
  private static final int UNKNOWN = -1;

  private final TransactionSublayer transactions;
  private final Admission admission;
  private final GrantScheduler grants;
  private final ReorderEngine reorder;
  private final Segmenter segmenter;
  private final Cancellations cancellations;
  private final RangeLimit grantRanges;
  private final Counters counters;
  private final TransactionQueue solicited;
  private final TransactionQueue pulls;
  private final TransactionQueue unsolicited;
  private final TransactionQueue notReady;
  private final ServingOrder granted;
  private final boolean isOrdered;
  private final boolean isUnawaitedTold;
  private final PathView path;
  private final PushSolicitedRequestFlyweight pushRequest;
  private final PullRequestFlyweight pullRequest;
  private final ReadyRecords readyRecords;

  /** Number of pushes that were requested and are not all sent. */
  private int onGrants;

  /** Pushes for which a receipt is wanted; null if there was none. */
  private Receipts receipts;

  private int packetPsn;

  private int baseSsn;
  private int completedBase;
  private int unawaitedFlag = UNKNOWN;
  private int writtenCount;

  /**
   * @param grantRanges limit of the ranges of all grants of the connection
   */
  Initiator(
      SolicitationConfig config,
      TransactionSublayer transactions,
      Admission admission,
      GrantScheduler grants,
      ReorderEngine reorder,
      Segmenter segmenter,
      Cancellations cancellations,
      RangeLimit grantRanges,
      PathView path,
      Counters counters,
      Flyweights write) {
    this.transactions = transactions;
    this.admission = admission;
    this.grants = grants;
    this.reorder = reorder;
    this.segmenter = segmenter;
    this.cancellations = cancellations;
    this.grantRanges = grantRanges;
    this.counters = counters;
    pushRequest = write.pushRequest;
    pullRequest = write.pullRequest;
    isOrdered = config.isOrdered();
    isUnawaitedTold = config.isUnawaitedTold();
    this.path = path;
    notReady = new TransactionQueue(transactions.pool(), Transaction.STREAM);
    granted =
        new ServingOrder(
            transactions.pool(), Transaction.STREAM, isOrdered, config.datagramLengthBytes());
    solicited = admission.solicited();
    pulls = admission.pulls();
    unsolicited = admission.unsolicited();
    readyRecords = new ReadyRecords(transactions, admission, counters, write);
    baseSsn = config.agreed().txNumbers().ssn();
    completedBase = config.agreed().txNumbers().rsn();
  }

  // ------------------------------------------------------------------ request window

  boolean hasRequests() {
    while (solicited.isEmpty() && !hasReservedPull() && admission.admitNext()) {
      // Loops until there is a request that can go.
    }
    return !solicited.isEmpty() || hasReservedPull();
  }

  /**
   * Returns whether the first pull has a reservation for the beginning of its answer, or gets it
   * now.
   */
  private boolean hasReservedPull() {
    Transaction pull = pulls.peek();
    return pull != null
        && (pull.incoming().grantedBytes() > 0
            || pull.lengthBytes() == 0
            || grants.reservePull(pull));
  }

  /** Writes one request. Returns its length, 0 when there is none or it does not fit. */
  int writeRequest(ByteBuffer to, int index, int limit) {
    if (!hasRequests()) {
      return 0;
    }
    Transaction push = solicited.peek();
    Transaction pull = hasReservedPull() ? pulls.peek() : null;
    boolean isPull = push == null || (pull != null && pull.rsn() - push.rsn() < 0);
    Transaction t = isPull ? pull : push;
    int length =
        (isPull ? PullRequestFlyweight.FIXED_LENGTH : PushSolicitedRequestFlyweight.FIXED_LENGTH)
            + t.headerLength();
    if (length > limit - index) {
      return 0;
    }
    if (isPull) {
      pulls.poll();
      pullRequest
          .wrapNew(to, index)
          .rsn(t.rsn())
          .maxLength(t.lengthBytes())
          .grantedBytes(t.incoming().grantedBytes());
      pullRequest.headerLength(t.headerLength());
      to.put(pullRequest.headerOffset(), t.header(), 0, t.headerLength());
      t.finishSending();
    } else {
      solicited.poll();
      pushRequest.wrapNew(to, index).rsn(t.rsn()).ssn(t.ssn()).messageLength(t.lengthBytes());
      pushRequest.headerLength(t.headerLength());
      to.put(pushRequest.headerOffset(), t.header(), 0, t.headerLength());
      t.start();
      t.outgoing().awaitGrants();
      onGrants++;
      counters.increment(CounterId.REQUESTS_SOLICITED);
    }
    return length;
  }

  // ------------------------------------------------------------------ data window

  /** Notes that a data packet is about to be filled. */
  void beginPacket(int psn) {
    packetPsn = psn;
    unawaitedFlag = UNKNOWN;
  }

  /**
   * Returns the flag of a packet's pushes for whose ends nobody waits. The flag is not set in two
   * cases. This side waits for all ends itself, when it begins nothing more. Or it needs
   * acknowledgements, when its congestion window is nearly full.
   */
  private int unawaitedFlag() {
    if (unawaitedFlag == UNKNOWN) {
      boolean isTold = isUnawaitedTold && !transactions.isFinishing() && path.hasRoomToSpare();
      unawaitedFlag = isTold ? PushUnsolicitedDataFlyweight.FLAG_UNAWAITED : 0;
    }
    return unawaitedFlag;
  }

  boolean hasUnsolicited() {
    return !unsolicited.isEmpty()
        || nextUnsolicited() != PushSupplier.NONE
        || !unsolicited.isEmpty();
  }

  /**
   * Admits submissions until there is an unsolicited push. If no submission is left, looks at the
   * pushes that the application has ready.
   *
   * @return the length of the ready push, if it is next; otherwise {@link PushSupplier#NONE}: then
   *     a submitted push may be next
   */
  private int nextUnsolicited() {
    while (true) {
      while (unsolicited.isEmpty() && admission.admitNext()) {
        // Loops until there is an unsolicited push.
      }
      if (!unsolicited.isEmpty() || !admission.isAllAdmitted()) {
        return PushSupplier.NONE;
      }
      int length = admission.nextReadyLengthBytes();
      if (length != PushSupplier.NONE || admission.isAllAdmitted()) {
        return length; // otherwise others were submitted before it
      }
    }
  }

  /**
   * Writes one record of the next unsolicited push, or as many ready pushes of the application as
   * there is room for.
   *
   * @param recordsMax how many records the packet still takes, at least 1
   * @return bytes written, {@link #writtenCount} records
   */
  int writeUnsolicited(ByteBuffer to, int index, int limit, int recordsMax) {
    if (unsolicited.isEmpty() && nextUnsolicited() != PushSupplier.NONE) {
      int lengths = readyRecords.write(to, index, limit, recordsMax, unawaitedFlag());
      writtenCount = readyRecords.count();
      return lengths;
    }
    writtenCount = 1;
    Transaction t = unsolicited.peek();
    if (t == null) {
      return 0;
    }
    boolean isUnawaited = t.isUnawaited() && !t.hasDeadline();
    int length = segmenter.writeUnsolicited(t, isUnawaited ? unawaitedFlag() : 0, to, index, limit);
    if (length > 0) {
      t.start();
      if (t.outgoing().sentBytes() == t.lengthBytes()) {
        unsolicited.remove(t); // copy may have made another push ready, which may now be the first
        if (t.isReceiptWanted()) {
          awaitReceipt(t);
        }
        if (t.hasDeadline()) {
          t.finishSending();
        } else {
          transactions.compact(t);
        }
        return length;
      }
    }
    if (segmenter.isSourceEmpty() && unsolicited.remove(t)) {
      notReady.addLast(t);
      admission.onAside();
    }
    return length;
  }

  /** Returns how many records the last {@link #writeUnsolicited} wrote, if it wrote anything. */
  int writtenCount() {
    return writtenCount;
  }

  /**
   * Returns whether an admitted transaction that is not granted is not all sent. Pulls that wait
   * for room in our own budget do not count.
   */
  boolean hasAdmitted() {
    return !unsolicited.isEmpty() || !solicited.isEmpty();
  }

  boolean hasGranted() {
    return !granted.isEmpty();
  }

  /** Writes one record of the granted push whose turn it is (Figure 8B, block 860). */
  int writeGranted(ByteBuffer to, int index, int limit) {
    Transaction t = granted.next();
    if (t == null) {
      return 0;
    }
    int length = segmenter.writeSolicited(t, to, index, limit);
    granted.onServed(t, length, t.lengthBytes() - t.outgoing().sentBytes());
    if (t.outgoing().sentBytes() == t.lengthBytes()) {
      granted.remove(t);
      leaveGrants(t);
      if (t.isReceiptWanted()) {
        awaitReceipt(t);
      }
      t.finishSending();
      moveOn();
    } else if (segmenter.isSourceEmpty()) {
      if (granted.remove(t)) {
        notReady.addLast(t);
      }
    } else if (t.outgoing().sentBytes() == t.outgoing().grantedBytes()) {
      granted.remove(t);
    }
    return length;
  }

  /**
   * Returns whether pushes wait for the peer's grants, or pulls for this node's budget, and nothing
   * is granted that could leave.
   */
  boolean isAwaitingGrants() {
    return granted.isEmpty() && notReady.isEmpty() && (onGrants > 0 || !pulls.isEmpty());
  }

  private void leaveGrants(Transaction t) {
    if (!t.isIncoming() && t.outgoing().stopAwaitingGrants()) {
      onGrants--;
    }
  }

  private void awaitReceipt(Transaction t) {
    receipts = receipts == null ? new Receipts(transactions) : receipts;
    receipts.onSent(t.rsn(), packetPsn);
  }

  /** Returns the receipts; null if none was wanted. */
  Receipts receipts() {
    return receipts;
  }

  /**
   * Notes that the source of {@code handle} has more bytes. Sources choose their handles
   * independently, so this may concern several messages.
   */
  void ready(long handle) {
    Transaction following;
    for (Transaction t = notReady.peek(); t != null; t = following) {
      following = notReady.after(t);
      if (t.outgoing().handle() == handle) {
        notReady.remove(t);
        if (t.isSolicited()) {
          granted.add(t, t.lengthBytes() - t.outgoing().sentBytes());
        } else {
          unsolicited.addInOrder(t);
        }
      }
    }
  }

  // ------------------------------------------------------------------ grants (Figure 8B)

  /**
   * Handles PUSH_GRANT: finds the push by RSN and checks it against SSN order (blocks 852 to 864).
   */
  void onPushGrant(PushGrantFlyweight record) {
    Transaction t = transactions.findOwn(record.rsn());
    long offset = record.offset();
    long end = offset + record.grantLength();
    if (t == null && transactions.isHandedUp(record.rsn())) {
      counters.increment(CounterId.RECORDS_IGNORED); // it was on its way when the push ended
      return;
    }
    if (t == null
        || !t.isSolicited()
        || t.ssn() != record.ssn()
        || t.stage() == Stage.ADMITTED
        || end > t.lengthBytes()) {
      counters.increment(CounterId.GRANTS_IGNORED);
      return;
    }
    if (t.stage() != Stage.STARTED || t.isCancelled()) {
      counters.increment(CounterId.RECORDS_IGNORED);
      return;
    }
    counters.increment(CounterId.GRANTS_RECEIVED);
    OutgoingPayload out = t.outgoing();
    if (!out.grant(offset, end, grantRanges)) {
      counters.increment(CounterId.GRANTS_IGNORED);
      return;
    }
    if (out.grantedBytes() == out.sentBytes() || notReady.contains(t) || granted.contains(t)) {
      return;
    }
    if (!isOrdered || t.ssn() == baseSsn) {
      granted.add(t, t.lengthBytes() - t.outgoing().sentBytes());
    } else if (!reorder.isRegistered(ReorderEngine.OWN_SSN, t)) {
      reorder.register(ReorderEngine.OWN_SSN, t.ssn(), t);
    }
  }

  /**
   * Moves on from the push at the base SSN, which needs nothing more. The next push is looked up,
   * and goes on if it was granted (blocks 862 and 892).
   */
  private void moveOn() {
    while (isOrdered && granted.isEmpty()) {
      baseSsn++;
      Transaction t = reorder.take(ReorderEngine.OWN_SSN, baseSsn);
      if (t == null) {
        return;
      }
      if (t.isCancelled() && t.stage() != Stage.ENDED) {
        return; // its turn passes when it ends
      }
      if (t.stage() != Stage.ENDED) {
        granted.add(t, t.lengthBytes() - t.outgoing().sentBytes());
      }
    }
  }

  // ---- ends (Figure 10, blocks 1012 to 1018)

  /** Handles COMPLETED: pushes below the base and pushes with a bit have succeeded. */
  void onCompleted(CompletedFlyweight record) {
    if (!onCompletedBase(record.baseRsn())) {
      return;
    }
    int first = (record.baseRsn() & ~63) + record.wordOffset() * 64;
    for (int i = 0; i < record.wordCount(); i++) {
      long word = record.word(i);
      while (word != 0) {
        int rsn = first + i * 64 + Long.numberOfTrailingZeros(word);
        word &= word - 1;
        if (rsn - completedBase >= 0 && !onPushCompleted(rsn)) {
          counters.increment(CounterId.COMPLETED_IGNORED);
          return;
        }
      }
    }
  }

  /**
   * Handles a base: all RSNs below {@code base} have ended at the peer. Returns false when that is
   * impossible.
   */
  boolean onCompletedBase(int base) {
    if (base - transactions.nextRsn() > 0) {
      counters.increment(CounterId.COMPLETED_IGNORED);
      return false;
    }
    while (completedBase - base < 0) {
      if (!onPushCompleted(completedBase)) {
        counters.increment(CounterId.COMPLETED_IGNORED);
        return false;
      }
      completedBase++;
    }
    return true;
  }

  /** Completes a push. Returns false when the peer cannot have the push. */
  private boolean onPushCompleted(int rsn) {
    if (transactions.isCompacted(rsn)) {
      transactions.completeCompacted(rsn);
      return true;
    }
    Transaction t = transactions.findOwn(rsn);
    if (t == null || t.stage() == Stage.ENDED) {
      return rsn - transactions.nextRsn() < 0;
    }
    if (t.stage() != Stage.SENT) {
      return false;
    }
    if (t.kind() == Kind.PUSH) {
      transactions.end(t, Outcome.COMPLETED, 0, "", 0);
    }
    return true;
  }

  /** Handles COMPLETE_IN_ERROR, which ends the transaction. */
  void onCompleteInError(CompleteInErrorFlyweight record, ByteBuffer buffer) {
    int rsn = record.rsn();
    Transaction t =
        transactions.isCompacted(rsn) ? transactions.restore(rsn) : transactions.findOwn(rsn);
    if (t == null || t.stage() == Stage.ENDED) {
      counters.increment(CounterId.RECORDS_IGNORED);
      return;
    }
    if (t.stage() != Stage.STARTED && t.stage() != Stage.SENT) {
      counters.increment(CounterId.COMPLETED_IGNORED);
      return;
    }
    if (t.isRefused()) {
      PullReceiver.endRefused(t, transactions); // as the peer was asked to do
      return;
    }
    Outcome outcome =
        record.isOutcomeUnknown()
            ? Outcome.UNKNOWN
            : record.isFromTransport() ? Outcome.NOT_EXECUTED : Outcome.FAILED;
    String text = WireText.read(buffer, record.textOffset(), record.textLength());
    transactions.end(t, outcome, record.code(), text, record.flags());
  }

  @Override
  public void onGivenUp(Transaction t) {
    cancellations.giveUp(t, admission.chargedBytes(t));
  }

  @Override
  public int lowestUnsettled(int rsn) {
    return cancellations.lowestUnsettled(rsn);
  }

  @Override
  public int givenUpCount() {
    return cancellations.unsettledCount();
  }

  /**
   * Gives up a transaction that has left in part, for the application. The target's answer ends it.
   * Nothing more of a push is sent, so the target has the whole push only if it has it already. A
   * pull takes nothing more and gives back what it held.
   */
  @Override
  public void onCancelled(Transaction t) {
    cancellations.cancel(t);
    leave(t);
    transactions.releaseSource(t);
    if (t.kind() == Kind.PULL) {
      t.incoming().discard();
      grants.onEnded(t);
    }
  }

  /**
   * Asks the target of an own pull to stop, because its answer is not taken. The granted bytes of
   * the answer are given back.
   */
  void onRefused(Transaction pull) {
    cancellations.cancel(pull);
    grants.onEnded(pull);
  }

  /**
   * Removes an own transaction from every queue, because its outcome is set. Its turn in SSN order
   * passes.
   */
  @Override
  public void onEnded(Transaction t) {
    cancellations.remove(t);
    leave(t);
    transactions.releaseSource(t);
    if (t.kind() == Kind.PULL) {
      if (t.ending().outcome() != Outcome.COMPLETED) {
        t.incoming().discard();
        grants.onEnded(t);
      }
      if (pulls.isEmpty()) {
        grants.onNoPullWaiting();
      }
    } else if (isOrdered && t.isSolicited() && t.ssn() - baseSsn >= 0) {
      passSsn(t);
    }
  }

  /** Removes a transaction from the sending queues: nothing more of it is sent. */
  private void leave(Transaction t) {
    leaveGrants(t);
    if (!notReady.remove(t) && !granted.remove(t)) {
      admission.remove(t);
    }
  }

  private void passSsn(Transaction t) {
    if (t.ssn() == baseSsn) {
      moveOn();
    } else if (!reorder.isRegistered(ReorderEngine.OWN_SSN, t)) {
      reorder.register(ReorderEngine.OWN_SSN, t.ssn(), t);
    }
  }

  /** Handles an own transaction that is handed up. */
  @Override
  public void onRetired(Transaction t) {
    if (t.kind() == Kind.PULL) {
      grants.onEnded(t);
    }
    reorder.forget(t);
  }
}
