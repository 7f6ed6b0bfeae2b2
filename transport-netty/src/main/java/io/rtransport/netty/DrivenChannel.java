package io.rtransport.netty;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.netty.port.RtPort;

/** An RT channel as its link sees it: the events that the link tells it. Loop-confined. */
interface DrivenChannel extends RtChannel {
  /** Sends a burst down the pipeline. */
  void transmit(PacketBurst burst);

  /** Tells that the handshake is over. Called between two entries of the core. */
  void onEstablished();

  /** Tells the application that the handshake of a connecting channel is over. */
  void activate();

  /** Tells that the channel's packets leave by another port. Called likewise. */
  void onPort(RtPort newPort);

  /** Tells that the peer has another address. Called between two entries of the core. */
  void onMoved();

  /**
   * Tells that the peer has told an address or taken one back, or that a path was opened. Called
   * between two entries of the core.
   */
  void onPeerChanged();

  /**
   * Tells that the peer's application refused a bare buffer. The stream would have a hole, so the
   * channel ends.
   */
  void onPlainFailure(RtException failure, boolean isTold);

  void onConnectionClosed(CloseReason reason);

  /** Aborts the connection and tells the peer why: no handler has registered the channel. */
  void refuse(String why);
}
