package io.rtransport.core.connection;

import io.rtransport.core.transaction.OutboxEntry.Kind;

/**
 * Follows the peer's FIN. It closes: then this side begins nothing more either. It only finishes:
 * then the application decides, who hears of it once.
 */
final class PeerFin {
  private final Connection connection;
  private boolean isTold;

  PeerFin(Connection connection) {
    this.connection = connection;
  }

  /** Before each transmission. */
  void follow(SublayerStack with) {
    if (with.solicitation.isPeerClosing() && !with.transaction.isFinishing()) {
      with.solicitation.finish();
    }
    if (!isTold && with.solicitation.isPeerFinished()) {
      isTold = true;
      connection.life().put(Kind.PEER_FINISHED);
    }
  }
}
