package io.rtransport.simulator;

import io.rtransport.core.solicitation.SolicitationSublayer;
import io.rtransport.core.transaction.OutboxEntry;

/**
 * Tells entries of transactions to the interfaces of a test's application, and says its answers by
 * verbs.
 */
public final class TransactionBridge {
  private TransactionBridge() {}

  /** Whether the message that an entry is about is the answer to an own pull. */
  public static boolean isOfAnswer(OutboxEntry entry) {
    return switch (entry.kind()) {
      case OPENED, BYTES, DELIVERED -> entry.isAnswer();
      default -> false;
    };
  }

  /** Asks where a message goes, and says the answer to {@code of}. */
  private static void tellOpened(OutboxEntry entry, PayloadSink sink, SolicitationSublayer of) {
    long rsn = entry.rsn();
    boolean isAnswer = entry.isAnswer();
    long answer =
        sink.open(
            rsn, entry.messageLength(), entry.buffer(), entry.headerOffset(), entry.headerLength());
    if (answer >= 0) {
      long untakenMax = sink.untakenBytesMax(answer);
      boolean isWaitedFor =
          isAnswer
              ? of.acceptAnswer(rsn, answer, untakenMax)
              : of.accept(rsn, answer, sink.isKeptWhole(answer), untakenMax);
      if (!isWaitedFor) {
        sink.deliver(answer, false); // it was given up meanwhile, and no entry names the handle
      }
    } else if (PayloadSink.isRefusal(answer) && isAnswer) {
      of.refuseAnswer(rsn, PayloadSink.refusalCode(answer), PayloadSink.isByTransport(answer));
    } else if (PayloadSink.isRefusal(answer)) {
      of.refuse(rsn, PayloadSink.refusalCode(answer), PayloadSink.isByTransport(answer));
    }
  }

  private static void tellBytes(OutboxEntry entry, PayloadSink sink, SolicitationSublayer of) {
    long rsn = entry.rsn();
    boolean isAnswer = entry.isAnswer();
    int length = entry.length();
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
   * @param sink where the message of it goes
   * @param of whose entry it is
   */
  public static void tell(
      OutboxEntry entry, PayloadSink sink, TransactionListener listener, SolicitationSublayer of) {
    switch (entry.kind()) {
      case MESSAGE ->
          sink.pass(
              entry.rsn(),
              entry.buffer(),
              entry.headerOffset(),
              entry.headerLength(),
              entry.offset(),
              entry.length());
      case REQUESTED ->
          listener.onPullRequest(
              entry.rsn(),
              entry.limitBytes(),
              entry.buffer(),
              entry.headerOffset(),
              entry.headerLength());
      case OPENED -> tellOpened(entry, sink, of);
      case BYTES -> tellBytes(entry, sink, of);
      case DELIVERED -> sink.deliver(entry.handle(), entry.isWhole());
      case SOURCE_RELEASED -> listener.onSourceReleased(entry.handle());
      case ENDED -> {
        for (int i = 0; i < entry.count(); i++) {
          listener.onEnded(
              entry.tag(), entry.outcome(), entry.code(), entry.text(), entry.isFromTransport());
        }
      }
      case ROOM -> listener.onSubmittable();
      default -> throw new IllegalArgumentException(entry.kind() + " is the connection's");
    }
  }
}
