package io.rtransport.core.connection;

import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.TransactionListener;

/**
 * Tells a connection's entries to the interfaces of those who do not poll yet. Goes when nobody
 * listens by them.
 */
final class ListenerBridge {
  private final Connection connection;
  private final TransactionListener transactions;
  private final ConnectionListener life;

  ListenerBridge(Connection connection, TransactionListener transactions, ConnectionListener life) {
    this.connection = connection;
    this.transactions = transactions;
    this.life = life;
  }

  void tell(OutboxEntry entry) {
    if (entry.kind() == OutboxEntry.Kind.MESSAGE) { // nearly all are these two
      TransactionBridge.tellMessage(entry);
    } else if (entry.kind() == OutboxEntry.Kind.ENDED) {
      TransactionBridge.tellEnded(entry, transactions);
    } else {
      tellOther(entry);
    }
  }

  private void tellOther(OutboxEntry entry) {
    switch (entry.kind()) {
      case ESTABLISHED -> life.onEstablished();
      case MOVED -> life.onMoved();
      case PEER_FINISHED -> life.onPeerFinished();
      case CLOSED -> life.onClosed(new CloseReason(entry.code(), entry.text(), entry.isByPeer()));
      case FORGOTTEN -> life.onForgotten();
      default -> TransactionBridge.tell(entry, transactions, connection.solicitation());
    }
  }
}
