package io.rtransport.core.connection;

import io.rtransport.core.transaction.OutboxEntry.Kind;

/**
 * Follower of the peer's FIN. If the peer closes, this side begins nothing more either. If the peer
 * only finishes, the application is told once, and it decides.
 */
final class PeerFin {
  private final Connection connection;
  private boolean isTold;

  PeerFin(Connection connection) {
    this.connection = connection;
  }

  /**
   * Checks the state of the peer's FIN. Called after the connection's other entries were polled.
   */
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
