package io.rtransport.core.solicitation;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.Outcome;
import io.rtransport.core.transaction.PayloadSink;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.transaction.TransactionQueue;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.wire.CompleteInErrorFlyweight;
import io.rtransport.core.wire.CompletedFlyweight;
import io.rtransport.core.wire.PullDataFlyweight;
import io.rtransport.core.wire.PullRequestFlyweight;
import io.rtransport.core.wire.PushGrantFlyweight;
import io.rtransport.core.wire.PushSolicitedRequestFlyweight;
import io.rtransport.core.wire.WireText;
import java.nio.ByteBuffer;

/**
 * This connection's side of the transactions that its own application began (patent, Figures 8A, 8B, 9 and 10): what is sent when,
 * and what the peer's grants, data and completions mean for them.
 *
 * <p>Submissions are <i>admitted</i> in RSN order: each is charged to the peer's credit, gets its way (solicited or not) and its SSN,
 * and goes to the queue of its window. Because credit is charged in RSN order, the lowest undelivered RSN can always be sent. After that the
 * queues go on independently: requests, pulls that wait for a reservation, unsolicited data, granted data in SSN order.
 *
 * <p>A source that is not ready takes its message out of its queue until {@link #ready}; nothing else waits for it, except what order
 * demands.
 */
final class Initiator {
  private static final ByteBuffer NO_HEADER = ByteBuffer.allocate(0);

  private final TransactionSublayer transactions;
  private final Credit credit;
  private final SolicitationPolicy policy;
  private final GrantScheduler grants;
  private final ReorderEngine reorder;
  private final Reassembler reassembler;
  private final Segmenter segmenter;
  private final PathView path;
  private final Counters counters;
  private final Failure failure;

  private final TransactionQueue solicited = new TransactionQueue(Transaction.STREAM);
  private final TransactionQueue pulls = new TransactionQueue(Transaction.STREAM);
  private final TransactionQueue unsolicited = new TransactionQueue(Transaction.STREAM);
  private final TransactionQueue notReady = new TransactionQueue(Transaction.STREAM);
  private final PushSolicitedRequestFlyweight pushRequest = new PushSolicitedRequestFlyweight();
  private final PullRequestFlyweight pullRequest = new PullRequestFlyweight();

  private int nextSsn;
  private int baseSsn;
  private Transaction granted;
  private int completedBase;

  Initiator(
      SolicitationConfig config,
      TransactionSublayer transactions,
      GrantScheduler grants,
      ReorderEngine reorder,
      Reassembler reassembler,
      Segmenter segmenter,
      PathView path,
      Counters counters,
      Failure failure) {
    this.transactions = transactions;
    this.grants = grants;
    this.reorder = reorder;
    this.reassembler = reassembler;
    this.segmenter = segmenter;
    this.path = path;
    this.counters = counters;
    this.failure = failure;
    credit = new Credit(config.txInitialCreditBytes());
    policy = new SolicitationPolicy(config.solicitThresholdBytes(), config.txInitialCreditBytes());
    nextSsn = config.firstOwnSsn();
    baseSsn = nextSsn;
    completedBase = config.firstOwnRsn();
  }

  Credit credit() {
    return credit;
  }

  // ------------------------------------------------------------------ admission (Figure 8A, blocks
  // 802 to 806)

  /** Admits submissions in RSN order until {@code wanted} has one, or credit or submissions run out. */
  private void admitFor(TransactionQueue wanted, TransactionQueue orWanted) {
    Transaction next = transactions.submitted().peek();
    while (next != null && wanted.isEmpty() && (orWanted == null || orWanted.isEmpty())) {
      boolean isPush = next.kind == Kind.PUSH;
      boolean asks =
          isPush && policy.isSolicited(next.lengthBytes, next.headerLength, path.isCongested());
      boolean wasStalled = credit.isStalled();
      if (!credit.charge(
          isPush && !asks
              ? Credit.costBytes(next.lengthBytes, next.headerLength)
              : next.headerLength)) {
        if (!wasStalled) {
          counters.increment(CounterId.CREDIT_STALLS);
        }
        return;
      }
      transactions.submitted().poll();
      next.stage = Stage.ADMITTED;
      if (asks) {
        next.isSolicited = true;
        next.ssn = nextSsn++;
        solicited.addLast(next);
      } else {
        (isPush ? unsolicited : pulls).addLast(next);
      }
      next = transactions.submitted().peek();
    }
  }

  /** Whether the next submission waits for credit and nothing has come since. */
  boolean isCreditStalled() {
    return credit.isStalled() && !transactions.submitted().isEmpty();
  }

  // ------------------------------------------------------------------ request window

  boolean hasRequests() {
    admitFor(solicited, pulls);
    return !solicited.isEmpty() || (!pulls.isEmpty() && isReserved(pulls.peek()));
  }

  private boolean isReserved(Transaction pull) {
    return pull.grantedBytes > 0 || pull.lengthBytes == 0 || grants.reservePull(pull);
  }

  /** Writes one request; answers its length, 0 when there is none or it does not fit. */
  int writeRequest(ByteBuffer to, int index, int limit) {
    if (!hasRequests()) {
      return 0;
    }
    Transaction push = solicited.peek();
    Transaction pull = pulls.isEmpty() || !isReserved(pulls.peek()) ? null : pulls.peek();
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
      t.stage = Stage.SENT;
    } else {
      solicited.poll();
      pushRequest.wrapNew(to, index).rsn(t.rsn).ssn(t.ssn).messageLength(t.lengthBytes);
      pushRequest.headerLength(t.headerLength);
      to.put(pushRequest.headerOffset(), t.header(), 0, t.headerLength);
      t.stage = Stage.STARTED;
      counters.increment(CounterId.REQUESTS_SOLICITED);
    }
    return length;
  }

  // ------------------------------------------------------------------ data window

  boolean hasUnsolicited() {
    admitFor(unsolicited, null);
    return !unsolicited.isEmpty();
  }

  /** Writes one record of the next unsolicited push. */
  int writeUnsolicited(ByteBuffer to, int index, int limit) {
    if (!hasUnsolicited()) {
      return 0;
    }
    Transaction t = unsolicited.peek();
    int length = segmenter.writeUnsolicited(t, to, index, limit);
    if (length > 0) {
      t.stage = Stage.STARTED;
      if (t.sentBytes == t.lengthBytes) {
        unsolicited.poll();
        onAllSent(t);
        return length;
      }
    }
    parkIfNotReady(t, unsolicited);
    return length;
  }

  boolean hasGranted() {
    return granted != null;
  }

  /** Writes one record of the granted push whose turn it is (Figure 8B, block 860). */
  int writeGranted(ByteBuffer to, int index, int limit) {
    Transaction t = granted;
    if (t == null) {
      return 0;
    }
    int length = segmenter.writeSolicited(t, to, index, limit);
    if (t.sentBytes == t.lengthBytes) {
      onAllSent(t);
      moveOn();
    } else if (segmenter.isSourceEmpty()) {
      notReady.addLast(t);
      granted = null;
    } else if (t.sentBytes == t.grantedBytes) {
      granted = null;
    }
    return length;
  }

  private void parkIfNotReady(Transaction t, TransactionQueue queue) {
    if (segmenter.isSourceEmpty()) {
      queue.remove(t);
      notReady.addLast(t);
    }
  }

  private static void onAllSent(Transaction t) {
    t.stage = Stage.SENT;
    t.releaseSource();
  }

  /** The source of {@code handle} has more bytes. */
  void ready(long handle) {
    for (Transaction t = notReady.peek(); t != null; t = notReady.after(t)) {
      if (t.handle == handle) {
        notReady.remove(t);
        if (t.isSolicited) {
          granted = t;
        } else {
          unsolicited.addInOrder(t);
        }
        return;
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
        || t.stage == Stage.ADMITTED
        || end > t.lengthBytes) {
      counters.increment(CounterId.GRANTS_IGNORED);
      return;
    }
    if (t.stage != Stage.STARTED) {
      counters.increment(CounterId.RECORDS_IGNORED);
      return;
    }
    counters.increment(CounterId.GRANTS_RECEIVED);
    if (!addRange(t, offset, end)) {
      return;
    }
    if (t.grantedBytes == t.sentBytes || notReady.contains(t)) {
      return;
    }
    if (t.ssn == baseSsn) {
      granted = t;
    } else if (!reorder.isRegistered(ReorderEngine.OWN_SSN, t)) {
      reorder.register(ReorderEngine.OWN_SSN, t.ssn, t);
    }
  }

  /** Ranges may come in any order; sending follows the part without a gap. */
  private boolean addRange(Transaction t, long offset, long end) {
    long from = t.ranges.firstMissing(offset, end);
    while (from < end) {
      long to = t.ranges.missingEnd(from, end);
      if (!t.ranges.add(from, to)) {
        counters.increment(CounterId.GRANTS_IGNORED);
        return false;
      }
      from = t.ranges.firstMissing(to, end);
    }
    t.grantedBytes = t.ranges.prefix();
    return true;
  }

  /** The push at the base SSN needs nothing more: the next is looked up, and goes on if it was granted (blocks 862 and 892). */
  private void moveOn() {
    granted = null;
    while (granted == null) {
      baseSsn++;
      Transaction t = reorder.take(ReorderEngine.OWN_SSN, baseSsn);
      if (t == null) {
        return;
      }
      if (t.stage != Stage.ENDED) {
        granted = t;
      }
    }
  }

  // ------------------------------------------------------------------ answers to pulls (Figure 9)

  void onPullData(PullDataFlyweight record, ByteBuffer buffer, long lease, long nowNs) {
    Transaction t = transactions.findOwn(record.rsn());
    if (t == null || t.stage == Stage.ENDED) {
      if (t == null && record.rsn() - transactions.lowestUnended() >= 0) {
        failure.fail("PULL_DATA for RSN " + record.rsn() + ", which never began");
      } else {
        counters.increment(CounterId.RECORDS_IGNORED);
      }
      return;
    }
    long total = record.total();
    int length = record.payloadLength();
    long end = record.offset() + length;
    boolean isNew = t.answerLengthBytes < 0;
    if (t.kind != Kind.PULL || t.stage != Stage.SENT) {
      failure.fail("PULL_DATA for " + t);
      return;
    }
    if (isNew ? total > t.lengthBytes : total != t.answerLengthBytes) {
      failure.fail("PULL_DATA total=" + total + " for " + t);
      return;
    }
    if (end > Math.min(total, t.grantedBytes)) {
      failure.fail(
          "PULL_DATA end=" + end + " beyond granted=" + t.grantedBytes + " of total=" + total);
      return;
    }
    if (isNew) {
      open(t, total);
    }
    counters.add(CounterId.MESSAGE_BYTES_RECEIVED, length);
    long taken = t.takenBytes;
    grants.onArrived(t, Reassembler.countNew(t, record.offset(), length), nowNs);
    boolean isAccepted =
        reassembler.accept(t, record.offset(), length, buffer, record.payloadOffset(), lease);
    if (!isAccepted) {
      failure.fail("too many pieces of " + t);
    }
    if (transactions.isEnded() || !isAccepted) {
      return;
    }
    if (t.takenBytes > taken) {
      grants.onTaken(t, t.takenBytes - taken);
    }
    if (t.ranges.bytes() == total) {
      boolean isWanted = !t.isDiscarding;
      transactions.end(
          t,
          isWanted ? Outcome.COMPLETED : Outcome.FAILED,
          t.code,
          isWanted ? "" : "refused by this side's sink");
    }
  }

  private void open(Transaction t, long total) {
    t.answerLengthBytes = total;
    long handle = t.sink.open(Integer.toUnsignedLong(t.rsn), total, NO_HEADER, 0, 0);
    if (transactions.isEnded()) {
      return;
    }
    if (handle >= 0) {
      t.isOpen = true;
      t.handle = handle;
      // Kept whole, and more than the budget could ever hold: its bytes are let pass by.
      t.isDiscarding = t.sink.isKeptWhole(handle) && !grants.isPossible(total);
    } else {
      // It asked for the answer and does not take it: the bytes have room in the reservation, and
      // nowhere to go.
      t.isDiscarding = true;
      t.code = PayloadSink.isRefusal(handle) ? PayloadSink.refusalCode(handle) : 0;
    }
    grants.onAnswerLength(t);
  }

  /** The sink of a pull took bytes that it had left. */
  void taken(int rsn, long bytes) {
    Transaction t = transactions.findOwn(rsn);
    if (t != null && t.kind == Kind.PULL && !t.isDiscarding) {
      long now = Math.min(bytes, t.ranges.bytes() - t.takenBytes);
      t.takenBytes += now;
      grants.onTaken(t, now);
    }
  }

  // ------------------------------------------------------------------ ends (Figure 10, blocks 1012
  // to 1018)

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
    Transaction t = transactions.findOwn(rsn);
    if (t == null || t.stage == Stage.ENDED) {
      return rsn - transactions.nextRsn() < 0;
    }
    if (t.stage != Stage.SENT) {
      return false;
    }
    if (t.kind == Kind.PUSH) {
      transactions.end(t, Outcome.COMPLETED, 0, "");
    }
    return true;
  }

  /** COMPLETE_IN_ERROR: that is the end of it. */
  void onCompleteInError(CompleteInErrorFlyweight record, ByteBuffer buffer) {
    Transaction t = transactions.findOwn(record.rsn());
    if (t == null || t.stage == Stage.ENDED) {
      counters.increment(CounterId.RECORDS_IGNORED);
      return;
    }
    if (t.stage != Stage.STARTED && t.stage != Stage.SENT) {
      counters.increment(CounterId.COMPLETED_IGNORED);
      return;
    }
    Outcome outcome =
        record.isOutcomeUnknown()
            ? Outcome.UNKNOWN
            : record.isFromTransport() ? Outcome.NOT_EXECUTED : Outcome.FAILED;
    String text = WireText.read(buffer, record.textOffset(), record.textLength());
    transactions.end(t, outcome, record.code(), text);
  }

  /** The outcome of an own transaction is set: it leaves every queue, and its turn in SSN order passes. */
  void onEnded(Transaction t) {
    TransactionQueue.leave(t, Transaction.STREAM);
    t.releaseSource();
    if (t.kind == Kind.PULL) {
      if (t.outcome != Outcome.COMPLETED) {
        t.isDiscarding = true;
        grants.onEnded(t);
      }
      if (pulls.isEmpty()) {
        grants.onNoPullWaiting();
      }
    } else if (t.isSolicited && t.ssn - baseSsn >= 0) {
      passSsn(t);
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
    if (t.kind == Kind.PULL) {
      grants.onEnded(t);
    }
    reorder.forget(t);
    if (granted == t) {
      granted = null;
    }
  }

  /** Whether nothing of any own transaction waits to be sent. */
  boolean isIdle() {
    return transactions.submitted().isEmpty()
        && solicited.isEmpty()
        && pulls.isEmpty()
        && unsolicited.isEmpty()
        && notReady.isEmpty()
        && granted == null;
  }
}
