package io.rtransport.core.transaction;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.wire.CloseCode;
import io.rtransport.core.wire.CompleteInErrorFlyweight;

/**
 * The peer's transactions, which this side's application serves: shows it each at its turn, and
 * decides what its answers may still change. Those of a transaction that has ended change nothing,
 * and the first of several counts. {@link TransactionSublayer} holds the other half, the own ones.
 */
public final class InboundTransactions {
  private final TransactionPool pool;
  private final Counters counters;
  private final TransactionTable table;
  private final PolledMessage polled = new PolledMessage();
  private TransactionSupport lower;
  private boolean isEnded;

  InboundTransactions(TransactionPool pool, Counters counters, int outstandingMax) {
    this.pool = pool;
    this.counters = counters;
    table = new TransactionTable(pool, outstandingMax);
  }

  void attach(TransactionSupport below) {
    lower = below;
  }

  // ------------------------------------------------------------------ what the application says

  /**
   * The ULP-ACK: the application has taken the push. Of an RSN that is not waiting for it: ignored;
   * so is that of a pull, which is acknowledged by {@link #respond}.
   */
  public void acknowledge(long rsn) {
    if (polled.is((int) rsn)) {
      polled.acknowledge();
      return;
    }
    Transaction transaction = isEnded ? null : table.find((int) rsn);
    if (transaction != null
        && transaction.stage() == Stage.DELIVERED
        && transaction.kind() == Kind.PUSH) {
      lower.onAcknowledged(transaction);
    }
  }

  /**
   * The application answers with an error, or the source of an answer broke off. Of an RSN that has
   * ended: ignored. The handle of a message that was open is dead with that, and the source of an
   * answer is released.
   *
   * @param code the application's own
   * @param text for people; as much as fits into 256 bytes of UTF-8 is sent
   */
  public void fail(long rsn, int code, String text) {
    fail(rsn, code, text, 0);
  }

  /**
   * RT's own code around the application could not hand the message over, or the application broke
   * off over it. Otherwise as {@link #fail}.
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
      transaction.code = code;
      transaction.text = text == null ? "" : text;
      transaction.errorFlags = flags;
      lower.onFailed(transaction);
    }
  }

  private static boolean isOpenToFailure(Transaction transaction) {
    return switch (transaction.stage()) {
      case ARRIVING -> transaction.isHeaderKnown; // before that the application never heard of it
      case READY, DELIVERED -> true;
      case COMPLETED, REPORTED -> transaction.source != null;
      default -> false;
    };
  }

  /**
   * Answers a pull; that acknowledges it too.
   *
   * @return false when the pull has ended or was answered; then {@code source} is not used
   * @throws IllegalArgumentException when the answer is longer than the puller takes
   */
  public boolean respond(long rsn, PayloadSource source, long handle, long lengthBytes) {
    Transaction transaction = isEnded ? null : table.find((int) rsn);
    if (transaction == null
        || transaction.kind() != Kind.PULL
        || transaction.answerLengthBytes >= 0
        || !transaction.isTurnPassed
        || transaction.stage() == Stage.FAILED) {
      return false;
    }
    TransactionSublayer.checkLength("lengthBytes", lengthBytes, transaction.lengthBytes);
    transaction.source = source;
    transaction.handle = handle;
    transaction.answerLengthBytes = lengthBytes;
    lower.onResponding(transaction);
    if (transaction.stage() == Stage.DELIVERED) {
      lower.onAcknowledged(transaction);
    }
    return true;
  }

  // ------------------------------------------------------------------ for the sublayer below

  /** Those that have state here. */
  public TransactionTable table() {
    return table;
  }

  /** A new transaction, in the table. */
  public Transaction begin(int rsn, Kind kind, long lengthBytes) {
    Transaction transaction = pool.acquire();
    transaction.arrive(kind);
    transaction.rsn = rsn;
    transaction.lengthBytes = lengthBytes;
    table.add(transaction);
    return transaction;
  }

  /** A transaction needs no state any more. */
  public void retire(Transaction transaction) {
    table.remove(transaction);
    pool.release(transaction);
  }

  /**
   * A message, or a pull, has its turn: puts into {@code into} what gives it to the application.
   */
  public void give(Transaction transaction, OutboxEntry into) {
    counters.increment(CounterId.REQUESTS_DELIVERED);
    transaction.deliver();
    if (transaction.kind() == Kind.PUSH) {
      transaction.isOpen = false;
      into.putDelivered(transaction, true);
    } else {
      into.putRequested(
          transaction.rsn, transaction.lengthBytes, transaction.header(), transaction.headerLength);
    }
  }

  /** The small push that is with the application right now, and what it says of it. */
  public PolledMessage polled() {
    return polled;
  }

  /** A whole push is given out as it is: what the application says of it is for {@link #polled}. */
  public void giveWhole(int rsn) {
    polled.begin(rsn);
    counters.increment(CounterId.REQUESTS_DELIVERED);
  }

  /**
   * Whether the application has acknowledged what it was given, which is the end of it; else {@link
   * #keepPolled} follows.
   */
  public boolean endIfAcknowledged() {
    if (polled.isAcknowledged()) {
      polled.end();
    }
    return polled.isAcknowledged();
  }

  /**
   * The polled push has not ended: it becomes a transaction in the table, delivered, and fails if
   * it was failed.
   */
  public Transaction keepPolled(long lengthBytes, long creditBytes) {
    polled.end();
    Transaction transaction = begin(polled.rsn(), Kind.PUSH, lengthBytes);
    transaction.isHeaderKnown = true;
    transaction.creditBytes = creditBytes;
    transaction.isTurnPassed = true;
    transaction.deliver();
    if (polled.hasFailed()) {
      fail(Integer.toUnsignedLong(polled.rsn()), polled.code(), polled.text(), polled.flags());
    }
    return transaction;
  }

  // ------------------------------------------------------------------ the connection's end

  /** Nothing the application says counts any more. */
  void end() {
    isEnded = true;
  }

  /**
   * Every transaction gives back what it holds. Those of which a sink holds part go into {@code
   * dropped}, so that it hears that they will never be whole.
   */
  void abandonAll(TransactionSublayer owner, TransactionQueue dropped) {
    table.forEach(transaction -> abandon(transaction, owner, dropped));
  }

  private void abandon(
      Transaction transaction, TransactionSublayer owner, TransactionQueue dropped) {
    owner.releaseSource(transaction);
    lower.onAbandoned(transaction);
    table.remove(transaction);
    if (dropped.contains(transaction)) {
      return; // a sink is to hear of it already
    }
    if (transaction.isOpen) {
      dropped.addLast(transaction);
    } else {
      pool.release(transaction);
    }
  }
}
