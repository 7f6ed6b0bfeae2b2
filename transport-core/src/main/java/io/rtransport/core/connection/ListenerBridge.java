package io.rtransport.core.connection;

import io.rtransport.core.solicitation.SolicitationSublayer;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.TransactionListener;

/**
 * Tells a connection's entries to the interfaces of those who do not poll yet. Goes when nobody
 * listens by them.
 */
final class ListenerBridge {
  private final TransactionListener transactions;
  private final ConnectionListener life;

  ListenerBridge(TransactionListener transactions, ConnectionListener life) {
    this.transactions = transactions;
    this.life = life;
  }

  /**
   * @param of where the answers of sinks go; null where the connection has no sublayers, and so no
   *     messages
   */
  void tell(OutboxEntry entry, SolicitationSublayer of) {
    if (entry.kind() == OutboxEntry.Kind.MESSAGE) { // nearly all are these two
      TransactionBridge.tellMessage(entry);
    } else if (entry.kind() == OutboxEntry.Kind.ENDED) {
      TransactionBridge.tellEnded(entry, transactions);
    } else {
      tellOther(entry, of);
    }
  }

  private void tellOther(OutboxEntry entry, SolicitationSublayer of) {
    switch (entry.kind()) {
      case ESTABLISHED -> life.onEstablished();
      case MOVED -> life.onMoved();
      case PEER_FINISHED -> life.onPeerFinished();
      case CLOSED -> life.onClosed(new CloseReason(entry.code(), entry.text(), entry.isByPeer()));
      case FORGOTTEN -> life.onForgotten();
      default -> TransactionBridge.tell(entry, transactions, of);
    }
  }
}
