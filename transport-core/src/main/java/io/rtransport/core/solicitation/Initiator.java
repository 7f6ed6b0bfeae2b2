package io.rtransport.core.solicitation;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.Outcome;
import io.rtransport.core.transaction.PushSupplier;
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
 * 8B, 9 and 10): what is sent when, and what the peer's grants, data and completions mean for them.
 *
 * <p>Once {@link Admission} has admitted them in RSN order, its queues go on independently:
 * requests, pulls that wait for a reservation, unsolicited data, granted data: in SSN order where
 * the connection is ordered, else as {@link ServingOrder} has it. Answers to pulls are {@link
 * PullReceiver}'s.
 *
 * <p>A source that is not ready takes its message out of its queue until {@link #ready}; nothing
 * else waits for it, except what order demands.
 */
final class Initiator {
  private static final int UNKNOWN = -1;

  private final TransactionSublayer transactions;
  private final Admission admission;
  private final GrantScheduler grants;
  private final ReorderEngine reorder;
  private final Segmenter segmenter;
  private final Cancellations cancellations;
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

  /** Pushes asked for and not all sent. */
  private int onGrants;

  /** Those of which a receipt is wanted; null where none was. */
  private Receipts receipts;

  private int packetPsn;

  private int baseSsn;
  private int completedBase;
  private int unawaitedFlag = UNKNOWN;
  private int writtenCount;

  Initiator(
      SolicitationConfig config,
      TransactionSublayer transactions,
      Admission admission,
      GrantScheduler grants,
      ReorderEngine reorder,
      Segmenter segmenter,
      Cancellations cancellations,
      PathView path,
      Counters counters,
      Flyweights write) {
    this.transactions = transactions;
    this.admission = admission;
    this.grants = grants;
    this.reorder = reorder;
    this.segmenter = segmenter;
    this.cancellations = cancellations;
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
      // One more, until there is a request that can go.
    }
    return !solicited.isEmpty() || hasReservedPull();
  }

  /** Whether the first pull has, or gets now, the reservation for the beginning of its answer. */
  private boolean hasReservedPull() {
    Transaction pull = pulls.peek();
    return pull != null
        && (pull.grantedBytes > 0 || pull.lengthBytes == 0 || grants.reservePull(pull));
  }

  /** Writes one request; answers its length, 0 when there is none or it does not fit. */
  int writeRequest(ByteBuffer to, int index, int limit) {
    if (!hasRequests()) {
      return 0;
    }
    Transaction push = solicited.peek();
    Transaction pull = hasReservedPull() ? pulls.peek() : null;
    boolean isPull = push == null || (pull != null && pull.rsn - push.rsn < 0);
    Transaction t = isPull ? pull : push;
    int length =
        (isPull ? PullRequestFlyweight.FIXED_LENGTH : PushSolicitedRequestFlyweight.FIXED_LENGTH)
            + t.headerLength;
    if (length > limit - index) {
      return 0;
    }
    if (isPull) {
      pulls.poll();
      pullRequest
          .wrapNew(to, index)
          .rsn(t.rsn)
          .maxLength(t.lengthBytes)
          .grantedBytes(t.grantedBytes);
      pullRequest.headerLength(t.headerLength);
      to.put(pullRequest.headerOffset(), t.header(), 0, t.headerLength);
      t.finishSending();
    } else {
      solicited.poll();
      pushRequest.wrapNew(to, index).rsn(t.rsn).ssn(t.ssn).messageLength(t.lengthBytes);
      pushRequest.headerLength(t.headerLength);
      to.put(pushRequest.headerOffset(), t.header(), 0, t.headerLength);
      t.start();
      t.isOnGrants = true;
      onGrants++;
      counters.increment(CounterId.REQUESTS_SOLICITED);
    }
    return length;
  }

  // ------------------------------------------------------------------ data window

  /** A data packet is about to be filled. */
  void beginPacket(int psn) {
    packetPsn = psn;
    unawaitedFlag = UNKNOWN;
  }

  /**
   * What a packet's pushes say whose ends nobody waits for: so, unless this side will wait for them
   * itself, for all ends when it begins nothing more, and for acknowledgements when its congestion
   * window is nearly full.
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
   * Admits submissions until there is an unsolicited push, and where none is left looks at what the
   * application has ready.
   *
   * @return the length of that, if it is next; else {@link PushSupplier#NONE}, and one that was
   *     submitted may be
   */
  private int nextUnsolicited() {
    while (true) {
      while (unsolicited.isEmpty() && admission.admitNext()) {
        // One more, until there is an unsolicited push.
      }
      if (!unsolicited.isEmpty() || !admission.isAllAdmitted()) {
        return PushSupplier.NONE;
      }
      int length = admission.nextReadyLengthBytes();
      if (length != PushSupplier.NONE || admission.isAllAdmitted()) {
        return length; // else others were submitted before it
      }
    }
  }

  /**
   * Writes one record of the next unsolicited push; or of what the application has ready as many as
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
    boolean isUnawaited = t.isUnawaited && t.deadlineNs == Transaction.NO_DEADLINE;
    int length = segmenter.writeUnsolicited(t, isUnawaited ? unawaitedFlag() : 0, to, index, limit);
    if (length > 0) {
      t.start();
      if (t.sentBytes == t.lengthBytes) {
        unsolicited.remove(t); // from inside copy another may have become ready, and the first
        if (t.isReceiptWanted) {
          awaitReceipt(t);
        }
        if (t.deadlineNs == Transaction.NO_DEADLINE) {
          transactions.compact(t);
        } else {
          t.finishSending();
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

  /** Records that the last {@link #writeUnsolicited} wrote, if it wrote anything. */
  int writtenCount() {
    return writtenCount;
  }

  /**
   * Whether something that was admitted, and is not granted, is not all sent. Pulls that wait for
   * room at our own door do not count.
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
    if (granted.contains(t)) { // it may have been cancelled from inside copy
      granted.onServed(t, length, t.lengthBytes - t.sentBytes);
    }
    if (t.sentBytes == t.lengthBytes) {
      granted.remove(t);
      leaveGrants(t);
      if (t.isReceiptWanted) {
        awaitReceipt(t);
      }
      t.finishSending();
      moveOn();
    } else if (segmenter.isSourceEmpty()) {
      if (granted.remove(t)) {
        notReady.addLast(t);
      }
    } else if (t.sentBytes == t.grantedBytes) {
      granted.remove(t);
    }
    return length;
  }

  /**
   * Whether pushes wait for the peer's grants, or pulls for this node's budget, and nothing is
   * granted that could leave.
   */
  boolean isAwaitingGrants() {
    return granted.isEmpty() && notReady.isEmpty() && (onGrants > 0 || !pulls.isEmpty());
  }

  private void leaveGrants(Transaction t) {
    if (t.isOnGrants) {
      t.isOnGrants = false;
      onGrants--;
    }
  }

  private void awaitReceipt(Transaction t) {
    receipts = receipts == null ? new Receipts(transactions) : receipts;
    receipts.onSent(t.rsn, packetPsn);
  }

  /** Null where no receipt was wanted. */
  Receipts receipts() {
    return receipts;
  }

  /**
   * The source of {@code handle} has more bytes; sources name theirs independently, so several
   * messages may be meant.
   */
  void ready(long handle) {
    Transaction following;
    for (Transaction t = notReady.peek(); t != null; t = following) {
      following = notReady.after(t);
      if (t.handle == handle) {
        notReady.remove(t);
        if (t.isSolicited) {
          granted.add(t, t.lengthBytes - t.sentBytes);
        } else {
          unsolicited.addInOrder(t);
        }
      }
    }
  }

  // ------------------------------------------------------------------ grants (Figure 8B)

  /** PUSH_GRANT: looked up by RSN, held against SSN order (blocks 852 to 864). */
  void onPushGrant(PushGrantFlyweight record) {
    Transaction t = transactions.findOwn(record.rsn());
    long offset = record.offset();
    long end = offset + record.grantLength();
    if (t == null
        || !t.isSolicited
        || t.ssn != record.ssn()
        || t.stage() == Stage.ADMITTED
        || end > t.lengthBytes) {
      counters.increment(CounterId.GRANTS_IGNORED);
      return;
    }
    if (t.stage() != Stage.STARTED || t.isCancelled) {
      counters.increment(CounterId.RECORDS_IGNORED);
      return;
    }
    counters.increment(CounterId.GRANTS_RECEIVED);
    if (!t.ranges.addMissing(offset, end)) {
      counters.increment(CounterId.GRANTS_IGNORED);
      return;
    }
    // Ranges may come in any order; sending follows the part without a gap.
    t.grantedBytes = t.ranges.prefix();
    if (t.grantedBytes == t.sentBytes || notReady.contains(t) || granted.contains(t)) {
      return;
    }
    if (!isOrdered || t.ssn == baseSsn) {
      granted.add(t, t.lengthBytes - t.sentBytes);
    } else if (!reorder.isRegistered(ReorderEngine.OWN_SSN, t)) {
      reorder.register(ReorderEngine.OWN_SSN, t.ssn, t);
    }
  }

  /**
   * The push at the base SSN needs nothing more: the next is looked up, and goes on if it was
   * granted (blocks 862 and 892).
   */
  private void moveOn() {
    while (isOrdered && granted.isEmpty()) {
      baseSsn++;
      Transaction t = reorder.take(ReorderEngine.OWN_SSN, baseSsn);
      if (t == null) {
        return;
      }
      if (t.isCancelled && t.stage() != Stage.ENDED) {
        return; // its turn passes with its end
      }
      if (t.stage() != Stage.ENDED) {
        granted.add(t, t.lengthBytes - t.sentBytes);
      }
    }
  }

  // ---- ends (Figure 10, blocks 1012 to 1018)

  /** COMPLETED: pushes below the base and those with a bit have succeeded. */
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

  /** All RSNs below {@code base} have ended at the peer. False when that cannot be. */
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

  /** False when the peer says so of what it cannot have. */
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
      transactions.end(t, Outcome.COMPLETED, 0, "");
    }
    return true;
  }

  /** COMPLETE_IN_ERROR: that is the end of it. */
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
    if (t.isRefused) {
      PullReceiver.endRefused(t, transactions); // as it was asked to
      return;
    }
    Outcome outcome =
        record.isOutcomeUnknown()
            ? Outcome.UNKNOWN
            : record.isFromTransport() ? Outcome.NOT_EXECUTED : Outcome.FAILED;
    String text = WireText.read(buffer, record.textOffset(), record.textLength());
    t.errorFlags = record.flags();
    transactions.end(t, outcome, record.code(), text);
  }

  /**
   * The application gave up a transaction of which something has left. Nothing more of a push is
   * sent, which the target cannot have whole then unless it has it all; a pull takes nothing more,
   * and what it held goes back. It ends by what the target says of it.
   */
  void onCancelled(Transaction t) {
    cancellations.cancel(t);
    leave(t);
    transactions.releaseSource(t);
    if (t.kind() == Kind.PULL) {
      t.isDiscarding = true;
      grants.onEnded(t);
    }
  }

  /**
   * The answer to an own pull is not taken: its target is asked to stop, and what was granted of it
   * goes back.
   */
  void onRefused(Transaction pull) {
    cancellations.cancel(pull);
    grants.onEnded(pull);
  }

  /**
   * The outcome of an own transaction is set: it leaves every queue, and its turn in SSN order
   * passes.
   */
  void onEnded(Transaction t) {
    cancellations.remove(t);
    leave(t);
    transactions.releaseSource(t);
    if (t.kind() == Kind.PULL) {
      if (t.outcome() != Outcome.COMPLETED) {
        t.isDiscarding = true;
        grants.onEnded(t);
      }
      if (pulls.isEmpty()) {
        grants.onNoPullWaiting();
      }
    } else if (isOrdered && t.isSolicited && t.ssn - baseSsn >= 0) {
      passSsn(t);
    }
  }

  /** Nothing more is sent of it. */
  private void leave(Transaction t) {
    leaveGrants(t);
    if (!notReady.remove(t) && !granted.remove(t)) {
      admission.remove(t);
    }
  }

  private void passSsn(Transaction t) {
    if (t.ssn == baseSsn) {
      // Marked before its successors are looked up, for the loop asks for the stage.
      moveOn();
    } else if (!reorder.isRegistered(ReorderEngine.OWN_SSN, t)) {
      reorder.register(ReorderEngine.OWN_SSN, t.ssn, t);
    }
  }

  /** An own transaction is handed up. */
  void onRetired(Transaction t) {
    if (t.kind() == Kind.PULL) {
      grants.onEnded(t);
    }
    reorder.forget(t);
  }
}
