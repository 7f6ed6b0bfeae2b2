package io.rtransport.core.transaction;

import io.rtransport.core.transaction.Transaction.Kind;

/** Transactions in the stages that tests of single classes need, by the moves that lead there. */
public final class MadeTransactions {
  private MadeTransactions() {}

  /** Makes an own one that waits for credit. */
  public static Transaction queued(TransactionPool pool, Kind kind, long lengthBytes) {
    Transaction t = pool.acquire();
    t.submit(kind, lengthBytes, 0);
    return t;
  }

  /** Makes an own push that waits for credit and has its payload. */
  public static Transaction push(TransactionPool pool, PayloadSource source, long lengthBytes) {
    Transaction t = queued(pool, Kind.PUSH, lengthBytes);
    t.carry(source, 0, true);
    return t;
  }

  /** Makes an own pull whose request has left. */
  public static Transaction sentPull(TransactionPool pool, long lengthBytesMax) {
    Transaction t = queued(pool, Kind.PULL, lengthBytesMax);
    t.admit();
    t.finishSending();
    return t;
  }

  /** Makes a peer's whose first part has come. */
  public static Transaction arriving(TransactionPool pool, Kind kind, int rsn, long lengthBytes) {
    Transaction t = pool.acquire();
    t.arrive(kind, rsn, lengthBytes);
    return t;
  }

  /** Makes a peer's pull that the application has answered. */
  public static Transaction answered(
      TransactionPool pool, long lengthBytesMax, PayloadSource source, long lengthBytes) {
    Transaction t = arriving(pool, Kind.PULL, 0, lengthBytesMax);
    t.becomeReady();
    t.passTurn();
    t.deliver();
    t.respond(source, 0, lengthBytes);
    return t;
  }
}
