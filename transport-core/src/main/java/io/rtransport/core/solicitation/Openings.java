package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.transaction.TransactionQueue;
import io.rtransport.core.transaction.TransactionSublayer;

/**
 * Asks the application where the peer's messages go, one after the other. Each message waits here
 * until {@link #poll} gives it as an entry. A message that is not answered before the next entry is
 * put off. The application may still answer it later, or ask for the question again. The question
 * is repeated in a later turn of the loop, so an application that always puts off does not block
 * the loop.
 */
final class Openings {
  private final TransactionSublayer transactions;
  private final TransactionQueue waiting;
  private final TransactionQueue again;
  private Transaction asked;

  Openings(TransactionSublayer transactions) {
    this.transactions = transactions;
    waiting = new TransactionQueue(transactions.pool(), Transaction.GRANT);
    again = new TransactionQueue(transactions.pool(), Transaction.GRANT);
  }

  /** Adds a message to ask the application about. Its header is kept. */
  void add(Transaction t) {
    waiting.addLast(t);
  }

  /** Puts the next question into {@code into}. */
  boolean poll(OutboxEntry into) {
    Transaction t = waiting.poll();
    if (t == null) {
      return false;
    }
    t.incoming().ask();
    asked = t;
    into.putOpened(t);
    return true;
  }

  /**
   * Puts off the question that was given and not answered. Called when the next entry is asked for.
   */
  void putOff() {
    if (asked != null) {
      asked.incoming().putOff();
      asked = null;
    }
  }

  /** Handles the application's answer. Returns the message, or null if it waits for no answer. */
  Transaction answered(int rsn) {
    Transaction t = transactions.peers().find(rsn);
    if (t == null || t != asked && !isPutOff(t) || t.stage() != Stage.ARRIVING) {
      return null;
    }
    remove(t);
    return t;
  }

  /** Asks the application again about a message, if it was put off. */
  void retry(int rsn) {
    Transaction t = transactions.peers().find(rsn);
    if (t != null) {
      retry(t);
    }
  }

  /** Asks the application again about every message that was put off. */
  void retryAll() {
    transactions.peers().forEach(this::retry);
  }

  private void retry(Transaction t) {
    if ((t == asked || isPutOff(t))
        && t.stage() == Stage.ARRIVING
        && !again.contains(t)
        && !waiting.contains(t)) {
      again.addLast(t);
    }
  }

  private static boolean isPutOff(Transaction t) {
    return t.isIncoming() && t.incoming().isPutOff();
  }

  /** Makes the repeated questions the next ones. Called in a later turn of the loop. */
  void settle() {
    for (Transaction t = again.poll(); t != null; t = again.poll()) {
      waiting.addLast(t);
    }
  }

  /** Returns whether a question waits to be given. */
  boolean isDue() {
    return !waiting.isEmpty() || !again.isEmpty();
  }

  /** Removes a message: the application is not asked about it any more. */
  void remove(Transaction t) {
    if (asked == t) {
      asked = null;
    }
    t.incoming().ask();
    waiting.remove(t);
    again.remove(t);
  }
}
