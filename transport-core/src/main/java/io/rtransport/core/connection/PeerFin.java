package io.rtransport.core.connection;

import io.rtransport.core.solicitation.SolicitationSublayer;
import io.rtransport.core.transaction.OutboxEntry.Kind;
import io.rtransport.core.transaction.TransactionSublayer;

/**
 * Follower of the peer's FIN. If the peer closes, this side begins nothing more either. If the peer
 * only finishes, the application is told once, and it decides.
 */
final class PeerFin {
  private final LifeEntries life;
  private boolean isTold;

  /**
   * @param life entries of the connection
   */
  PeerFin(LifeEntries life) {
    this.life = life;
  }

  /**
   * Checks the state of the peer's FIN. Called after the connection's other entries were polled.
   */
  void follow(SolicitationSublayer solicitation, TransactionSublayer transaction) {
    if (solicitation.isPeerClosing() && !transaction.isFinishing()) {
      solicitation.finish();
    }
    if (!isTold && solicitation.isPeerFinished()) {
      isTold = true;
      life.put(Kind.PEER_FINISHED);
    }
  }
}
