package io.rtransport.core.transaction;

import io.rtransport.core.transaction.Transaction.Role;
import org.agrona.collections.LongArrayQueue;

/**
 * Payloads whose end the application has not been told yet: sources that the core has let go, and
 * messages that will never be whole although a sink has accepted them. The sources come first.
 */
final class PayloadEnds {
  private final TransactionPool pool;
  private final TransactionQueue dropped;

  /** Handles of the sources; null before the first. */
  private LongArrayQueue released;

  PayloadEnds(TransactionPool pool) {
    this.pool = pool;
    dropped = new TransactionQueue(pool, Transaction.GRANT);
  }

  /** Lets go of a transaction's source, if it has one. Returns whether it had. */
  boolean release(Transaction transaction) {
    boolean hadSource = transaction.hasSource();
    if (hadSource) {
      transaction.outgoing().letGo();
      released = released == null ? new LongArrayQueue() : released;
      released.addLong(transaction.outgoing().handle());
    }
    return hadSource;
  }

  /** Adds a message that will never be whole. */
  void drop(Transaction transaction) {
    dropped.addLast(transaction);
  }

  /** Returns whether a message was dropped and that was not told. */
  boolean isDropped(Transaction transaction) {
    return dropped.contains(transaction);
  }

  /** Returns whether a dropped message is to be told. */
  boolean hasDropped() {
    return !dropped.isEmpty();
  }

  /**
   * Takes the next entry.
   *
   * @param isEnded whether all transactions have ended: a peer's one is in no table any more
   * @return false when there is none
   */
  boolean poll(OutboxEntry into, boolean isEnded) {
    if (released != null && !released.isEmpty()) {
      into.putSourceReleased(released.pollLong());
      return true;
    }
    if (dropped.isEmpty()) {
      return false;
    }
    pollDropped(into, isEnded);
    return true;
  }

  private void pollDropped(OutboxEntry into, boolean isEnded) {
    Transaction transaction = dropped.poll();
    transaction.incoming().close();
    into.putDelivered(transaction, false);
    if (transaction.role() == Role.PEER && isEnded) {
      pool.release(transaction);
    }
  }
}
