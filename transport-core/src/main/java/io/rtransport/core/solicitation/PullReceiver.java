package io.rtransport.core.solicitation;

import static io.rtransport.core.wire.CompleteInErrorFlyweight.FLAG_TRANSPORT;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.IncomingPayload;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.wire.PullDataFlyweight;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Receiver of the answers to own pulls (patent, Figure 9). It finds the pull by its RSN, checks the
 * answer against what was asked for and granted, and ends the pull when all bytes are there. The
 * transaction sublayer decides whether the end is handed up now or at its turn.
 *
 * <p>If this side's sink does not take an answer, the answer is given up by CANCEL. The pull then
 * ends when the peer answers the CANCEL, or when all bytes have come. Until then the target counts
 * it among the unended.
 */
final class PullReceiver implements PieceOwner {
  private static final String NOT_TAKEN = "this side's sink did not take the answer";

  private final TransactionSublayer transactions;
  private final GrantScheduler grants;
  private final Reassembler reassembler;
  private final Counters counters;
  private final Failure failure;
  private final Consumer<Transaction> stopper;

  /** The pull whose answer begins. The application does not know this yet. */
  private Transaction begun;

  /** The pull whose answer the application was asked about. The application has not replied yet. */
  private Transaction asked;

  /**
   * @param stopper called with a pull whose answer is not taken: the peer is asked to stop, and the
   *     pull's bytes are given back
   */
  PullReceiver(
      TransactionSublayer transactions,
      GrantScheduler grants,
      Reassembler reassembler,
      Counters counters,
      Failure failure,
      Consumer<Transaction> stopper) {
    this.transactions = transactions;
    this.grants = grants;
    this.reassembler = reassembler;
    this.counters = counters;
    this.failure = failure;
    this.stopper = stopper;
  }

  void onData(PullDataFlyweight record, ByteBuffer buffer, long nowNs) {
    Transaction t = transactions.findOwn(record.rsn());
    if (t == null ? transactions.isHandedUp(record.rsn()) : t.stage() == Stage.ENDED) {
      counters.increment(CounterId.RECORDS_IGNORED);
      return;
    }
    long total = record.total();
    long offset = record.offset();
    int length = record.payloadLength();
    if (!isAllowed(t, offset + length, total)) {
      failure.fail(
          "PULL_DATA "
              + offset
              + "+"
              + length
              + " of "
              + total
              + " was not asked for, RSN "
              + Integer.toUnsignedString(record.rsn()));
      return;
    }
    if (t.isCancelled() || t.isRefused()) {
      passBy(t, offset, length, total);
      return;
    }
    if (t.answerLengthBytes() < 0) {
      t.learnAnswerLength(total);
      begun = t;
    }
    reassembler.begin(this, t, offset, length, buffer, record.payloadOffset(), nowNs);
  }

  // ------------------------------------------------------------------ where an answer goes

  /** Puts the entry that an answer begins, if one does. */
  boolean poll(OutboxEntry into) {
    Transaction t = begun;
    if (t == null) {
      return false;
    }
    begun = null;
    if (t.isCancelled()) {
      return false;
    }
    asked = t;
    into.putOpened(t);
    return true;
  }

  /** Refuses an answer that was not accepted until now. Called when the next entry is asked for. */
  void refuseUnanswered() {
    if (asked != null) {
      refuse(asked.rsn(), CloseCode.REFUSED_BY_SINK.code(), true);
    }
  }

  /**
   * Accepts the answer to the own pull {@code rsn} for the application. Returns false if the
   * application was not asked about it.
   */
  boolean accept(int rsn, long handle, long untakenBytesMax) {
    Transaction t = answered(rsn);
    if (t == null) {
      return false;
    }
    t.incoming().accept(handle, false, untakenBytesMax);
    if (!t.isCancelled()) {
      grants.onAnswerLength(t);
    }
    return true;
  }

  /** Refuses the answer for the application. */
  void refuse(int rsn, int code, boolean isFromTransport) {
    Transaction t = answered(rsn);
    if (t != null && !t.isCancelled()) {
      t.refuse(code, isFromTransport ? FLAG_TRANSPORT : 0);
      grants.onAnswerLength(t);
    }
  }

  private Transaction answered(int rsn) {
    Transaction t = asked;
    if (t == null || t.rsn() != rsn) {
      return null;
    }
    asked = null;
    return t;
  }

  /** Sets how many bytes of an answer may be granted and not yet taken. */
  void limitUntaken(int rsn, long bytes) {
    Target.limitUntaken(transactions.findOwn(rsn), bytes);
  }

  /**
   * Fails an answer that the application had accepted, because the application failed over its
   * bytes.
   */
  void failSink(int rsn) {
    Transaction t = transactions.findOwn(rsn);
    if (t == null
        || t.kind() != Kind.PULL
        || !t.isOpen()
        || t.isCancelled()
        || t.incoming().isDiscarding()) {
      return;
    }
    t.incoming().close();
    t.refuse(CloseCode.REFUSED_BY_SINK.code(), FLAG_TRANSPORT);
    if (t.stage() == Stage.ENDED) { // it is whole, and its end was not told
      transactions.failEnded(t, NOT_TAKEN);
    } else if (!reassembler.hasNewInHand(t)) { // otherwise it stops when that piece is thrown away
      reassembler.discard(t);
      stop(t);
    }
  }

  // ------------------------------------------------------------------ pieces of answers

  @Override
  public boolean isWanted(Transaction t, long offset, int length, long nowNs) {
    if (t.isCancelled()) {
      passBy(t, offset, length, t.answerLengthBytes());
      return false;
    }
    counters.add(CounterId.MESSAGE_BYTES_RECEIVED, length);
    IncomingPayload payload = t.incoming();
    long fresh = payload.countMissing(offset, offset + length);
    grants.onArrived(t, fresh, nowNs);
    if (!payload.isDiscarding()) {
      return true;
    }
    if (!payload.addMissing(offset, offset + length)) {
      onTooManyPieces(t);
      return false;
    }
    payload.take(fresh);
    if (fresh > 0) {
      grants.onTaken(t, fresh);
    }
    stop(t);
    return false;
  }

  @Override
  public boolean passesBy(Transaction t, long from, long end) {
    if (!t.isCancelled()) {
      return false;
    }
    if (t.incoming().addMissing(from, end)) {
      endIfPassed(t, t.answerLengthBytes());
    } else {
      onTooManyPieces(t);
    }
    return true;
  }

  @Override
  public void onPieceDone(Transaction t) {
    if (t.incoming().hereBytes() == t.answerLengthBytes()) {
      end(t);
    }
  }

  @Override
  public void onTooManyPieces(Transaction t) {
    failure.fail("too many pieces of " + t);
  }

  /** Stops an answer that is not taken: asks the peer to stop, unless all of the answer is here. */
  private void stop(Transaction t) {
    if (t.incoming().hereBytes() == t.answerLengthBytes()) {
      end(t);
    } else {
      t.stopAnswer();
      stopper.accept(t);
    }
  }

  private static boolean isAllowed(Transaction t, long end, long total) {
    return t != null
        && t.kind() == Kind.PULL
        && t.stage() == Stage.SENT
        && (t.answerLengthBytes() < 0 ? total <= t.lengthBytes() : total == t.answerLengthBytes())
        && end
            <= (t.isCancelled() || t.isRefused()
                ? total
                : Math.min(total, t.incoming().grantedBytes()));
  }

  /**
   * Throws away bytes of an answer that was given up. They hold no budget. When all of them have
   * come, the target has ended the pull, and the pull ends here too.
   */
  private void passBy(Transaction t, long offset, int length, long total) {
    counters.increment(CounterId.RECORDS_IGNORED);
    t.learnAnswerLength(total);
    if (!t.incoming().addMissing(offset, offset + length)) {
      onTooManyPieces(t);
    } else {
      endIfPassed(t, total);
    }
  }

  private void endIfPassed(Transaction t, long total) {
    if (t.incoming().hereBytes() < total) {
      return;
    }
    if (t.isRefused()) {
      end(t);
    } else {
      CloseCode code = CloseCode.CANCELLED;
      transactions.end(t, Outcome.UNKNOWN, code.code(), code.sentence(), FLAG_TRANSPORT);
    }
  }

  private void end(Transaction t) {
    if (t.incoming().isDiscarding()) {
      endRefused(t, transactions);
    } else {
      transactions.end(t, Outcome.COMPLETED, 0, "", 0);
    }
  }

  /** Ends a pull whose answer was not taken, after the last of the answer has come. */
  static void endRefused(Transaction t, TransactionSublayer transactions) {
    transactions.end(t, Outcome.FAILED, t.ending().code(), NOT_TAKEN, t.ending().flags());
  }

  /** Forgets the current pulls: the connection has ended. */
  void forget() {
    begun = null;
    asked = null;
  }

  /** Notes that the application took bytes of an answer. */
  void taken(int rsn, long bytes) {
    Transaction t = transactions.findOwn(rsn);
    if (t != null && t.kind() == Kind.PULL && !t.incoming().isDiscarding()) {
      grants.onTaken(t, t.incoming().takeUpTo(bytes));
    }
  }
}
