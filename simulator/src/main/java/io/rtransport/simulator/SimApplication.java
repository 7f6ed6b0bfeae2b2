package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.simulator.PlannedTransaction.Verdict;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * Application of one host. It submits its transactions when their time comes, takes and answers the
 * peer's as the plan of each says, and checks every entry. {@link OwnEnds} checks the ends of its
 * own transactions, {@link Inbox} the received messages.
 */
public final class SimApplication implements Application, PayloadSource {
  private final int host;
  private final Workload workload;
  private final SimSchedule schedule;
  private final SimTotals totals;
  private final SimTrace trace;
  private final OwnEnds ends;
  private final Inbox pushes;
  private final Inbox answers;
  private final ArrayDeque<PlannedTransaction> refusedAnswers = new ArrayDeque<>();
  private final SimPushSupplier pushSupplier;
  private Predicate<PlannedTransaction> hasArrived = push -> true;

  private SimPort port;
  private int submittedCount;
  private boolean isBlocked;
  private boolean isStopped;
  private boolean isDeathExpected;
  private boolean isMortal;
  private int cutShort;
  private boolean isRefusing;
  private boolean isTouched;
  private boolean isToFinish;
  private boolean isFinished;

  SimApplication(
      int host,
      WorldPlan plan,
      Workload workload,
      SimSchedule schedule,
      SimTotals totals,
      SimTrace trace) {
    this.host = host;
    this.workload = workload;
    this.schedule = schedule;
    this.totals = totals;
    this.trace = trace;
    this.pushSupplier = new SimPushSupplier(this, SimRandom.fork(plan.seed, "ready").nextBoolean());
    this.ends = new OwnEnds(host, plan.isOrdered, workload, trace, totals);
    this.pushes = new Inbox(this, host, plan, workload, false);
    this.answers = new Inbox(this, host, plan, workload, true);
  }

  /** Returns the bytes of the peer's pushes that certainly hold its credit. */
  long untakenBytes() {
    return pushes.untakenBytes();
  }

  /** Returns the receiver of the peer's pushes, or of the answers to this host's pulls. */
  Inbox inbox(boolean isAnswers) {
    return isAnswers ? answers : pushes;
  }

  /**
   * Handles the connection's entries about transactions. Its host handles those about the
   * connection.
   */
  @Override
  public void onEntry(OutboxEntry entry) {
    switch (entry.kind()) {
      case MESSAGE -> pushes.onMessage(entry);
      case OPENED -> inbox(entry.isAnswer()).onOpened(entry);
      case BYTES -> inbox(entry.isAnswer()).onBytes(entry);
      case DELIVERED -> inbox(entry.isAnswer()).deliver(entry.handle(), entry.isWhole());
      case REQUESTED ->
          onPullRequest(
              entry.rsn(),
              entry.limitBytes(),
              entry.buffer(),
              entry.headerOffset(),
              entry.headerLength());
      case RECEIVED -> ends.onReceived(entry.tag(), hasArrived);
      case SOURCE_RELEASED -> release(entry.handle());
      case ENDED -> {
        for (int i = 0; i < entry.count(); i++) {
          onEnded(entry.tag(), entry.outcome(), entry.code(), entry.text());
        }
      }
      case ROOM -> onRoom();
      default -> throw new IllegalArgumentException(entry.kind() + " is the host's");
    }
  }

  /** Sets the first RSNs of both directions, so that the number alone identifies a message. */
  void firstRsns(int own, int peers) {
    answers.firstRsn(own);
    pushes.firstRsn(peers);
  }

  /** Sets the port of the established connection. It may call at once. */
  public void port(SimPort ownPort) {
    port = ownPort;
    pushes.takeWhole();
  }

  /** Returns the RSN of the peer's transaction. */
  public long peersRsn(PlannedTransaction transaction) {
    return pushes.rsn(transaction);
  }

  /** Returns the RSN of the peer's push whose handle at its sink is {@code handle}. */
  long pushRsn(long handle) {
    return pushes.rsn(workload.of(1 - host).get((int) handle));
  }

  /** Takes the peer's next push, whole and in its turn. */
  public void onWholePush(long rsn, byte[] header, ByteBuffer content) {
    takeWhole(pushes, rsn, header, content);
  }

  /** Takes the peer's next pull request, in its turn. */
  public void onWholePullRequest(long rsn, byte[] header, long lengthBytesMax) {
    onPullRequest(rsn, lengthBytesMax, ByteBuffer.wrap(header), 0, header.length);
  }

  /** Takes the whole answer to an own pull. */
  public void onWholeAnswer(PlannedTransaction own, ByteBuffer content) {
    takeWhole(answers, answers.rsn(own), new byte[0], content);
  }

  private static void takeWhole(Inbox inbox, long rsn, byte[] header, ByteBuffer content) {
    int length = content.remaining();
    long handle = inbox.open(rsn, length, ByteBuffer.wrap(header), 0, header.length);
    inbox.write(handle, 0, content, content.position(), length);
    inbox.deliver(handle, true);
  }

  /** Sets the test for arrived own pushes, which checks their receipts. */
  void checkReceipts(Predicate<PlannedTransaction> arrived) {
    hasArrived = arrived;
  }

  /** Stops submissions: the connection ends. */
  void stop() {
    isStopped = true;
  }

  /** Half-closes as soon as the last planned transaction is submitted. */
  void finishAfterPlan() {
    isToFinish = true;
  }

  boolean isFinished() {
    return isFinished;
  }

  /** Takes the end of input: the peer begins nothing more, and had begun {@code count}. */
  void onEndOfInput(int count) {
    pushes.onEnd(count);
  }

  boolean hasEndOfInput() {
    return pushes.isEnded();
  }

  SimPort port() {
    return port;
  }

  SimSchedule schedule() {
    return schedule;
  }

  SimTotals totals() {
    return totals;
  }

  SimTrace trace() {
    return trace;
  }

  OwnEnds ends() {
    return ends;
  }

  /**
   * Allows transactions to end without their peer's word, and messages to be cut short: the
   * connection is about to die.
   */
  void expectDeath() {
    isDeathExpected = true;
    ends.expectDeath();
  }

  /** Allows refusals of what one side hears of from now on: that side closes. */
  void expectRefusals() {
    isRefusing = true;
    ends.expectRefusals();
  }

  /** Allows the connection to die at any time, without a request. */
  void expectDeathAnyTime(IntPredicate isBegun) {
    isMortal = true;
    ends.expectDeathAnyTime(isBegun);
  }

  boolean isMortal() {
    return isMortal;
  }

  /** Counts a message that was cut short, which only the death of the connection explains. */
  void noteCutShort() {
    cutShort++;
  }

  /** Returns the count of entries so far that only the connection's death explains. */
  int deathSigns() {
    return ends.deathCount() + cutShort;
  }

  int cutShort() {
    return cutShort;
  }

  boolean isRefusing() {
    return isRefusing;
  }

  boolean isDeathExpected() {
    return isDeathExpected;
  }

  boolean isStopped() {
    return isStopped;
  }

  /** Runs what is due. Returns true if it used the connection, which then needs a flush. */
  boolean run(long nowNs) {
    isTouched = false;
    schedule.run(nowNs);
    return isTouched;
  }

  void touch() {
    isTouched = true;
  }

  /** Submits what is due until the connection refuses. Then it waits for ROOM. */
  void submit() {
    submit(false);
  }

  /**
   * Submits what is due.
   *
   * @param isInCore whether the connection asks. Inside that call only submitting verbs are
   *     allowed; the rest is left for later
   */
  private void submit(boolean isInCore) {
    List<PlannedTransaction> own = workload.of(host);
    while (!isStopped && !isBlocked && port != null && submittedCount < own.size()) {
      PlannedTransaction next = own.get(submittedCount);
      if (next.notBeforeNs > schedule.nowNs()) {
        schedule.at(next.notBeforeNs, this::submit);
        return;
      }
      if (pushSupplier.isFor(next)) {
        isTouched = true;
        port.pushesReady();
        return; // Later transactions wait for this one.
      }
      if (isInCore && (next.deadlineDelayNs >= 0 || next.cancelDelayNs >= 0)) {
        submitSoon();
        return;
      }
      // Counted as submitted first: a call that sends at once must find it so.
      next.isSubmitted = true;
      boolean isTaken = next.isPush() ? port.push(next) : port.pull(next);
      if (!isTaken) {
        next.isSubmitted = false;
        isBlocked = true;
        totals.refusedSubmissions++;
        return;
      }
      submittedCount++;
      totals.transactions++;
      totals.bytes += next.lengthBytes;
      isTouched = true;
      cancelInTime(next);
    }
    boolean isLast = !isStopped && port != null && submittedCount == own.size();
    if (isInCore && isLast) {
      submitSoon();
    } else if (isToFinish && !isFinished && isLast) {
      isFinished = true;
      isTouched = true;
      totals.halfCloses++;
      port.finish();
    }
  }

  @Override
  public PushSupplier pushSupplier() {
    return pushSupplier;
  }

  /** Returns the next transaction that is due and may be submitted; null for none. */
  PlannedTransaction nextDue() {
    List<PlannedTransaction> own = workload.of(host);
    if (isStopped || isBlocked || port == null || submittedCount == own.size()) {
      return null;
    }
    PlannedTransaction next = own.get(submittedCount);
    return next.notBeforeNs <= schedule.nowNs() ? next : null;
  }

  /**
   * Submits what precedes the next ready push, in the connection's call. What is forbidden there is
   * left for later.
   */
  void submitInCore() {
    submit(true);
  }

  /** Goes on submitting after the connection has taken as many as it had room for. */
  void submitSoon() {
    schedule.at(schedule.nowNs(), this::submit);
  }

  /** Records that {@link #nextDue} was ready, and has become a transaction. */
  void onReadyTaken(PlannedTransaction next, long rsn) {
    require(rsn == answers.rsn(next), Invariant.NUMBERING, "%s is taken as %d", next, rsn);
    submittedCount++;
    next.isSubmitted = true;
    next.isUnawaited = true;
    next.isReceiptWanted = false;
    next.isReleased = true;
    totals.transactions++;
    totals.readyPushes++;
    totals.bytes += next.lengthBytes;
  }

  private void cancelInTime(PlannedTransaction own) {
    if (own.isReceiptWanted) {
      own.isReceiptWanted = port.receipt(answers.rsn(own));
    }
    if (own.deadlineDelayNs >= 0) {
      totals.deadlines++;
      own.deadlineNs = schedule.nowNs() + own.deadlineDelayNs;
      port.deadline(answers.rsn(own), own.deadlineNs);
    }
    if (own.cancelDelayNs == 0) {
      cancel(own);
    } else if (own.cancelDelayNs > 0) {
      schedule.at(schedule.nowNs() + own.cancelDelayNs, () -> cancel(own));
    }
  }

  private void cancel(PlannedTransaction own) {
    if (isStopped) {
      return;
    }
    // Set first: the peer's sink may be closed before the call returns.
    boolean wasCancelled = own.isCancelled;
    own.isCancelled = true;
    if (port.cancel(own, answers.rsn(own))) {
      require(!own.isEnded, Invariant.ONE_END, "%s is cancelled after its end", own);
      totals.cancels++;
      isTouched = true;
    } else {
      own.isCancelled = wasCancelled;
    }
  }

  /** Returns whether every transaction planned so far was submitted and has ended. */
  boolean isDone() {
    return submittedCount == workload.of(host).size() && ends.count() == submittedCount;
  }

  /** Returns a number that grows with all work done. */
  long progress() {
    return submittedCount + ends.count() + pushes.progress() + answers.progress();
  }

  int submittedCount() {
    return submittedCount;
  }

  private void onRoom() {
    isBlocked = false;
    schedule.at(
        schedule.nowNs(),
        () -> {
          while (!refusedAnswers.isEmpty() && respond(refusedAnswers.peek())) {
            refusedAnswers.poll();
          }
          submit();
        });
  }

  /** Checks the end of an own transaction. */
  public void onEnded(long tag, Outcome outcome, int code, String text) {
    ends.onEnded(tag, outcome, code, text, schedule.nowNs());
  }

  void onPullRequest(long rsn, long lengthBytesMax, ByteBuffer header, int index, int length) {
    PlannedTransaction pull = pushes.onRequest(rsn, header, index, length);
    require(!pull.isPush(), Invariant.CONTENT, "%s arrived as a pull", pull);
    require(
        lengthBytesMax == pull.lengthBytesMax,
        Invariant.CONTENT,
        "%s asks for at most %d bytes, not %d",
        pull,
        pull.lengthBytesMax,
        lengthBytesMax);
    pull.isDelivered = true;
    trace.delivered(host, false, rsn, true, schedule.nowNs());
    decide(pull);
  }

  /** Gives the verdict on the peer's transaction, at once or after its delay. */
  void decide(PlannedTransaction transaction) {
    if (transaction.verdictDelayNs == 0) {
      pronounce(transaction);
    } else {
      port.onUndecided(pushes.rsn(transaction));
      schedule.at(schedule.nowNs() + transaction.verdictDelayNs, () -> pronounce(transaction));
    }
  }

  private void pronounce(PlannedTransaction transaction) {
    if (isStopped) {
      return;
    }
    isTouched = true;
    pushes.onPronounced(transaction);
    long rsn = pushes.rsn(transaction);
    if (transaction.verdict == Verdict.FAIL) {
      transaction.isFailed = true;
      port.fail(rsn, transaction.code, transaction.text);
    } else if (transaction.isPush()) {
      transaction.isAcknowledged = true;
      port.acknowledge(rsn);
    } else if (!respond(transaction)) {
      refusedAnswers.add(transaction);
    }
  }

  private boolean respond(PlannedTransaction pull) {
    pull.isAnswered = true;
    boolean isTaken = port.respond(pushes.rsn(pull), pull) || pull.mayBeGivenUp();
    if (!isTaken) {
      totals.refusedSubmissions++;
    }
    isTouched = true;
    return isTaken;
  }

  /** Writes the whole message, or answer, into {@code to}. */
  public void fill(PlannedTransaction transaction, ByteBuffer to) {
    Pattern.copy(transaction.start, 0, to, 0, transaction.lengthBytes);
  }

  /**
   * Records that the bytes of {@code transaction} are not needed, where the transport holds them
   * itself.
   */
  public void released(PlannedTransaction transaction) {
    transaction.isReleased = true;
  }

  // The payload source. The handle is the transaction: own pushes first, answers to the peer's
  // pulls above them.

  /** Returns the handle by which the connection knows the bytes of {@code transaction}. */
  public static long handle(PlannedTransaction transaction) {
    return transaction.isPush() ? transaction.index : 1L << 32 | transaction.index;
  }

  private PlannedTransaction ofHandle(long handle) {
    boolean isAnswer = handle >>> 32 != 0;
    return workload.of(isAnswer ? 1 - host : host).get((int) handle);
  }

  @Override
  public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
    PlannedTransaction transaction = ofHandle(handle);
    require(!transaction.isReleased, Invariant.ONE_END, "%s is read after release", transaction);
    if (!(offset + length <= transaction.lengthBytes)) {
      throw InvariantViolation.of(
          Invariant.CONTENT, "bytes %d..%d of %s are read", offset, offset + length, transaction);
    }
    int ready = readyBytes(transaction, offset, length);
    Pattern.copy(transaction.start, offset, to, index, ready);
    if (offset + ready == transaction.lengthBytes) {
      release(handle);
    }
    return ready;
  }

  /**
   * Returns the ready bytes of a source. A slow source has one step of bytes, and one more for each
   * time it said that more are ready.
   */
  private int readyBytes(PlannedTransaction transaction, long offset, int length) {
    long there = (long) transaction.sourceStepBytes * (1 + transaction.sourceSteps);
    if (offset + length <= there) {
      return length;
    }
    if (!transaction.isSourceWaiting) {
      transaction.isSourceWaiting = true;
      schedule.at(schedule.nowNs() + transaction.sourceDelayNs, () -> step(transaction));
    }
    return (int) Math.max(0, there - offset);
  }

  private void step(PlannedTransaction transaction) {
    transaction.isSourceWaiting = false;
    transaction.sourceSteps++;
    if (!isStopped && !transaction.isReleased) {
      isTouched = true;
      port.ready(transaction);
    }
  }

  private void release(long handle) {
    PlannedTransaction transaction = ofHandle(handle);
    require(!transaction.isReleased, Invariant.ONE_END, "%s is released twice", transaction);
    transaction.isReleased = true;
  }
}
