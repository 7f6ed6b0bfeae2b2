package io.rtransport.core.solicitation;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.transaction.PayloadSink;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.transaction.TransactionQueue;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.wire.CompleteInErrorFlyweight;
import io.rtransport.core.wire.PullGrantFlyweight;
import io.rtransport.core.wire.PullRequestFlyweight;
import io.rtransport.core.wire.PushSolicitedDataFlyweight;
import io.rtransport.core.wire.PushSolicitedRequestFlyweight;
import io.rtransport.core.wire.PushUnsolicitedDataFlyweight;
import java.nio.ByteBuffer;

/**
 * This connection's side of the transactions that the peer began (patent, Figures 11 and 12): admits its records, puts messages
 * together, and lets them through in RSN order; opens solicited pushes in SSN order and hands them to the {@link GrantScheduler}; sends the
 * answers to its pulls.
 *
 * <p>A push that is whole in one record at its turn goes straight to the sink and the application: open, write, deliver; if it is
 * acknowledged within the call it never had an entry anywhere. All others have a {@link Transaction} from their first record on. One that is
 * ready before its turn is registered in the reorder engine; when the turn moves on the next RSN is looked up there.
 */
final class Target {
  /** CloseCode.CLOSING and CloseCode.REFUSED_BY_SINK. */
  static final int CODE_CLOSING = 8;

  static final int CODE_TOO_LARGE = 13;

  private final TransactionSublayer transactions;
  private final PayloadSink sink;
  private final CreditAllowance credit;
  private final GrantScheduler grants;
  private final ReorderEngine reorder;
  private final Reassembler reassembler;
  private final Segmenter segmenter;
  private final RsnWindow window;
  private final CompletionTracker completions;
  private final Counters counters;
  private final Failure failure;
  private final int outstandingMax;
  private final long lengthMax;
  private final TransactionQueue answering = new TransactionQueue(Transaction.STREAM);
  private final TransactionQueue notReady = new TransactionQueue(Transaction.STREAM);
  private final TransactionQueue retries = new TransactionQueue(Transaction.GRANT);

  private int nextRsn;
  private int nextSsn;
  private Transaction later;
  private boolean isOrderDue;
  private boolean isRefusing;
  private boolean hasFinal;
  private int finalRsn;
  private int highestRsn;

  Target(
      SolicitationConfig config,
      TransactionSublayer transactions,
      CreditAllowance credit,
      GrantScheduler grants,
      ReorderEngine reorder,
      Reassembler reassembler,
      Segmenter segmenter,
      Counters counters,
      Failure failure) {
    this.transactions = transactions;
    this.credit = credit;
    this.grants = grants;
    this.reorder = reorder;
    this.reassembler = reassembler;
    this.segmenter = segmenter;
    this.counters = counters;
    this.failure = failure;
    sink = transactions.sink();
    outstandingMax = config.outstandingMax();
    lengthMax = config.rxMessageLengthMax();
    nextRsn = config.firstPeerRsn();
    nextSsn = config.firstPeerSsn();
    highestRsn = nextRsn - 1;
    window = new RsnWindow(nextRsn);
    completions = new CompletionTracker(window, transactions.peers(), credit, this::onReported);
  }

  CompletionTracker completions() {
    return completions;
  }

  RsnWindow window() {
    return window;
  }

  // ------------------------------------------------------------------ unsolicited pushes (Figure
  // 12)

  void onUnsolicited(PushUnsolicitedDataFlyweight record, ByteBuffer buffer, long lease) {
    int rsn = record.rsn();
    Transaction t = transactions.peers().find(rsn);
    if (t == null) {
      if (!isAcceptable(rsn)) {
        return;
      }
      if (rsn == nextRsn && record.isWhole() && !isRefusing) {
        passThrough(record, buffer, lease);
        return;
      }
      t = beginUnsolicited(rsn, record.total());
      if (t == null) {
        return;
      }
    } else if (t.kind != Kind.PUSH || t.isSolicited || t.lengthBytes != record.total()) {
      failure.fail("PUSH_UNSOLICITED_DATA total=" + record.total() + " for " + t);
      return;
    }
    onPiece(t, record, buffer, lease);
  }

  /** A whole message at its turn: open, write, deliver, and nothing is left behind. */
  private void passThrough(PushUnsolicitedDataFlyweight record, ByteBuffer buffer, long lease) {
    int rsn = record.rsn();
    int length = record.payloadLength();
    int headerLength = record.headerLength();
    long cost = Credit.costBytes(length, headerLength);
    if (!charge(cost)) {
      return;
    }
    counters.add(CounterId.MESSAGE_BYTES_RECEIVED, length);
    int payloadOffset = record.payloadOffset();
    int headerOffset = record.headerOffset();
    long handle =
        sink.open(Integer.toUnsignedLong(rsn), length, buffer, headerOffset, headerLength);
    if (transactions.isEnded()) {
      return;
    }
    if (handle < 0) {
      Transaction t = transactions.beginPeer(rsn, Kind.PUSH, length);
      t.creditBytes = cost;
      t.header(buffer, headerOffset, headerLength);
      onOpenAnswer(t, handle);
      if (t.stage == Stage.ARRIVING) {
        reassembler.accept(t, 0, length, buffer, payloadOffset, lease);
      }
      return;
    }
    int taken = length == 0 ? 0 : sink.write(handle, 0, buffer, payloadOffset, length, lease);
    if (transactions.isEnded()) {
      return;
    }
    if (taken < length) {
      deliverUntaken(rsn, length, handle, taken, cost);
      return;
    }
    credit.giveBack(cost);
    nextRsn = rsn + 1;
    boolean isAcknowledged = transactions.deliverPassing(rsn, handle);
    if (transactions.isEnded()) {
      return;
    }
    if (isAcknowledged && rsn == window.base()) {
      completions.onCompletedAtBase(rsn);
    } else {
      Transaction t = transactions.passed(length);
      if (isAcknowledged) {
        completions.onCompleted(t);
      }
    }
    deliverFollowing();
  }

  /** The sink has not taken all: the message is delivered, and stays a transaction until the rest is taken. */
  private void deliverUntaken(int rsn, int length, long handle, int taken, long cost) {
    Transaction t = transactions.beginPeer(rsn, Kind.PUSH, length);
    t.creditBytes = cost;
    t.isHeaderKnown = true;
    t.isOpen = true;
    t.handle = handle;
    t.takenBytes = taken;
    if (length > 0) {
      t.ranges.add(0, length);
    }
    onWhole(t);
  }

  private Transaction beginUnsolicited(int rsn, long total) {
    if (!charge(Credit.costBytes(total, 0))) {
      return null;
    }
    Transaction t = transactions.beginPeer(rsn, Kind.PUSH, total);
    t.creditBytes = Credit.costBytes(total, 0);
    if (isRefusing) {
      refuseClosing(t);
    }
    return t;
  }

  private void onPiece(
      Transaction t, PushUnsolicitedDataFlyweight record, ByteBuffer buffer, long lease) {
    long offset = record.offset();
    int length = record.payloadLength();
    if (offset + length > t.lengthBytes) {
      failure.fail("PUSH_UNSOLICITED_DATA end=" + (offset + length) + " for " + t);
      return;
    }
    if (offset == 0
        && !t.isHeaderKnown
        && !onHeader(t, buffer, record.headerOffset(), record.headerLength())) {
      return;
    }
    if (t.stage != Stage.ARRIVING) {
      counters.increment(CounterId.RECORDS_IGNORED);
      return;
    }
    counters.add(CounterId.MESSAGE_BYTES_RECEIVED, length);
    if (!reassembler.accept(t, offset, length, buffer, record.payloadOffset(), lease)) {
      failure.fail("too many pieces of " + t);
    } else if (!transactions.isEnded()) {
      onWhole(t);
    }
  }

  /** The first piece brought the header: the message can be opened. */
  private boolean onHeader(Transaction t, ByteBuffer buffer, int index, int length) {
    if (!charge(length)) {
      return false;
    }
    t.isHeaderKnown = true;
    if (t.stage != Stage.ARRIVING) {
      credit.giveBack(length);
      return true;
    }
    t.creditBytes += length;
    long handle = sink.open(Integer.toUnsignedLong(t.rsn), t.lengthBytes, buffer, index, length);
    if (transactions.isEnded()) {
      return false;
    }
    if (handle == PayloadSink.LATER) {
      t.header(buffer, index, length);
    }
    onOpenAnswer(t, handle);
    return true;
  }

  // ------------------------------------------------------------------ solicited pushes (Figure 11)

  void onSolicitedRequest(PushSolicitedRequestFlyweight record, ByteBuffer buffer) {
    int rsn = record.rsn();
    int ssn = record.ssn();
    Transaction t = transactions.peers().find(rsn);
    if (t != null || !isAcceptable(rsn)) {
      if (t != null
          && !(t.isSolicited && t.ssn == ssn && t.lengthBytes == record.messageLength())) {
        failure.fail("PUSH_SOLICITED_REQUEST ssn=" + ssn + " for " + t);
      }
      counters.increment(CounterId.RECORDS_IGNORED);
      return;
    }
    if (ssn - nextSsn < 0
        || ssn - nextSsn >= outstandingMax
        || reorder.find(ReorderEngine.PEER_SSN, ssn) != null
        || (later != null && later.ssn == ssn)) {
      failure.fail(
          "PUSH_SOLICITED_REQUEST ssn=" + ssn + " must be a new one from " + nextSsn + " on");
      return;
    }
    if (record.messageLength() > lengthMax) {
      failure.fail(
          "PUSH_SOLICITED_REQUEST length=" + record.messageLength() + " must be 0.." + lengthMax);
      return;
    }
    if (!charge(record.headerLength())) {
      return;
    }
    t = transactions.beginPeer(rsn, Kind.PUSH, record.messageLength());
    t.isSolicited = true;
    t.ssn = ssn;
    t.creditBytes = record.headerLength();
    t.header(buffer, record.headerOffset(), record.headerLength());
    if (isRefusing) {
      refuseClosing(t);
    }
    if (ssn != nextSsn || later != null) {
      reorder.register(ReorderEngine.PEER_SSN, ssn, t);
      return;
    }
    openInOrder(t);
  }

  /** Opens the solicited pushes whose turn it is: {@code t} at the expected SSN, then those that are registered after it. */
  private void openInOrder(Transaction t) {
    Transaction next = t;
    while (next != null) {
      if (next.stage == Stage.ARRIVING) {
        long handle =
            sink.open(
                Integer.toUnsignedLong(next.rsn),
                next.lengthBytes,
                next.header(),
                0,
                next.headerLength);
        if (transactions.isEnded()) {
          return;
        }
        onOpenAnswer(next, handle);
        if (next.isLater) {
          // What comes after it in SSN order waits with it.
          later = next;
          return;
        }
      }
      nextSsn++;
      next = reorder.take(ReorderEngine.PEER_SSN, nextSsn);
    }
  }

  void onSolicitedData(
      PushSolicitedDataFlyweight record, ByteBuffer buffer, long lease, long nowNs) {
    Transaction t = transactions.peers().find(record.rsn());
    if (t == null && window.isEnded(record.rsn()) || t != null && t.stage != Stage.ARRIVING) {
      counters.increment(CounterId.RECORDS_IGNORED);
      return;
    }
    long offset = record.offset();
    int length = record.payloadLength();
    if (t == null || !t.isSolicited || offset + length > t.grantedBytes) {
      failure.fail(
          "PUSH_SOLICITED_DATA "
              + offset
              + "+"
              + length
              + " was not granted for RSN "
              + record.rsn());
      return;
    }
    counters.add(CounterId.MESSAGE_BYTES_RECEIVED, length);
    long taken = t.takenBytes;
    grants.onArrived(t, Reassembler.countNew(t, offset, length), nowNs);
    if (!reassembler.accept(t, offset, length, buffer, record.payloadOffset(), lease)) {
      failure.fail("too many pieces of " + t);
      return;
    }
    if (transactions.isEnded() || t.stage != Stage.ARRIVING) {
      return;
    }
    if (t.takenBytes > taken) {
      grants.onTaken(t, t.takenBytes - taken);
    }
    onWhole(t);
  }

  // ------------------------------------------------------------------ pulls (Figure 12)

  void onPullRequest(PullRequestFlyweight record, ByteBuffer buffer) {
    int rsn = record.rsn();
    Transaction t = transactions.peers().find(rsn);
    if (t != null || !isAcceptable(rsn)) {
      if (t != null && (t.kind != Kind.PULL || t.lengthBytes != record.maxLength())) {
        failure.fail("PULL_REQUEST maxLength=" + record.maxLength() + " for " + t);
      }
      counters.increment(CounterId.RECORDS_IGNORED);
      return;
    }
    if (record.grantedBytes() > record.maxLength()) {
      failure.fail(
          "PULL_REQUEST granted=" + record.grantedBytes() + " must be 0.." + record.maxLength());
      return;
    }
    if (!charge(record.headerLength())) {
      return;
    }
    t = transactions.beginPeer(rsn, Kind.PULL, record.maxLength());
    t.creditBytes = record.headerLength();
    t.header(buffer, record.headerOffset(), record.headerLength());
    if (record.grantedBytes() > 0) {
      t.ranges.add(0, record.grantedBytes());
    }
    t.grantedBytes = record.grantedBytes();
    if (isRefusing) {
      refuseClosing(t);
    } else {
      t.stage = Stage.READY;
      onReady(t);
    }
  }

  void onPullGrant(PullGrantFlyweight record) {
    Transaction t = transactions.peers().find(record.rsn());
    long offset = record.offset();
    long end = offset + record.grantLength();
    if (t == null || t.kind != Kind.PULL || end > t.lengthBytes) {
      counters.increment(t == null ? CounterId.RECORDS_IGNORED : CounterId.GRANTS_IGNORED);
      return;
    }
    counters.increment(CounterId.GRANTS_RECEIVED);
    long from = t.ranges.firstMissing(offset, end);
    while (from < end && t.ranges.add(from, t.ranges.missingEnd(from, end))) {
      from = t.ranges.firstMissing(from, end);
    }
    t.grantedBytes = t.ranges.prefix();
    answer(t);
  }

  /** The application has an answer, its source has more of it, or the puller allows more. */
  void answer(Transaction t) {
    if (canSend(t) && !notReady.contains(t) && !answering.contains(t)) {
      answering.addLast(t);
    }
  }

  /** Whether the puller allows another record: an empty answer is one record too. */
  private static boolean canSend(Transaction t) {
    return t.source != null
        && (t.answerLengthBytes == 0
            || t.sentBytes < Math.min(t.grantedBytes, t.answerLengthBytes));
  }

  /** The source of {@code handle} has more bytes. */
  void ready(long handle) {
    for (Transaction t = notReady.peek(); t != null; t = notReady.after(t)) {
      if (t.handle == handle) {
        notReady.remove(t);
        answer(t);
        return;
      }
    }
  }

  boolean hasAnswers() {
    return !answering.isEmpty();
  }

  /** Writes one record of the first answer. */
  int writeAnswer(ByteBuffer to, int index, int limit) {
    Transaction t = answering.peek();
    if (t == null) {
      return 0;
    }
    int length = segmenter.writeAnswer(t, to, index, limit);
    if (length > 0 && t.sentBytes == t.answerLengthBytes) {
      answering.remove(t);
      t.releaseSource();
      retireIfOver(t);
    } else if (segmenter.isSourceEmpty()) {
      answering.remove(t);
      notReady.addLast(t);
    } else if (!canSend(t)) {
      answering.remove(t);
    }
    return length;
  }

  // ------------------------------------------------------------------ acceptance

  private boolean charge(long cost) {
    if (credit.charge(cost)) {
      return true;
    }
    failure.fail("credit overrun: " + credit.usedBytes() + " B charged and not returned");
    return false;
  }

  /** Whether an RSN that has no state here may begin a transaction. */
  private boolean isAcceptable(int rsn) {
    if (window.isEnded(rsn) || rsn - nextRsn < 0) {
      counters.increment(CounterId.RECORDS_IGNORED);
      return false;
    }
    if (!window.isInSpan(rsn)) {
      failure.fail("RSN " + rsn + " is beyond the span from " + window.base());
      return false;
    }
    if (hasFinal && rsn - finalRsn >= 0) {
      failure.fail("RSN " + rsn + " at or beyond the final " + finalRsn);
      return false;
    }
    // Of a failure that is on its way the peer may have heard already.
    if (transactions.peers().size() - completions.failedInFlight() >= outstandingMax) {
      failure.fail("more than " + outstandingMax + " transactions unended");
      return false;
    }
    if (rsn - highestRsn > 0) {
      highestRsn = rsn;
    }
    return true;
  }

  private void onOpenAnswer(Transaction t, long handle) {
    t.isLater = handle == PayloadSink.LATER;
    if (t.isLater) {
      return;
    }
    if (PayloadSink.isRefusal(handle)) {
      t.code = PayloadSink.refusalCode(handle);
      fail(t);
      return;
    }
    t.isOpen = true;
    t.handle = handle;
    if (!t.isSolicited) {
      reassembler.onOpened(t);
    } else if (sink.isKeptWhole(handle) && !grants.isPossible(t.lengthBytes)) {
      failByTransport(t, CODE_TOO_LARGE, "larger than this node can keep whole");
      sink.deliver(handle, false);
    } else if (t.lengthBytes > 0) {
      grants.addPush(t);
    } else {
      onWhole(t);
    }
  }

  /** The application asks for a message again that it had put off. It is asked in {@link #settle}. */
  void retryOpen(int rsn) {
    Transaction t = transactions.peers().find(rsn);
    if (t != null && t.isLater && t.stage == Stage.ARRIVING && !retries.contains(t)) {
      retries.addLast(t);
    }
  }

  /** Whether verbs of the application left something that only an upcall can go on with. */
  boolean isSettleDue() {
    return isOrderDue || !retries.isEmpty();
  }

  /** Goes on with that. */
  void settle() {
    for (int i = retries.size(); i > 0 && !transactions.isEnded() && !retries.isEmpty(); i--) {
      Transaction t = retries.poll();
      t.isLater = false;
      if (t == later) {
        later = null;
        openInOrder(t);
      } else {
        retryUnsolicited(t);
      }
    }
    if (isOrderDue && !transactions.isEnded()) {
      isOrderDue = false;
      if (later != null && later.hasFailed) {
        Transaction t = later;
        later = null;
        openInOrder(t);
      }
      deliverFollowing();
    }
  }

  private void retryUnsolicited(Transaction t) {
    long handle =
        sink.open(Integer.toUnsignedLong(t.rsn), t.lengthBytes, t.header(), 0, t.headerLength);
    if (transactions.isEnded()) {
      return;
    }
    onOpenAnswer(t, handle);
    if (!transactions.isEnded()) {
      onWhole(t);
    }
  }

  // ------------------------------------------------------------------ RSN order

  private void onWhole(Transaction t) {
    if (t.stage == Stage.ARRIVING && t.isOpen && t.ranges.bytes() == t.lengthBytes) {
      t.stage = Stage.READY;
      onReady(t);
    }
  }

  /** Ready, or failed: goes on at its turn. */
  private void onReady(Transaction t) {
    if (t.rsn == nextRsn) {
      pass(t);
      deliverFollowing();
    } else {
      reorder.register(ReorderEngine.PEER_RSN, t.rsn, t);
    }
  }

  private void deliverFollowing() {
    while (!transactions.isEnded()) {
      Transaction t = reorder.take(ReorderEngine.PEER_RSN, nextRsn);
      if (t == null) {
        return;
      }
      pass(t);
    }
  }

  private void pass(Transaction t) {
    nextRsn++;
    t.isTurnPassed = true;
    if (t.stage == Stage.READY) {
      if (!t.isSolicited) {
        giveBackTaken(t);
      } else {
        giveBack(t, t.creditBytes);
      }
      transactions.deliver(t);
    } else {
      retireIfOver(t);
    }
  }

  // ------------------------------------------------------------------ credit and budget

  /** Of an unsolicited message or a pull request at its turn: all that it cost but what the sink has not taken. */
  private void giveBackTaken(Transaction t) {
    long untaken = t.kind == Kind.PULL ? 0 : t.ranges.bytes() - t.takenBytes;
    giveBack(t, t.creditBytes - untaken);
  }

  private void giveBack(Transaction t, long bytes) {
    t.creditBytes -= bytes;
    credit.giveBack(bytes);
  }

  /** The sink took bytes that it had left. */
  void taken(int rsn, long bytes) {
    Transaction t = transactions.peers().find(rsn);
    if (t == null || t.kind != Kind.PUSH || t.isDiscarding) {
      return;
    }
    long now = Math.min(bytes, t.ranges.bytes() - t.takenBytes);
    t.takenBytes += now;
    if (t.isSolicited) {
      grants.onTaken(t, now);
    } else if (t.isTurnPassed) {
      giveBack(t, Math.min(now, t.creditBytes));
    }
  }

  /** It takes no more bytes: all that it holds goes back. */
  private void letGo(Transaction t) {
    reassembler.discard(t);
    if (t.isSolicited) {
      grants.onEnded(t);
    }
    TransactionQueue.leave(t, Transaction.GRANT);
    giveBack(t, t.creditBytes);
  }

  // ------------------------------------------------------------------ ends

  void onAcknowledged(Transaction t) {
    letGo(t);
    completions.onCompleted(t);
  }

  /** Code, text and flags are set. */
  void onFailed(Transaction t) {
    TransactionQueue.leave(t, Transaction.STREAM);
    fail(t);
  }

  private void failByTransport(Transaction t, int code, String text) {
    t.code = code;
    t.text = text;
    t.errorFlags = CompleteInErrorFlyweight.FLAG_TRANSPORT;
    fail(t);
  }

  private void refuseClosing(Transaction t) {
    failByTransport(t, CODE_CLOSING, "closing");
  }

  /** Never calls up: the application may be the caller. Its turn passes in {@link #settle}. */
  private void fail(Transaction t) {
    t.hasFailed = true;
    t.isOpen = false;
    t.isLater = false;
    letGo(t);
    t.releaseSource();
    completions.onFailed(t);
    if (!t.isTurnPassed && !reorder.isRegistered(ReorderEngine.PEER_RSN, t)) {
      reorder.register(ReorderEngine.PEER_RSN, t.rsn, t);
    }
    isOrderDue = true;
  }

  /** Its end is known to the peer, or cannot be lost on its way there. */
  private void onReported(Transaction t) {
    retireIfOver(t);
  }

  private void retireIfOver(Transaction t) {
    if (t.stage == Stage.REPORTED
        && t.isTurnPassed
        && t.source == null
        && (t.kind == Kind.PUSH || t.answerLengthBytes >= 0 || t.hasFailed)) {
      reorder.forget(t);
      transactions.retirePeer(t);
    }
  }

  // ------------------------------------------------------------------ FIN and the end

  /** New transactions of the peer are refused from now on. */
  void refuseNew() {
    isRefusing = true;
  }

  void onFin(int rsn) {
    boolean isValid =
        hasFinal
            ? rsn == finalRsn
            : rsn - highestRsn > 0
                && rsn - window.base() >= 0
                && rsn - window.base() <= Limits.RSN_SPAN_MAX;
    if (!isValid) {
      failure.fail("FIN final RSN " + rsn + " does not fit highest " + highestRsn);
      return;
    }
    hasFinal = true;
    finalRsn = rsn;
  }

  /** Whether the peer said that it begins nothing more. */
  boolean hasFinal() {
    return hasFinal;
  }

  /** Whether, besides, all that it began has been handed to the application. */
  boolean isAllDelivered() {
    return nextRsn == finalRsn;
  }

  /** Whether, besides, all that it began has ended and been answered. */
  boolean isFinished() {
    return hasFinal
        && window.base() == finalRsn
        && completions.isIdle()
        && transactions.peers().size() == 0;
  }

  /** The connection ended while this was open. */
  void abandon(Transaction t) {
    letGo(t);
    TransactionQueue.leave(t, Transaction.STREAM);
    completions.forget(t);
    reorder.forget(t);
    if (t == later) {
      later = null;
    }
  }
}
