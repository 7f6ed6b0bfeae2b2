package io.rtransport.core.transaction;

/**
 * Tells what {@link TransactionSublayer#poll} gives to a {@link TransactionListener}, for those who
 * still listen by that interface. Goes when nobody does.
 */
public final class TransactionBridge {
  private TransactionBridge() {}

  /** Tells a message. */
  public static void tellMessage(OutboxEntry entry) {
    entry
        .sink()
        .pass(
            entry.rsn(),
            entry.buffer(),
            entry.headerOffset(),
            entry.headerLength(),
            entry.offset(),
            entry.length());
  }

  /** Tells an end. */
  public static void tellEnded(OutboxEntry entry, TransactionListener listener) {
    listener.onEnded(
        entry.tag(), entry.outcome(), entry.code(), entry.text(), entry.isFromTransport());
  }

  /** Tells one entry of a transaction. */
  public static void tell(OutboxEntry entry, TransactionListener listener) {
    switch (entry.kind()) {
      case MESSAGE -> tellMessage(entry);
      case REQUESTED ->
          listener.onPullRequest(
              entry.rsn(),
              entry.limitBytes(),
              entry.buffer(),
              entry.headerOffset(),
              entry.headerLength());
      case DELIVERED -> entry.sink().deliver(entry.handle(), entry.isWhole());
      case ENDED -> tellEnded(entry, listener);
      case ROOM -> listener.onSubmittable();
      default -> throw new IllegalArgumentException(entry.kind() + " is the connection's");
    }
  }
}
