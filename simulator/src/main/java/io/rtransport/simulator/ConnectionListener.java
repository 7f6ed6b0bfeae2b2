package io.rtransport.simulator;

import io.rtransport.core.connection.ApplicationVerbs;
import io.rtransport.core.connection.CloseReason;
import io.rtransport.core.connection.Connection;

/** What a connection tells its adapter. Called on the connection's loop only. */
public interface ConnectionListener {
  /**
   * Set up: transactions can be submitted, and the peer's may arrive. At most once, before anything
   * else.
   */
  void onEstablished();

  /**
   * The peer will start no more transactions (its FIN arrived, and all below it has been
   * delivered). At most once. If it does not close besides, this side may go on ({@link
   * ApplicationVerbs#finish}), or close.
   */
  void onPeerFinished();

  /** The peer was found at another address: {@link Connection#remote()} says which. */
  default void onMoved() {}

  /** Ended, for whatever reason; every transaction has had its end before this. Exactly once. */
  void onClosed(CloseReason reason);

  /**
   * The last call: nothing is sent for the connection any more, so what it is sent through can go.
   * An ended one may yet repeat its CLOSE.
   */
  default void onForgotten() {}
}
