package io.rtransport.core.transaction;

import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Role;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.wire.CloseCode;
import io.rtransport.core.wire.CompleteInErrorFlyweight;
import java.nio.ByteBuffer;
import org.agrona.collections.LongArrayQueue;

/**
 * The topmost sublayer: what the application began, and what the peer's application began here. The
 * own transactions are this class's; the peer's are {@link InboundTransactions}'.
 *
 * <p><b>Own transactions.</b> A submission gets its RSN at once and waits in a queue until the
 * sublayer below takes it. Each ends exactly once; {@link #poll} gives the ends: in RSN order,
 * pushes and pulls together, where the connection is ordered, else as they come. At most {@code
 * outstandingMax} are submitted and not handed up: that bounds the table and the queue. What is
 * only {@link PushSupplier ready} begins as it is put into a packet.
 *
 * <p><b>The peer's.</b> The sublayer below says, in RSN order where ordered, that a message is
 * whole or that a pull was asked for; the application hears it by an entry DELIVERED, MESSAGE or
 * REQUESTED and answers by {@link InboundTransactions}' verbs, at once or later. A small push that
 * is acknowledged before {@link #poll} is called again never enters a table.
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
  private final TransactionQueue dropped;

  /** Payloads that are let go, until that is told; null before the first. */
  private LongArrayQueue released;

  private final TransactionDeadlines deadlines;
  private final PushSupplier ready;

  private TransactionSupport lower;
  private boolean isFinishing;
  private boolean isEnded;
  private int endCode;
  private String endText;
  private boolean wasRefused;

  /** Whether something has ended, or was dropped, since {@link #poll} last had nothing to say. */
  private boolean hasNews;

  /**
   * @param ready what the application has ready without submitting it
   */
  public TransactionSublayer(
      PushSupplier ready, TransactionPool pool, Counters counters, AgreedParameters agreed) {
    boolean isOrdered = agreed.isOrdered();
    int outstandingMax = agreed.both().outstandingMax();
    this.ready = ready;
    this.pool = pool;
    this.counters = counters;
    // An eighth of the window, so that a submitter is not told for each single place. Without order
    // some that stay open for long may leave less than that, and it would never be told.
    roomWorthTelling = isOrdered ? Math.max(1, outstandingMax >> 3) : 1;
    headerLengthMax = agreed.both().headerLengthMax();
    pushLengthMax = agreed.tx().messageLengthMax();
    pullLengthMax = agreed.rx().messageLengthMax();
    outbound = new OutboundTransactions(pool, agreed.txNumbers().rsn(), isOrdered, outstandingMax);
    inbound = new InboundTransactions(pool, counters, outstandingMax);
    submitted = new TransactionQueue(pool, Transaction.STREAM);
    deadlines = new TransactionDeadlines(pool);
    dropped = new TransactionQueue(pool, Transaction.GRANT);
  }

  /** Called once, by the sublayer below. */
  public void attach(TransactionSupport below) {
    assert lower == null : "attached twice";
    lower = below;
    inbound.attach(below);
  }

  // ------------------------------------------------------------------ from above: own

  /**
   * Begins a push.
   *
   * @param source where the payload comes from
   * @param handle names the payload to {@code source}
   * @param lengthBytes 0..the peer's largest message
   * @param header holds the application header at {@code [index, index + length)}; copied
   * @param tag comes back with the entry ENDED
   * @param isAwaited false: nobody waits for its success, of which the peer may tell a little later
   *     for that
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
    checkLength("lengthBytes", lengthBytes, pushLengthMax);
    Transaction transaction = begin(Kind.PUSH, lengthBytes, header, index, length, tag);
    if (transaction == null) {
      return false;
    }
    transaction.source = source;
    transaction.handle = handle;
    transaction.isUnawaited = !isAwaited;
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
    checkLength("lengthBytesMax", lengthBytesMax, pullLengthMax);
    return begin(Kind.PULL, lengthBytesMax, header, index, length, tag) != null;
  }

  static void checkLength(String name, long lengthBytes, long max) {
    if (lengthBytes < 0 || lengthBytes > max) {
      throw new IllegalArgumentException(name + "=" + lengthBytes + " must be 0.." + max);
    }
  }

  private Transaction begin(
      Kind kind, long lengthBytes, ByteBuffer header, int index, int length, long tag) {
    checkLength("header length", length, headerLengthMax);
    if (isFinishing || isEnded || room() <= 0) {
      wasRefused = true;
      return null;
    }
    Transaction transaction = pool.acquire();
    transaction.submit(kind);
    transaction.lengthBytes = lengthBytes;
    transaction.header(header, index, length);
    transaction.tag = tag;
    outbound.add(transaction);
    submitted.addLast(transaction);
    return transaction;
  }

  private int room() {
    return outbound.room(lower.lowestUnsettled(outbound.first()), lower.givenUpCount());
  }

  /** The RSN that the next submission gets, 0..2^32-1: by it {@link #cancel} knows it. */
  public long nextSubmission() {
    return Integer.toUnsignedLong(outbound.next());
  }

  /**
   * Gives an own transaction up. One of which nothing has left ends NOT_EXECUTED, at its turn. Any
   * other sends nothing more, gives back what it holds, and ends by what the peer says of it: it
   * has the message, and then the end is what it would have been, or it answers that it will not
   * take it. The answer to a pull that comes all the same is thrown away; such a pull ends UNKNOWN.
   *
   * @param rsn of the transaction, 0..2^32-1
   * @return false when it has ended, was given up before, or never was: then nothing happened
   */
  public boolean cancel(long rsn) {
    Transaction transaction = isEnded ? null : findOpen((int) rsn);
    if (transaction == null || isGivenUp(transaction)) {
      return false;
    }
    counters.increment(CounterId.TRANSACTIONS_CANCELLED);
    transaction.isCancelled = true;
    deadlines.remove(transaction);
    if (transaction.stage() == Stage.QUEUED || transaction.stage() == Stage.ADMITTED) {
      lower.onGivenUp(transaction);
      transaction.errorFlags = CompleteInErrorFlyweight.FLAG_TRANSPORT;
      CloseCode code = CloseCode.CANCELLED;
      end(transaction, Outcome.NOT_EXECUTED, code.code(), code.sentence());
      return true;
    }
    lower.onCancelled(transaction);
    if (transaction.isOpen) {
      dropped.addLast(transaction);
      hasNews = true;
    }
    return true;
  }

  /**
   * Gives an own transaction up at {@code deadlineNs}, as {@link #cancel} does, if it has not ended
   * by then. Where that would say CANCELLED the end says DEADLINE.
   *
   * @param deadlineNs on the clock of {@link #onTimeout}; one that has passed counts at the next
   *     call of that
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
   * Has an own push told of by an entry RECEIVED, once the peer's transport has all of it.
   *
   * @param rsn of the push, 0..2^32-1
   * @return false when it is no push, was given up, or is in packets already: nothing follows
   */
  public boolean receipt(long rsn) {
    Transaction transaction = isEnded ? null : outbound.find((int) rsn);
    if (transaction == null
        || transaction.kind() != Kind.PUSH
        || transaction.stage() == Stage.SENT
        || isGivenUp(transaction)) {
      return false;
    }
    transaction.isReceiptWanted = true;
    return true;
  }

  /**
   * The peer's transport has {@code rsn} wholly.
   *
   * @return false when it was given up, its end was handed up, or is known and no success: there is
   *     nothing to say
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
        transaction.stage() == Stage.ENDED && transaction.outcome() != Outcome.COMPLETED;
    if (transaction.isCancelled || transaction.isRefused || hasFailed) {
      return false;
    }
    into.putReceived(transaction.tag);
    return true;
  }

  /** When {@link #onTimeout} is due, {@code Long.MAX_VALUE} for never. */
  public long nextDeadlineNs() {
    Transaction first = deadlines.first();
    return first == null ? Transaction.NO_DEADLINE : first.deadlineNs;
  }

  /** Gives up what has not ended by its deadline. */
  public void onTimeout(long nowNs) {
    for (Transaction t = deadlines.first();
        t != null && t.deadlineNs <= nowNs;
        t = deadlines.first()) {
      deadlines.remove(t);
      counters.increment(CounterId.DEADLINES_EXCEEDED);
      t.isOverdue = true;
      cancel(Integer.toUnsignedLong(t.rsn));
    }
  }

  private static boolean isGivenUp(Transaction outbound) {
    return outbound.isCancelled || outbound.isRefused || outbound.stage() == Stage.ENDED;
  }

  private Transaction findOpen(int rsn) {
    return outbound.isCompacted(rsn) ? restore(rsn) : outbound.find(rsn);
  }

  /** No own transactions from now on. Those that were submitted go on. */
  public void finish() {
    isFinishing = true;
  }

  /** Whether nobody has asked anything of it that it would have to remember, submissions apart. */
  public boolean isUntouched() {
    return !isFinishing && !isEnded && !wasRefused && peers().size() == 0 && !ready.hasNext();
  }

  public boolean isFinishing() {
    return isFinishing;
  }

  // ------------------------------------------------------------------ for the sublayer below

  /** Where its transactions come from. */
  public TransactionPool pool() {
    return pool;
  }

  /** Submissions that it has not taken yet, in RSN order. */
  public TransactionQueue submitted() {
    return submitted;
  }

  /** Whether the application has a push ready that it has not submitted. */
  public boolean hasReady() {
    return !isFinishing && !isEnded && ready.hasNext();
  }

  /**
   * Bytes of the push that the application has ready, if it may begin now; else {@link
   * PushSupplier#NONE}. It may have submitted others meanwhile, which go first.
   */
  public int nextReadyLengthBytes() {
    // Once refused they wait for room worth telling of, as submissions do: a completion that made
    // room for a few would send a packet for those.
    if (isFinishing || isEnded || wasRefused || !ready.hasNext()) {
      return PushSupplier.NONE;
    }
    if (room() <= 0) {
      wasRefused = true;
      return PushSupplier.NONE;
    }
    return ready.nextLengthBytes();
  }

  /** How many of those that the application has ready may begin now. */
  public int readyRoom() {
    return room();
  }

  /**
   * The application puts what it has ready into {@code packet}, which calls {@link #beginReady} for
   * each.
   */
  public void fill(PushSupplier.Packet packet) {
    ready.fill(packet);
  }

  /** A push that was ready begins with its RSN, {@link #nextRsn}; all of it is in a packet. */
  public void beginReady(long tag) {
    outbound.addCompacted(tag);
  }

  /**
   * The own transaction; null when it was handed up, never began, or was {@link #compact
   * compacted}.
   */
  public Transaction findOwn(int rsn) {
    return outbound.find(rsn);
  }

  /**
   * An own unsolicited push is packetised to its last byte: all that is kept of it is what the
   * entry ENDED needs.
   */
  public void compact(Transaction transaction) {
    outbound.compact(transaction);
  }

  /** Whether {@code rsn} was compacted, and not handed up. */
  public boolean isCompacted(int rsn) {
    return outbound.isCompacted(rsn);
  }

  /** A compacted push has succeeded. It is handed up at its turn. */
  public void completeCompacted(int rsn) {
    outbound.completeCompacted(rsn);
    hasNews = true;
  }

  /**
   * A compacted push is a transaction again, in stage SENT, for it has failed; null when it has
   * completed.
   */
  public Transaction restore(int rsn) {
    return outbound.isCompactedAndCompleted(rsn) ? null : outbound.restore(rsn);
  }

  /** The peer's transactions. */
  public InboundTransactions inbound() {
    return inbound;
  }

  /** The peer's transactions that have state here. */
  public TransactionTable peers() {
    return inbound.table();
  }

  /** The lowest own RSN whose end was not handed up. */
  public int lowestUnended() {
    return outbound.first();
  }

  /** Whether the end of an own RSN was handed up. */
  public boolean isHandedUp(int rsn) {
    return outbound.isHandedUp(rsn);
  }

  /** The RSN of the next submission. */
  public int nextRsn() {
    return outbound.next();
  }

  /** Whether every own transaction was handed up. */
  public boolean isAllHandedUp() {
    return outbound.openCount() == 0;
  }

  /**
   * An own transaction's outcome is known. It is handed up soon, at its turn where the connection
   * is ordered.
   */
  public void end(Transaction transaction, Outcome outcome, int code, String text) {
    assert transaction.stage() != Stage.ENDED : transaction + " ends twice";
    boolean isOverdue =
        transaction.isOverdue
            && code == CloseCode.CANCELLED.code()
            && (transaction.errorFlags & CompleteInErrorFlyweight.FLAG_TRANSPORT) != 0;
    transaction.outcome(outcome);
    transaction.code = isOverdue ? CloseCode.DEADLINE.code() : code;
    transaction.text = isOverdue ? CloseCode.DEADLINE.sentence() : text;
    deadlines.remove(transaction);
    lower.onEnded(transaction);
    transaction.end();
    outbound.onEnded(transaction.rsn);
    hasNews = true;
  }

  /** An own transaction that has ended, and was not handed up, has failed after all. */
  public void failEnded(Transaction transaction, String text) {
    transaction.outcome(Outcome.FAILED);
    transaction.text = text;
  }

  // ------------------------------------------------------------------ what it has to say

  /**
   * Takes the next thing that this sublayer has to say: a message that will never be whole; an end,
   * in RSN order where the connection is ordered, with the answer before it where it was a pull's;
   * then that there is room again.
   *
   * @return false when there is nothing, and {@code into} is as it was
   */
  public boolean poll(OutboxEntry into) {
    return pollCompleted(into) || (hasNews || wasRefused) && pollNews(into);
  }

  /**
   * As {@link #poll}, where the next thing is that an own push has completed: it, and those behind
   * it that have too and bear its tag. Small writes that nobody waits for one by one all bear one.
   */
  public boolean pollCompleted(OutboxEntry into) {
    if (!outbound.isCompletedDue() || !dropped.isEmpty()) {
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
    if (released != null && !released.isEmpty()) {
      into.putSourceReleased(released.pollLong());
      return true;
    }
    if (!dropped.isEmpty()) {
      pollDropped(into);
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

  /** The payload of a transaction is let go, if it has one yet: {@link #poll} says so. */
  public void releaseSource(Transaction transaction) {
    if (transaction.source != null) {
      transaction.source = null;
      released = released == null ? new LongArrayQueue() : released;
      released.addLong(transaction.handle);
      hasNews = true;
    }
  }

  /** A message that a sink holds, in whole or part, will never be whole: {@link #poll} says so. */
  public void drop(Transaction transaction) {
    transaction.isOpen = true;
    dropped.addLast(transaction);
    hasNews = true;
  }

  private void pollDropped(OutboxEntry into) {
    Transaction transaction = dropped.poll();
    transaction.isOpen = false;
    into.putDelivered(transaction, false);
    if (transaction.role() == Role.PEER && isEnded) {
      pool.release(transaction); // it stands in no table any more
    }
  }

  private void pollEnded(Transaction transaction, OutboxEntry into) {
    boolean isCompleted = transaction.outcome() == Outcome.COMPLETED;
    if (transaction.isOpen) { // a pull: its answer is told first, its end by the next call
      transaction.isOpen = false;
      into.putDelivered(transaction, isCompleted);
      return;
    }
    into.putEnded(
        transaction.tag,
        transaction.outcome(),
        transaction.code,
        transaction.text,
        (transaction.errorFlags & CompleteInErrorFlyweight.FLAG_TRANSPORT) != 0);
    if (!isEnded) { // else it has given back all
      lower.onRetired(transaction);
    }
    outbound.removeDue();
    pool.release(transaction);
    counters.increment(
        isCompleted ? CounterId.TRANSACTIONS_COMPLETED : CounterId.TRANSACTIONS_FAILED);
  }

  /** The connection ended before a compacted push did. */
  private void pollAbandoned(int rsn, OutboxEntry into) {
    into.putEnded(outbound.compactedTag(rsn), Outcome.UNKNOWN, endCode, endText, true);
    counters.increment(CounterId.TRANSACTIONS_FAILED);
    outbound.removeDue();
  }

  /**
   * The connection ended: every open transaction ends now, with the honest outcome. What nothing
   * was ever sent of is not executed; of the rest nobody can say. {@link #poll} then gives all
   * ends, each payload that is let go, and each message of which a sink holds part.
   *
   * @param code why, and {@code text} for people
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
        transaction.errorFlags = CompleteInErrorFlyweight.FLAG_TRANSPORT;
        boolean isUnsent =
            transaction.stage() == Stage.QUEUED || transaction.stage() == Stage.ADMITTED;
        Outcome outcome = isUnsent ? Outcome.NOT_EXECUTED : Outcome.UNKNOWN;
        end(transaction, outcome, code, text);
      }
    }
    for (int rsn = outbound.first(); rsn != outbound.next(); rsn++) {
      Transaction transaction = outbound.find(rsn);
      if (transaction != null) {
        lower.onRetired(transaction);
      }
    }
    inbound.abandonAll(this, dropped);
    lower.onAllEnded();
  }

  /** Whether {@link #endAll} has run: nothing may be done any more. */
  public boolean isEnded() {
    return isEnded;
  }

  /** Own transactions submitted and not handed up. */
  public int outstanding() {
    return outbound.openCount();
  }

  /** How many more can be submitted now. */
  public int submittable() {
    return isFinishing || isEnded ? 0 : Math.max(0, room());
  }
}
