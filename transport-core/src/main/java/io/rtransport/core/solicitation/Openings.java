package io.rtransport.core.solicitation;

import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.transaction.TransactionQueue;
import io.rtransport.core.transaction.TransactionSublayer;

/**
 * Asks the application where the peer's messages go, one after the other: each waits here until
 * {@link #poll} gives it as an entry. One that is not answered before the next entry is put off,
 * until it is answered all the same or the application wants to be asked again; that it is in a
 * later turn of the loop, so that an application that always puts off does not hold up the loop.
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

  /** The application is to be asked about a message, whose header is kept. */
  void add(Transaction t) {
    waiting.addLast(t);
  }

  /** Gives the next. */
  boolean poll(OutboxEntry into) {
    Transaction t = waiting.poll();
    if (t == null) {
      return false;
    }
    t.isLater = false;
    asked = t;
    into.putOpened(t);
    return true;
  }

  /** The next entry is asked for: one that was given and not answered is put off. */
  void putOff() {
    if (asked != null) {
      asked.isLater = true;
      asked = null;
    }
  }

  /** The application answers: the message, or null if that does not wait for an answer. */
  Transaction answered(int rsn) {
    Transaction t = transactions.peers().find(rsn);
    if (t == null || t != asked && !t.isLater || t.stage() != Stage.ARRIVING) {
      return null;
    }
    remove(t);
    return t;
  }

  /** The application is asked again, if it has put the message off. */
  void retry(int rsn) {
    Transaction t = transactions.peers().find(rsn);
    if (t != null) {
      retry(t);
    }
  }

  /** The same of every message that it has put off. */
  void retryAll() {
    transactions.peers().forEach(this::retry);
  }

  private void retry(Transaction t) {
    boolean isPutOff = t == asked || t.isLater;
    if (isPutOff && t.stage() == Stage.ARRIVING && !again.contains(t) && !waiting.contains(t)) {
      again.addLast(t);
    }
  }

  /** A later turn: those that it wants to be asked about again are next. */
  void settle() {
    for (Transaction t = again.poll(); t != null; t = again.poll()) {
      waiting.addLast(t);
    }
  }

  /** Whether something waits to be given. */
  boolean isDue() {
    return !waiting.isEmpty() || !again.isEmpty();
  }

  /** It is not asked about any more. */
  void remove(Transaction t) {
    if (asked == t) {
      asked = null;
    }
    t.isLater = false;
    waiting.remove(t);
    again.remove(t);
  }
}
