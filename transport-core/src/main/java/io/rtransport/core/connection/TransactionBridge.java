package io.rtransport.core.connection;

import io.rtransport.core.solicitation.SolicitationSublayer;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PayloadSink;
import io.rtransport.core.transaction.TransactionListener;
import io.rtransport.core.transaction.TransactionSublayer;

/**
 * Tells what {@link TransactionSublayer#poll} gives to a {@link TransactionListener}, for those who
 * still listen by that interface. Goes when nobody does.
 */
public final class TransactionBridge {
  private TransactionBridge() {}

  /** Tells a message. */
  public static void tellMessage(OutboxEntry entry) {
    entry
        .sink()
        .pass(
            entry.rsn(),
            entry.buffer(),
            entry.headerOffset(),
            entry.headerLength(),
            entry.offset(),
            entry.length());
  }

  /** Tells an end. */
  public static void tellEnded(OutboxEntry entry, TransactionListener listener) {
    listener.onEnded(
        entry.tag(), entry.outcome(), entry.code(), entry.text(), entry.isFromTransport());
  }

  /** Asks where a message goes, and says the answer to {@code of}. */
  private static void tellOpened(OutboxEntry entry, SolicitationSublayer of) {
    long rsn = entry.rsn();
    boolean isAnswer = entry.isAnswer();
    PayloadSink sink = entry.sink();
    long answer =
        sink.open(
            rsn, entry.messageLength(), entry.buffer(), entry.headerOffset(), entry.headerLength());
    if (answer >= 0 && isAnswer) {
      of.acceptAnswer(rsn, answer, sink.untakenBytesMax(answer));
    } else if (answer >= 0) {
      of.accept(rsn, answer, sink.isKeptWhole(answer), sink.untakenBytesMax(answer));
    } else if (isAnswer) {
      of.refuseAnswer(rsn, answer);
    } else if (PayloadSink.isRefusal(answer)) {
      of.refuse(rsn, answer);
    }
  }

  private static void tellBytes(OutboxEntry entry, SolicitationSublayer of) {
    long rsn = entry.rsn();
    boolean isAnswer = entry.isAnswer();
    int length = entry.length();
    PayloadSink sink = entry.sink();
    long handle = entry.handle();
    int taken = sink.write(handle, entry.messageOffset(), entry.buffer(), entry.offset(), length);
    assert taken >= PayloadSink.FAILED && taken <= length
        : "sink took " + taken + " of " + length + " B";
    if (taken < length && taken != PayloadSink.FAILED) {
      long limitBytes = sink.untakenBytesMax(handle);
      if (isAnswer) {
        of.limitUntakenOfPull(rsn, limitBytes);
      } else {
        of.limitUntaken(rsn, limitBytes);
      }
    }
    if (taken == PayloadSink.FAILED && isAnswer) {
      of.failAnswerSink(rsn);
    } else if (taken == PayloadSink.FAILED) {
      of.failSink(rsn);
    } else if (isAnswer) {
      of.takenOfPull(rsn, taken);
    } else {
      of.taken(rsn, taken);
    }
  }

  /**
   * Tells one entry of a transaction.
   *
   * @param of whose entry it is
   */
  public static void tell(
      OutboxEntry entry, TransactionListener listener, SolicitationSublayer of) {
    switch (entry.kind()) {
      case MESSAGE -> tellMessage(entry);
      case REQUESTED ->
          listener.onPullRequest(
              entry.rsn(),
              entry.limitBytes(),
              entry.buffer(),
              entry.headerOffset(),
              entry.headerLength());
      case OPENED -> tellOpened(entry, of);
      case BYTES -> tellBytes(entry, of);
      case DELIVERED -> entry.sink().deliver(entry.handle(), entry.isWhole());
      case SOURCE_RELEASED -> listener.onSourceReleased(entry.handle());
      case ENDED -> tellEnded(entry, listener);
      case ROOM -> listener.onSubmittable();
      default -> throw new IllegalArgumentException(entry.kind() + " is the connection's");
    }
  }
}
