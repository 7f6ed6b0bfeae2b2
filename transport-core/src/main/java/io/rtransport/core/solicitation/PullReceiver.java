package io.rtransport.core.solicitation;

import io.rtransport.core.connection.CloseCode;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.Outcome;
import io.rtransport.core.transaction.PayloadSink;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.wire.CompleteInErrorFlyweight;
import io.rtransport.core.wire.PullDataFlyweight;
import java.nio.ByteBuffer;

/**
 * Takes the answers to own pulls (patent, Figure 9): finds the pull by its RSN, holds the answer against what was asked for and granted,
 * and ends the pull when all its bytes are there. Whether the end is handed up now or at its turn is the transaction sublayer's to say.
 */
final class PullReceiver {
  private static final ByteBuffer NO_HEADER = ByteBuffer.allocate(0);

  private final TransactionSublayer transactions;
  private final GrantScheduler grants;
  private final Reassembler reassembler;
  private final Counters counters;
  private final Failure failure;

  PullReceiver(
      TransactionSublayer transactions,
      GrantScheduler grants,
      Reassembler reassembler,
      Counters counters,
      Failure failure) {
    this.transactions = transactions;
    this.grants = grants;
    this.reassembler = reassembler;
    this.counters = counters;
    this.failure = failure;
  }

  void onData(PullDataFlyweight record, ByteBuffer buffer, long lease, long nowNs) {
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
          "PULL_DATA " + offset + "+" + length + " of " + total + " was not asked for: " + t);
      return;
    }
    if (t.isCancelled) {
      passBy(t, offset, length, total);
      return;
    }
    if (t.answerLengthBytes < 0 && !open(t, total)) {
      return;
    }
    counters.add(CounterId.MESSAGE_BYTES_RECEIVED, length);
    grants.onArrived(t, Reassembler.countNew(t, offset, length), nowNs);
    long taken = reassembler.accept(t, offset, length, buffer, record.payloadOffset(), lease);
    if (taken < 0) {
      failure.fail("too many pieces of " + t);
      return;
    }
    if (transactions.isEnded()) {
      return;
    }
    if (taken > 0) {
      grants.onTaken(t, taken);
    }
    if (t.ranges.bytes() == total) {
      end(t);
    }
  }

  private static boolean isAllowed(Transaction t, long end, long total) {
    return t != null
        && t.kind() == Kind.PULL
        && t.stage() == Stage.SENT
        && (t.answerLengthBytes < 0 ? total <= t.lengthBytes : total == t.answerLengthBytes)
        && end <= (t.isCancelled ? total : Math.min(total, t.grantedBytes));
  }

  /** Bytes of an answer that was given up: they hold nothing. All of them together are the target's end of it. */
  private void passBy(Transaction t, long offset, int length, long total) {
    counters.increment(CounterId.RECORDS_IGNORED);
    t.answerLengthBytes = total;
    if (!t.ranges.addMissing(offset, offset + length)) {
      failure.fail("too many pieces of " + t);
    } else if (t.ranges.bytes() == total) {
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
      // Kept whole, and more than the budget could ever hold: its bytes are let pass by.
      t.isDiscarding = t.sink.isKeptWhole(handle) && !grants.isPossible(total);
    } else {
      // It asked for the answer and does not take it now: the bytes have nowhere to go. The pull
      // cannot end before they have come: its target counts it among the unended, and only a CANCEL
      // would tell it.
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
      transactions.end(t, Outcome.FAILED, t.code, "this side's sink did not take the answer");
    } else {
      transactions.end(t, Outcome.COMPLETED, 0, "");
    }
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
