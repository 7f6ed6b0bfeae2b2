package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * Check of the ends of one host's own transactions: each once, in RSN order where ordered, and in
 * agreement with the peer's application.
 */
final class OwnEnds {
  private final int host;
  private final boolean isOrdered;
  private final Workload workload;
  private final SimTrace trace;
  private final SimTotals totals;
  private int count;
  private int lowestOpen;
  private int highestIndex;
  private boolean mayBeUnknown;
  private boolean mayBeRefused;
  private boolean isMortal;
  private int deathCount;
  private IntPredicate isBegun = index -> true;

  OwnEnds(int host, boolean isOrdered, Workload workload, SimTrace trace, SimTotals totals) {
    this.host = host;
    this.isOrdered = isOrdered;
    this.workload = workload;
    this.trace = trace;
    this.totals = totals;
  }

  /** Allows ends without an answer from now on: the connection may die. */
  void expectDeath() {
    mayBeUnknown = true;
  }

  /**
   * Allows the connection to die at any time. Ends that only its death explains are counted. {@code
   * begun} tells whether a record of a transaction had left.
   */
  void expectDeathAnyTime(IntPredicate begun) {
    isMortal = true;
    isBegun = begun;
  }

  /** Returns the ends so far that only the connection's death explains. */
  int deathCount() {
    return deathCount;
  }

  /** Allows the peer to refuse, from now on, transactions that it has not begun to take. */
  void expectRefusals() {
    mayBeRefused = true;
  }

  int count() {
    return count;
  }

  /** Checks a receipt of an own push; {@code hasArrived} tells whether it is true. */
  void onReceived(long tag, Predicate<PlannedTransaction> hasArrived) {
    require(tag >= 0 && tag < workload.of(host).size(), Invariant.RECEIPT, "of tag %d", tag);
    PlannedTransaction own = workload.of(host).get((int) tag);
    require(own.isReceiptWanted && !own.isReceived, Invariant.RECEIPT, "%s, not wanted now", own);
    require(!own.isEnded && !own.isCancelled, Invariant.RECEIPT, "%s, after its end", own.state());
    require(hasArrived.test(own), Invariant.RECEIPT, "%s has not arrived", own);
    own.isReceived = true;
    totals.receipts++;
  }

  void onEnded(long tag, Outcome outcome, int code, String text, long nowNs) {
    require(tag >= 0 && tag < workload.of(host).size(), Invariant.ONE_END, "end of tag %d", tag);
    PlannedTransaction own = workload.of(host).get((int) tag);
    require(own.isSubmitted, Invariant.ONE_END, "end of %s, never submitted", own);
    require(!own.isEnded, Invariant.ONE_END, "second end of %s: %s", own, outcome);
    own.isEnded = true;
    if (isOrdered) {
      checkOrder(own, outcome);
    }
    totals.endedOutOfOrder += own.index < highestIndex ? 1 : 0;
    highestIndex = Math.max(highestIndex, own.index);
    count++;
    trace.ended(host, tag, outcome.ordinal(), code, nowNs);
    switch (outcome) {
      case COMPLETED -> completed(own);
      case FAILED -> failed(own, code, text);
      case NOT_EXECUTED -> notExecuted(own, code, nowNs);
      case UNKNOWN -> unknown(own, code, text, nowNs);
    }
  }

  /** Checks that all before it have ended, unless it was given up before it had an RSN. */
  private void checkOrder(PlannedTransaction own, Outcome outcome) {
    while (lowestOpen < own.index && workload.of(host).get(lowestOpen).isEnded) {
      lowestOpen++;
    }
    boolean mayOvertake = outcome == Outcome.NOT_EXECUTED && hasNoRsn(own) && own.mayBeGivenUp();
    if (!(own.index == lowestOpen || mayOvertake)) {
      throw InvariantViolation.of(Invariant.RSN_ORDER, "%s ended as number %d", own, count);
    }
  }

  private boolean hasNoRsn(PlannedTransaction own) {
    return workload.rsns(host).rsnOf(own.index) < 0;
  }

  private void unknown(PlannedTransaction own, int code, String text, long nowNs) {
    if (!own.isPush() && isGivenUp(own, code, nowNs)) {
      return;
    }
    require(mayBeUnknown || isMortal, Invariant.NO_LOSS, "%s ended UNKNOWN %d %s", own, code, text);
    require(isBegun.test(own.index), Invariant.TRUE_OUTCOME, "%s is UNKNOWN and never left", own);
    deathCount++;
  }

  /** Returns whether the end matches a cancellation by the application, or its deadline. */
  private boolean isGivenUp(PlannedTransaction own, int code, long nowNs) {
    boolean isCancelled = own.isCancelled && code == CloseCode.CANCELLED.code();
    boolean isOverdue = own.deadlineNs <= nowNs && code == CloseCode.DEADLINE.code();
    totals.cancelled += isCancelled ? 1 : 0;
    totals.overdue += isOverdue ? 1 : 0;
    return isCancelled || isOverdue;
  }

  private void completed(PlannedTransaction own) {
    totals.completions++;
    require(
        own.isPush() ? own.isAcknowledged : own.isAnswered && own.isAnswerDelivered,
        Invariant.TRUE_OUTCOME,
        "%s completed before its application said so",
        own);
  }

  private void failed(PlannedTransaction own, int code, String text) {
    if (own.isBroken && !own.isPush() && code == CloseCode.REFUSED_BY_SINK.code()) {
      totals.brokenSinks++;
      return;
    }
    totals.errors++;
    require(own.isFailed, Invariant.TRUE_OUTCOME, "%s failed with %d %s", own, code, text);
    require(code == own.code, Invariant.CONTENT, "%s failed with %d, not %d", own, code, own.code);
    boolean isRefusal = own.verdict == PlannedTransaction.Verdict.REFUSE;
    require(
        isRefusal || text.equals(own.text),
        Invariant.CONTENT,
        "%s failed with '%s', not '%s'",
        own,
        text,
        own.text);
  }

  private void notExecuted(PlannedTransaction own, int code, long nowNs) {
    if (own.isFailed && own.verdict == PlannedTransaction.Verdict.REFUSE) {
      totals.errors++;
      require(code == own.code, Invariant.CONTENT, "%s refused with %d", own, code);
      return;
    }
    if (own.isBroken && own.isPush() && code == CloseCode.REFUSED_BY_SINK.code()) {
      totals.brokenSinks++;
      require(!own.isDelivered, Invariant.TRUE_OUTCOME, "%s was delivered, and broken off", own);
      return;
    }
    if (mayBeRefused && code == CloseCode.CLOSING.code()) {
      totals.refusedAtClose++;
      require(!own.isOpened, Invariant.TRUE_OUTCOME, "%s was opened, and refused", own);
      require(!own.isDelivered, Invariant.TRUE_OUTCOME, "%s was delivered, and refused", own);
      return;
    }
    if (isGivenUp(own, code, nowNs)) {
      totals.givenUpInQueues += hasNoRsn(own) ? 1 : 0;
      require(!own.isDelivered, Invariant.TRUE_OUTCOME, "%s was delivered, and cancelled", own);
      return;
    }
    require(
        mayBeUnknown || isMortal, Invariant.NO_LOSS, "%s ended NOT_EXECUTED, code %d", own, code);
    require(!own.isDelivered, Invariant.TRUE_OUTCOME, "%s was delivered, and not executed", own);
    require(
        !isMortal || !isBegun.test(own.index),
        Invariant.TRUE_OUTCOME,
        "%s has left, and was not executed",
        own);
    deathCount++;
  }
}
