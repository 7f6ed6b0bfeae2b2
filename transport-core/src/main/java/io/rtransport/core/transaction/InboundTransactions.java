package io.rtransport.core.transaction;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.wire.CompleteInErrorFlyweight;

/**
 * The peer's transactions, which this side's application serves. Gives each to the application at
 * its turn, and decides what the application's answers may still change. An answer to a transaction
 * that has ended changes nothing. Of several answers the first counts. {@link TransactionSublayer}
 * holds the own transactions.
 */
public final class InboundTransactions {
  private final TransactionPool pool;
  private final Counters counters;
  private final TransactionTable table;
  private final DeliveredPushes delivered;
  private final PolledMessage polled = new PolledMessage();
  private TargetRole target;
  private boolean isEnded;

  InboundTransactions(TransactionPool pool, Counters counters, int outstandingMax) {
    this.pool = pool;
    this.counters = counters;
    table = new TransactionTable(pool, outstandingMax);
    delivered = table.delivered();
  }

  void attach(TargetRole below) {
    target = below;
  }

  // ------------------------------------------------------------------ answers of the application

  /**
   * Notes the ULP-ACK: the application has taken the push. Ignored for an RSN that does not wait
   * for it. Ignored for a pull too: {@link #respond} acknowledges it.
   */
  public void acknowledge(long rsn) {
    acknowledge((int) rsn);
  }

  /** Does the same for {@code count} pushes whose RSNs follow each other. */
  public void acknowledge(long firstRsn, int count) {
    for (int i = 0; i < count; i++) {
      acknowledge((int) firstRsn + i);
    }
  }

  private void acknowledge(int rsn) {
    if (polled.is(rsn)) {
      polled.acknowledge();
      return;
    }
    if (isEnded || acknowledgeDelivered(rsn)) {
      return;
    }
    Transaction transaction = table.find(rsn);
    if (transaction != null
        && transaction.stage() == Stage.DELIVERED
        && transaction.kind() == Kind.PUSH) {
      target.onAcknowledged(transaction);
    }
  }

  /**
   * Does the same for the push that is next in order to end, if it stands in the table in short
   * form: nothing of it is kept.
   */
  private boolean acknowledgeDelivered(int rsn) {
    long push = delivered.find(rsn);
    if (push == DeliveredPushes.NONE || !target.isLowestUnended(rsn)) {
      return false;
    }
    delivered.remove(rsn);
    target.onAcknowledged(
        rsn,
        DeliveredPushes.lengthOf(push),
        DeliveredPushes.heldBytesOf(push),
        DeliveredPushes.isUnawaited(push));
    return true;
  }

  /**
   * Fails a transaction: the application answers with an error, or the source of an answer failed.
   * Ignored for an RSN that has ended. The handle of an open message is not used any more, and the
   * source of an answer is released.
   *
   * @param code the application's own
   * @param text for people; as much as fits into 256 bytes of UTF-8 is sent
   */
  public void fail(long rsn, int code, String text) {
    fail(rsn, code, text, 0);
  }

  /**
   * Fails a transaction for RT's own code. That code could not hand the message over, or the
   * application threw while it handled the message. Otherwise like {@link #fail}.
   *
   * @param isOutcomeUnknown whether the application may have executed it, wholly or in part
   */
  public void failByTransport(long rsn, CloseCode code, boolean isOutcomeUnknown) {
    int flags = isOutcomeUnknown ? CompleteInErrorFlyweight.FLAG_OUTCOME_UNKNOWN : 0;
    fail(rsn, code.code(), "", flags | CompleteInErrorFlyweight.FLAG_TRANSPORT);
  }

  private void fail(long rsn, int code, String text, int flags) {
    if (polled.is((int) rsn)) {
      polled.fail(code, text, flags);
      return;
    }
    Transaction transaction = isEnded ? null : table.find((int) rsn);
    if (transaction != null && isOpenToFailure(transaction)) {
      transaction.blame(code, text == null ? "" : text, flags);
      target.fail(transaction);
    }
  }

  private static boolean isOpenToFailure(Transaction transaction) {
    return switch (transaction.stage()) {
      case ARRIVING ->
          transaction.isHeaderKnown(); // before that the application has not heard of it
      case READY, DELIVERED -> true;
      case COMPLETED, REPORTED -> transaction.hasSource();
      default -> false;
    };
  }

  /**
   * Answers a pull. The answer acknowledges the pull too.
   *
   * @return false when the pull has ended or was answered; then {@code source} is not used
   * @throws IllegalArgumentException when the answer is longer than the puller takes
   */
  public boolean respond(long rsn, PayloadSource source, long handle, long lengthBytes) {
    Transaction transaction = isEnded ? null : table.find((int) rsn);
    if (transaction == null
        || transaction.kind() != Kind.PULL
        || transaction.answerLengthBytes() >= 0
        || !transaction.isTurnPassed()
        || transaction.stage() == Stage.FAILED) {
      return false;
    }
    OutgoingPayload.checkLength("lengthBytes", lengthBytes, transaction.lengthBytes());
    transaction.respond(source, handle, lengthBytes);
    target.onResponding(transaction);
    if (transaction.stage() == Stage.DELIVERED) {
      target.onAcknowledged(transaction);
    }
    return true;
  }

  /** Returns whether a pull of the peer was given to the application and waits for its answer. */
  public boolean isUnanswered(long rsn) {
    Transaction transaction = isEnded ? null : table.find((int) rsn);
    return transaction != null
        && transaction.kind() == Kind.PULL
        && transaction.stage() == Stage.DELIVERED
        && !transaction.hasFailed();
  }

  // ------------------------------------------------------------------ for the sublayer below

  /** Returns the table of the peer's transactions that have state here. */
  public TransactionTable table() {
    return table;
  }

  /** Makes a new transaction and adds it to the table. */
  public Transaction begin(int rsn, Kind kind, long lengthBytes) {
    Transaction transaction = pool.acquire();
    transaction.arrive(kind, rsn, lengthBytes);
    table.add(transaction);
    return transaction;
  }

  /** Removes a transaction that needs no state any more. */
  public void retire(Transaction transaction) {
    table.remove(transaction);
    pool.release(transaction);
  }

  /** Puts the entry for a message or a pull at its turn into {@code into}, for the application. */
  public void give(Transaction transaction, OutboxEntry into) {
    counters.increment(CounterId.REQUESTS_DELIVERED);
    transaction.deliver();
    if (transaction.kind() == Kind.PUSH) {
      transaction.incoming().close();
      into.putDelivered(transaction, true);
    } else {
      into.putRequested(
          transaction.rsn(),
          transaction.lengthBytes(),
          transaction.header(),
          transaction.headerLength());
    }
  }

  /** Returns the small push that the application has now, with the application's answer to it. */
  public PolledMessage polled() {
    return polled;
  }

  /**
   * Notes that a whole push is given out as it is. The application's answer goes to {@link
   * #polled}.
   */
  public void giveWhole(int rsn) {
    polled.begin(rsn);
    counters.increment(CounterId.REQUESTS_DELIVERED);
  }

  /**
   * Returns whether the application has acknowledged the polled push, which ends it. If not, {@link
   * #tryKeepShort} or {@link #keepPolled} follows.
   */
  public boolean endIfAcknowledged() {
    if (polled.isAcknowledged()) {
      polled.end();
    }
    return polled.isAcknowledged();
  }

  /**
   * Keeps the polled push, which has no answer, in short form.
   *
   * @param heldBytes bytes that keep their credit: all of it, or none
   * @return false when it has no place in this form: {@link #keepPolled} follows
   */
  public boolean tryKeepShort(int lengthBytes, long heldBytes, boolean isUnawaited) {
    polled.end();
    return !polled.hasFailed()
        && lengthBytes <= DeliveredPushes.LENGTH_MAX
        && (heldBytes == 0 || heldBytes == lengthBytes)
        && delivered.add(polled.rsn(), lengthBytes, heldBytes > 0, isUnawaited);
  }

  /**
   * Turns the polled push, which has not ended, into a delivered transaction in the table. If the
   * application failed it, the transaction fails.
   */
  public Transaction keepPolled(long lengthBytes, long heldBytes, boolean isUnawaited) {
    polled.end();
    Transaction transaction = begin(polled.rsn(), Kind.PUSH, lengthBytes);
    transaction.passWhole(heldBytes, isUnawaited);
    if (polled.hasFailed()) {
      fail(Integer.toUnsignedLong(polled.rsn()), polled.code(), polled.text(), polled.flags());
    }
    return transaction;
  }

  // ------------------------------------------------------------------ the connection's end

  /** Ignores all answers of the application from now on. */
  void end() {
    isEnded = true;
  }

  /**
   * Makes every transaction give back what it holds. A transaction that a sink holds in part goes
   * into {@code ends}: the sink is told that it will never be whole.
   */
  void abandonAll(PayloadEnds ends) {
    table.restoreAll();
    table.forEach(transaction -> abandon(transaction, ends));
  }

  private void abandon(Transaction transaction, PayloadEnds ends) {
    ends.release(transaction);
    target.abandon(transaction);
    table.remove(transaction);
    if (ends.isDropped(transaction)) {
      return; // the sink will be told of it already
    }
    if (transaction.isOpen()) {
      ends.drop(transaction);
    } else {
      pool.release(transaction);
    }
  }
}
