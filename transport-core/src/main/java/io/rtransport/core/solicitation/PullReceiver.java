package io.rtransport.core.solicitation;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.Outcome;
import io.rtransport.core.transaction.PayloadSink;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.wire.CloseCode;
import io.rtransport.core.wire.CompleteInErrorFlyweight;
import io.rtransport.core.wire.PullDataFlyweight;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Takes the answers to own pulls (patent, Figure 9): finds the pull by its RSN, holds the answer
 * against what was asked for and granted, and ends the pull when all its bytes are there. Whether
 * the end is handed up now or at its turn is the transaction sublayer's to say.
 *
 * <p>An answer that this side's sink does not take is given up by CANCEL: the pull ends when the
 * peer answers that, or when all bytes have passed by, for until then the target counts it among
 * the unended.
 */
final class PullReceiver {
  private static final ByteBuffer NO_HEADER = ByteBuffer.allocate(0);

  private final TransactionSublayer transactions;
  private final GrantScheduler grants;
  private final Reassembler reassembler;
  private final Counters counters;
  private final Failure failure;
  private final Consumer<Transaction> stopper;

  /**
   * @param stopper told of a pull whose answer is not taken: the peer is to be asked to stop, and
   *     what it holds goes back
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
    if (t.isCancelled || t.isRefused) {
      passBy(t, offset, length, total);
      return;
    }
    if (t.answerLengthBytes < 0 && !open(t, total)) {
      return;
    }
    if (t.isCancelled) { // from inside open
      passBy(t, offset, length, total);
      return;
    }
    counters.add(CounterId.MESSAGE_BYTES_RECEIVED, length);
    grants.onArrived(t, Reassembler.countNew(t, offset, length), nowNs);
    long taken = reassembler.accept(t, offset, length, buffer, record.payloadOffset());
    if (taken == Reassembler.TOO_MANY_PIECES) {
      failure.fail("too many pieces of " + t);
      return;
    }
    if (transactions.isEnded()) {
      return;
    }
    if (t.isCancelled) { // from inside write: what it held has gone back
      endIfPassed(t, total);
      return;
    }
    if (taken == Reassembler.SINK_FAILED) {
      t.isOpen = false;
      t.isDiscarding = true;
      t.code = CloseCode.REFUSED_BY_SINK.code();
      t.errorFlags = CompleteInErrorFlyweight.FLAG_TRANSPORT;
    }
    if (taken > 0) {
      grants.onTaken(t, taken);
    }
    if (t.ranges.bytes() == total) {
      end(t);
    } else if (t.isDiscarding) {
      t.isRefused = true;
      stopper.accept(t);
    }
  }

  private static boolean isAllowed(Transaction t, long end, long total) {
    return t != null
        && t.kind() == Kind.PULL
        && t.stage() == Stage.SENT
        && (t.answerLengthBytes < 0 ? total <= t.lengthBytes : total == t.answerLengthBytes)
        && end <= (t.isCancelled || t.isRefused ? total : Math.min(total, t.grantedBytes));
  }

  /**
   * Bytes of an answer that was given up: they hold nothing. All of them together are the target's
   * end of it.
   */
  private void passBy(Transaction t, long offset, int length, long total) {
    counters.increment(CounterId.RECORDS_IGNORED);
    t.answerLengthBytes = total;
    if (!t.ranges.addMissing(offset, offset + length)) {
      failure.fail("too many pieces of " + t);
    } else {
      endIfPassed(t, total);
    }
  }

  private void endIfPassed(Transaction t, long total) {
    if (t.ranges.bytes() < total) {
      return;
    }
    if (t.isRefused) {
      end(t);
    } else {
      t.errorFlags = CompleteInErrorFlyweight.FLAG_TRANSPORT;
      transactions.end(
          t, Outcome.UNKNOWN, CloseCode.CANCELLED.code(), CloseCode.CANCELLED.sentence());
    }
  }

  /** The first of an answer. False when the connection ended by that. */
  private boolean open(Transaction t, long total) {
    long handle = t.sink.open(Integer.toUnsignedLong(t.rsn), total, NO_HEADER, 0, 0);
    if (transactions.isEnded()) {
      return false;
    }
    t.answerLengthBytes = total;
    if (handle >= 0) {
      t.isOpen = true;
      t.handle = handle;
    }
    if (t.isCancelled) {
      return true;
    }
    if (handle >= 0) {
      // Kept whole, and more than the budget could ever hold.
      t.isDiscarding = t.sink.isKeptWhole(handle) && !grants.isPossible(total);
    } else {
      t.isDiscarding = true;
    }
    if (t.isDiscarding) {
      boolean isRefusal = PayloadSink.isRefusal(handle);
      boolean isApplications = isRefusal && !PayloadSink.isByTransport(handle);
      t.code = isRefusal ? PayloadSink.refusalCode(handle) : CloseCode.REFUSED_BY_SINK.code();
      t.errorFlags = isApplications ? 0 : CompleteInErrorFlyweight.FLAG_TRANSPORT;
    }
    grants.onAnswerLength(t);
    return true;
  }

  private void end(Transaction t) {
    if (t.isDiscarding) {
      endRefused(t, transactions);
    } else {
      transactions.end(t, Outcome.COMPLETED, 0, "");
    }
  }

  /** Its answer was not taken, and nothing more of that comes. */
  static void endRefused(Transaction t, TransactionSublayer transactions) {
    transactions.end(t, Outcome.FAILED, t.code, "this side's sink did not take the answer");
  }

  /** The sink of a pull took bytes that it had left. */
  void taken(int rsn, long bytes) {
    Transaction t = transactions.findOwn(rsn);
    if (t != null && t.kind() == Kind.PULL && !t.isDiscarding) {
      long now = Math.min(bytes, t.ranges.bytes() - t.takenBytes);
      t.takenBytes += now;
      grants.onTaken(t, now);
    }
  }
}
