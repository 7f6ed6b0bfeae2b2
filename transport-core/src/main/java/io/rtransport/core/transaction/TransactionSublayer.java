package io.rtransport.core.transaction;

import static io.rtransport.core.wire.CompleteInErrorFlyweight.FLAG_TRANSPORT;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Stage;
import java.nio.ByteBuffer;

/**
 * The topmost sublayer of a connection: the transactions of both sides' applications. This class
 * holds the own transactions, {@link InboundTransactions} the peer's.
 *
 * <p><b>Own transactions.</b> A submission gets its RSN at once and waits in a queue until the
 * sublayer below takes it. Each transaction ends exactly once, and {@link #poll} gives its end. On
 * an ordered connection ends come in RSN order, pushes and pulls together, otherwise as they
 * happen. At most {@code outstandingMax} transactions are submitted and not handed up, which bounds
 * the table and the queue. A push that is only {@link PushSupplier ready} begins when it is put
 * into a packet.
 *
 * <p><b>The peer's.</b> The sublayer below says that a message is whole or that a pull was
 * requested, in RSN order on an ordered connection. An entry DELIVERED, MESSAGE or REQUESTED tells
 * the application. The application answers by the verbs of {@link InboundTransactions}, at once or
 * later. A small push that is acknowledged before the next call of {@link #poll} never enters a
 * table.
 *
 * <p>Confined to the connection's loop. Submitting and answering verbs never call back and never
 * transmit.
 */
public final class TransactionSublayer {
  private final TransactionPool pool;
  private final Counters counters;
  private final int roomWorthTelling;
  private final int headerLengthMax;
  private final long pushLengthMax;
  private final long pullLengthMax;
  private final OutboundTransactions outbound;
  private final InboundTransactions inbound;
  private final TransactionQueue submitted;

  private final PayloadEnds payloadEnds;
  private final TransactionHeap deadlines;
  private final PushSupplier ready;

  private InitiatorRole initiator;
  private boolean isFinishing;
  private boolean isEnded;
  private int endCode;
  private String endText;
  private boolean wasRefused;

  /** Whether something has ended or was dropped since {@link #poll} last returned false. */
  private boolean hasNews;

  /**
   * @param ready supplier of the pushes that the application has ready without submitting them
   */
  public TransactionSublayer(
      PushSupplier ready, TransactionPool pool, Counters counters, AgreedParameters agreed) {
    boolean isOrdered = agreed.isOrdered();
    int outstandingMax = agreed.both().outstandingMax();
    this.ready = ready;
    this.pool = pool;
    this.counters = counters;
    // An eighth of the window, so that a submitter is not told of each single place. Without order,
    // long-lived transactions may leave less room than that, and the submitter would never be told:
    // so any room is told.
    roomWorthTelling = isOrdered ? Math.max(1, outstandingMax >> 3) : 1;
    headerLengthMax = agreed.both().headerLengthMax();
    pushLengthMax = agreed.tx().messageLengthMax();
    pullLengthMax = agreed.rx().messageLengthMax();
    outbound = new OutboundTransactions(pool, agreed.txNumbers().rsn(), isOrdered, outstandingMax);
    inbound = new InboundTransactions(pool, counters, outstandingMax);
    submitted = new TransactionQueue(pool, Transaction.STREAM);
    deadlines = new TransactionHeap(pool, Transaction.DEADLINE);
    payloadEnds = new PayloadEnds(pool);
  }

  /** Attaches the two sides of the sublayer below, which calls this once. */
  public void attach(InitiatorRole ofOwn, TargetRole ofPeers) {
    assert initiator == null : "attached twice";
    initiator = ofOwn;
    inbound.attach(ofPeers);
  }

  // ------------------------------------------------------------------ from above: own

  /**
   * Begins a push.
   *
   * @param source source of the payload
   * @param handle names the payload to {@code source}
   * @param lengthBytes 0..the peer's largest message
   * @param header holds the application header at {@code [index, index + length)}; copied
   * @param tag value that the entry ENDED returns
   * @param isAwaited false: nobody waits for its success, so the peer may report it a little later
   * @return false when there is no room now: an entry ROOM follows; or when this side has finished
   * @throws IllegalArgumentException when a length is outside its range
   */
  public boolean submitPush(
      PayloadSource source,
      long handle,
      long lengthBytes,
      ByteBuffer header,
      int index,
      int length,
      long tag,
      boolean isAwaited) {
    OutgoingPayload.checkLength("lengthBytes", lengthBytes, pushLengthMax);
    Transaction transaction = begin(Kind.PUSH, lengthBytes, header, index, length, tag);
    if (transaction == null) {
      return false;
    }
    transaction.carry(source, handle, isAwaited);
    return true;
  }

  /**
   * Begins a pull.
   *
   * @param lengthBytesMax the longest answer wanted, 0..this side's largest message
   * @return as {@link #submitPush}
   */
  public boolean submitPull(
      long lengthBytesMax, ByteBuffer header, int index, int length, long tag) {
    OutgoingPayload.checkLength("lengthBytesMax", lengthBytesMax, pullLengthMax);
    return begin(Kind.PULL, lengthBytesMax, header, index, length, tag) != null;
  }

  private Transaction begin(
      Kind kind, long lengthBytes, ByteBuffer header, int index, int length, long tag) {
    OutgoingPayload.checkLength("header length", length, headerLengthMax);
    if (isFinishing || isEnded || room() <= 0) {
      wasRefused = true;
      return null;
    }
    Transaction transaction = pool.acquire();
    transaction.submit(kind, lengthBytes, tag);
    transaction.keepHeader(header, index, length);
    outbound.add(transaction);
    submitted.addLast(transaction);
    return transaction;
  }

  private int room() {
    return outbound.room(initiator.lowestUnsettled(outbound.first()), initiator.givenUpCount());
  }

  /** Returns the RSN of the next submission, 0..2^32-1, by which {@link #cancel} finds it. */
  public long nextSubmission() {
    return Integer.toUnsignedLong(outbound.next());
  }

  /**
   * Gives up an own transaction. If nothing of it has left, it ends NOT_EXECUTED, at its turn.
   *
   * <p>Otherwise it sends nothing more and gives back what it holds, and the peer's answer decides
   * its end. If the peer has the whole message, the end is the same as without cancellation.
   * Otherwise the peer answers that it will not take it. If the answer to a pull comes anyway, it
   * is thrown away, and the pull ends UNKNOWN.
   *
   * @param rsn of the transaction, 0..2^32-1
   * @return false when it has ended, was given up before, or never existed: then nothing happened
   */
  public boolean cancel(long rsn) {
    Transaction transaction = isEnded ? null : findOpen((int) rsn);
    if (transaction == null || isGivenUp(transaction)) {
      return false;
    }
    counters.increment(CounterId.TRANSACTIONS_CANCELLED);
    transaction.cancel();
    deadlines.remove(transaction);
    if (transaction.stage() == Stage.QUEUED || transaction.stage() == Stage.ADMITTED) {
      initiator.onGivenUp(transaction);
      CloseCode code = CloseCode.CANCELLED;
      end(transaction, Outcome.NOT_EXECUTED, code.code(), code.sentence(), FLAG_TRANSPORT);
      return true;
    }
    initiator.onCancelled(transaction);
    if (transaction.isOpen()) {
      payloadEnds.drop(transaction);
      hasNews = true;
    }
    return true;
  }

  /**
   * Sets a deadline for an own transaction. If it has not ended at {@code deadlineNs}, it is given
   * up as by {@link #cancel}. Its end then says DEADLINE instead of CANCELLED.
   *
   * @param deadlineNs on the clock of {@link #onTimeout}; a deadline in the past takes effect at
   *     its next call
   * @return false when it has ended or was cancelled
   */
  public boolean deadline(long rsn, long deadlineNs) {
    Transaction transaction = isEnded ? null : findOpen((int) rsn);
    if (transaction == null || isGivenUp(transaction)) {
      return false;
    }
    deadlines.set(transaction, deadlineNs);
    return true;
  }

  /**
   * Asks for an entry RECEIVED about an own push, once the peer's transport has all of it.
   *
   * @param rsn of the push, 0..2^32-1
   * @return false when it is no push, was given up, or is in packets already: no entry follows
   */
  public boolean receipt(long rsn) {
    Transaction transaction = isEnded ? null : outbound.find((int) rsn);
    if (transaction == null
        || transaction.kind() != Kind.PUSH
        || transaction.stage() == Stage.SENT
        || isGivenUp(transaction)) {
      return false;
    }
    transaction.wantReceipt();
    return true;
  }

  /**
   * Puts the entry RECEIVED for {@code rsn}: the peer's transport has all of it.
   *
   * @return false when there is nothing to say: it was given up, its end was handed up, or its end
   *     is known and is no success
   */
  public boolean putReceived(int rsn, OutboxEntry into) {
    if (isEnded || isHandedUp(rsn)) {
      return false;
    }
    Transaction transaction = outbound.find(rsn);
    if (transaction == null) {
      into.putReceived(outbound.compactedTag(rsn));
      return true;
    }
    boolean hasFailed =
        transaction.stage() == Stage.ENDED && transaction.ending().outcome() != Outcome.COMPLETED;
    if (transaction.isCancelled() || transaction.isRefused() || hasFailed) {
      return false;
    }
    into.putReceived(transaction.tag());
    return true;
  }

  /** Returns when {@link #onTimeout} is due, {@code Long.MAX_VALUE} for never. */
  public long nextDeadlineNs() {
    Transaction first = deadlines.first();
    return first == null ? Transaction.NO_DEADLINE : first.deadlineNs();
  }

  /** Gives up the transactions that have not ended by their deadline. */
  public void onTimeout(long nowNs) {
    for (Transaction t = deadlines.first();
        t != null && t.deadlineNs() <= nowNs;
        t = deadlines.first()) {
      deadlines.remove(t);
      counters.increment(CounterId.DEADLINES_EXCEEDED);
      t.expire();
      cancel(Integer.toUnsignedLong(t.rsn()));
    }
  }

  private static boolean isGivenUp(Transaction outbound) {
    return outbound.isCancelled() || outbound.isRefused() || outbound.stage() == Stage.ENDED;
  }

  private Transaction findOpen(int rsn) {
    return outbound.isCompacted(rsn) ? restore(rsn) : outbound.find(rsn);
  }

  /** Accepts no own transactions from now on. Submitted ones go on. */
  public void finish() {
    isFinishing = true;
  }

  /** Returns whether no call has left any state here, apart from submissions. */
  public boolean isUntouched() {
    return !isFinishing && !isEnded && !wasRefused && peers().size() == 0 && !ready.hasNext();
  }

  public boolean isFinishing() {
    return isFinishing;
  }

  // ------------------------------------------------------------------ for the sublayer below

  /** Returns the pool of its transactions. */
  public TransactionPool pool() {
    return pool;
  }

  /** Returns the submissions that the sublayer below has not taken yet, in RSN order. */
  public TransactionQueue submitted() {
    return submitted;
  }

  /** Returns whether the application has a push ready that it has not submitted. */
  public boolean hasReady() {
    return !isFinishing && !isEnded && ready.hasNext();
  }

  /**
   * Returns the bytes of the push that the application has ready, if it may begin now; otherwise
   * {@link PushSupplier#NONE}. During this call the application may have submitted others, which go
   * first.
   */
  public int nextReadyLengthBytes() {
    // After a refusal ready pushes wait for enough room, as submissions do. Otherwise a completion
    // that made room for a few pushes would send a packet for these few.
    if (isFinishing || isEnded || wasRefused || !ready.hasNext()) {
      return PushSupplier.NONE;
    }
    if (room() <= 0) {
      wasRefused = true;
      return PushSupplier.NONE;
    }
    return ready.nextLengthBytes();
  }

  /** Returns how many of the ready pushes may begin now. */
  public int readyRoom() {
    return room();
  }

  /**
   * Lets the application put its ready pushes into {@code packet}, which calls {@link #beginReady}
   * for each.
   */
  public void fill(PushSupplier.Packet packet) {
    ready.fill(packet);
  }

  /** Begins a push that was ready, with the RSN {@link #nextRsn}: all of it is in a packet. */
  public void beginReady(long tag) {
    outbound.addCompacted(tag);
  }

  /**
   * Returns the own transaction; null when it was handed up, never began, or was {@link #compact
   * compacted}.
   */
  public Transaction findOwn(int rsn) {
    return outbound.find(rsn);
  }

  /**
   * Compacts an own unsolicited push whose last byte is in a packet. Only what the entry ENDED
   * needs is kept.
   */
  public void compact(Transaction transaction) {
    outbound.compact(transaction);
  }

  /** Returns whether {@code rsn} was compacted and not handed up. */
  public boolean isCompacted(int rsn) {
    return outbound.isCompacted(rsn);
  }

  /** Completes a compacted push. It is handed up at its turn. */
  public void completeCompacted(int rsn) {
    outbound.completeCompacted(rsn);
    hasNews = true;
  }

  /**
   * Turns a compacted push that has failed back into a transaction in stage SENT. Returns null when
   * it has completed.
   */
  public Transaction restore(int rsn) {
    return outbound.isCompactedAndCompleted(rsn) ? null : outbound.restore(rsn);
  }

  /** Returns the peer's transactions. */
  public InboundTransactions inbound() {
    return inbound;
  }

  /** Returns the table of the peer's transactions that have state here. */
  public TransactionTable peers() {
    return inbound.table();
  }

  /** Returns the lowest own RSN whose end was not handed up. */
  public int lowestUnended() {
    return outbound.first();
  }

  /** Returns whether the end of an own RSN was handed up. */
  public boolean isHandedUp(int rsn) {
    return outbound.isHandedUp(rsn);
  }

  /** Returns the RSN of the next submission. */
  public int nextRsn() {
    return outbound.next();
  }

  /** Returns whether every own transaction was handed up. */
  public boolean isAllHandedUp() {
    return outbound.openCount() == 0;
  }

  /**
   * Sets the outcome of an own transaction. Its end is handed up soon, on an ordered connection at
   * its turn.
   *
   * @param flags as those of COMPLETE_IN_ERROR: whose code it is
   */
  public void end(Transaction transaction, Outcome outcome, int code, String text, int flags) {
    assert transaction.stage() != Stage.ENDED : transaction + " ends twice";
    boolean isOverdue =
        transaction.isOverdue()
            && code == CloseCode.CANCELLED.code()
            && (flags & FLAG_TRANSPORT) != 0;
    if (isOverdue) {
      CloseCode deadline = CloseCode.DEADLINE;
      transaction.settle(outcome, deadline.code(), deadline.sentence(), flags);
    } else {
      transaction.settle(outcome, code, text, flags);
    }
    deadlines.remove(transaction);
    initiator.onEnded(transaction);
    transaction.end();
    outbound.onEnded(transaction.rsn());
    hasNews = true;
  }

  /** Fails an own transaction that has ended and was not handed up yet. */
  public void failEnded(Transaction transaction, String text) {
    transaction.failEnded(text);
  }

  // ------------------------------------------------------------------ entries for the application

  /**
   * Takes the next entry of this sublayer. First come payloads that were let go and messages that
   * will never be whole. Then come ends, in RSN order on an ordered connection; a pull's answer
   * comes before its end. Last comes that there is room again.
   *
   * @return false when there is none; then {@code into} is unchanged
   */
  public boolean poll(OutboxEntry into) {
    return pollCompleted(into) || (hasNews || wasRefused) && pollNews(into);
  }

  /**
   * Does the same as {@link #poll} if the next entry is the completion of an own push. The entry
   * includes the completed pushes directly after it that have the same tag. Small writes that
   * nobody waits for one by one all have the same tag.
   */
  public boolean pollCompleted(OutboxEntry into) {
    if (!outbound.isCompletedDue() || payloadEnds.hasDropped()) {
      return false;
    }
    long tag = outbound.removeCompletedDue();
    int count = 1;
    while (outbound.isCompletedDue() && outbound.tagOfDue() == tag) {
      outbound.removeCompletedDue();
      count++;
    }
    into.putCompleted(tag, count);
    counters.add(CounterId.TRANSACTIONS_COMPLETED, count);
    return true;
  }

  private boolean pollNews(OutboxEntry into) {
    if (payloadEnds.poll(into, isEnded)) {
      return true;
    }
    if (outbound.isDue()) {
      if (outbound.isCompacted(outbound.due())) {
        pollAbandoned(outbound.due(), into);
      } else {
        pollEnded(outbound.find(outbound.due()), into);
      }
      return true;
    }
    if (wasRefused && !isFinishing && !isEnded && room() >= roomWorthTelling) {
      wasRefused = false;
      into.put(OutboxEntry.Kind.ROOM);
      return true;
    }
    hasNews = false;
    return false;
  }

  /** Lets go of a transaction's payload, if it has one: {@link #poll} tells it. */
  public void releaseSource(Transaction transaction) {
    hasNews |= payloadEnds.release(transaction);
  }

  /**
   * Notes that a message will never be whole although a sink has accepted it: {@link #poll} tells
   * it.
   */
  public void drop(Transaction transaction) {
    transaction.incoming().reopen();
    payloadEnds.drop(transaction);
    hasNews = true;
  }

  private void pollEnded(Transaction transaction, OutboxEntry into) {
    Ending ending = transaction.ending();
    boolean isCompleted = ending.outcome() == Outcome.COMPLETED;
    if (transaction.isOpen()) { // a pull: its answer is told first, its end by the next call
      transaction.incoming().close();
      into.putDelivered(transaction, isCompleted);
      return;
    }
    into.putEnded(
        transaction.tag(),
        ending.outcome(),
        ending.code(),
        ending.text(),
        ending.isFromTransport());
    if (!isEnded) { // otherwise it has given back everything
      initiator.onRetired(transaction);
    }
    outbound.removeDue();
    pool.release(transaction);
    counters.increment(
        isCompleted ? CounterId.TRANSACTIONS_COMPLETED : CounterId.TRANSACTIONS_FAILED);
  }

  /** Hands up a compacted push that had not ended when the connection ended. */
  private void pollAbandoned(int rsn, OutboxEntry into) {
    into.putEnded(outbound.compactedTag(rsn), Outcome.UNKNOWN, endCode, endText, true);
    counters.increment(CounterId.TRANSACTIONS_FAILED);
    outbound.removeDue();
  }

  /**
   * Ends every open transaction, because the connection ended. A transaction ends NOT_EXECUTED if
   * nothing of it was sent. All others end UNKNOWN, because nobody can say.
   *
   * <p>After that {@link #poll} gives all ends, each payload that is let go, and each message that
   * a sink holds in part. The sublayer below calls this, and then gives back what it holds.
   *
   * @param code reason of the end
   * @param text reason for people
   */
  public void endAll(int code, String text) {
    if (isEnded) {
      return;
    }
    isEnded = true;
    hasNews = true;
    inbound.end();
    endCode = code;
    endText = text;
    for (int rsn = outbound.first(); rsn != outbound.next(); rsn++) {
      Transaction transaction = outbound.abandonCompacted(rsn) ? null : outbound.find(rsn);
      if (transaction != null && transaction.stage() != Stage.ENDED) {
        boolean isUnsent =
            transaction.stage() == Stage.QUEUED || transaction.stage() == Stage.ADMITTED;
        Outcome outcome = isUnsent ? Outcome.NOT_EXECUTED : Outcome.UNKNOWN;
        end(transaction, outcome, code, text, FLAG_TRANSPORT);
      }
    }
    for (int rsn = outbound.first(); rsn != outbound.next(); rsn++) {
      Transaction transaction = outbound.find(rsn);
      if (transaction != null) {
        initiator.onRetired(transaction);
      }
    }
    inbound.abandonAll(payloadEnds);
  }

  /** Returns whether {@link #endAll} has run: no call may change anything any more. */
  public boolean isEnded() {
    return isEnded;
  }

  /** Returns how many own transactions were submitted and not handed up. */
  public int outstanding() {
    return outbound.openCount();
  }

  /** Returns how many more transactions can be submitted now. */
  public int submittable() {
    return isFinishing || isEnded ? 0 : Math.max(0, room());
  }
}
