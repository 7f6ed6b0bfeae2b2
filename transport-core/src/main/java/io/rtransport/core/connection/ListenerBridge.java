package io.rtransport.core.connection;

import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.TransactionBridge;
import io.rtransport.core.transaction.TransactionListener;
import java.util.function.Predicate;

/**
 * Drains a connection's entries into the interfaces of those who do not poll yet. Goes when nobody
 * listens by them.
 */
final class ListenerBridge {
  private final Predicate<OutboxEntry> poll;
  private final TransactionListener transactions;
  private final ConnectionListener life;
  private boolean isDraining;

  /**
   * @param poll {@link Connection#poll}
   */
  ListenerBridge(
      Predicate<OutboxEntry> poll, TransactionListener transactions, ConnectionListener life) {
    this.poll = poll;
    this.transactions = transactions;
    this.life = life;
  }

  /** From inside a call of a listener: nothing, for what it was called from goes on. */
  void drain(OutboxEntry entry) {
    if (isDraining) {
      return;
    }
    isDraining = true;
    try {
      while (poll.test(entry)) {
        tell(entry);
      }
    } finally {
      isDraining = false;
    }
  }

  private void tell(OutboxEntry entry) {
    switch (entry.kind()) {
      case ESTABLISHED -> life.onEstablished();
      case MOVED -> life.onMoved();
      case PEER_FINISHED -> life.onPeerFinished();
      case CLOSED -> life.onClosed(new CloseReason(entry.code(), entry.text(), entry.isByPeer()));
      case FORGOTTEN -> life.onForgotten();
      default -> TransactionBridge.tell(entry, transactions);
    }
  }
}
