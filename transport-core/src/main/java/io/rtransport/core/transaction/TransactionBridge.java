package io.rtransport.core.transaction;

/**
 * Tells what {@link TransactionSublayer#poll} gives to a {@link TransactionListener}, for those who
 * still listen by that interface. Goes when nobody does.
 */
public final class TransactionBridge {
  private TransactionBridge() {}

  /** Tells one entry of a transaction. */
  public static void tell(OutboxEntry entry, TransactionListener listener) {
    switch (entry.kind()) {
      case DELIVERED -> entry.sink().deliver(entry.handle(), entry.isWhole());
      case ENDED ->
          listener.onEnded(
              entry.tag(), entry.outcome(), entry.code(), entry.text(), entry.isFromTransport());
      case ROOM -> listener.onSubmittable();
      default -> throw new IllegalArgumentException(entry.kind() + " is the connection's");
    }
  }
}
