package io.rtransport.netty;

import io.rtransport.core.connection.CloseReason;
import io.rtransport.core.wire.PacketBurst;

/** An RT channel as its link sees it: what that tells the channel. Loop-confined. */
interface DrivenChannel extends RtChannel {
  /** A burst begins its way down. */
  void transmit(PacketBurst burst);

  /** The handshake is over: between two entries of the core. */
  void onEstablished();

  /** The handshake of a connecting channel is over: tells the application. */
  void activate();

  /** The peer is at another address: between two entries of the core. */
  void onMoved();

  /**
   * A bare buffer was refused by the peer's application: the stream would have a hole, so it ends.
   */
  void onPlainFailure(RtException failure, boolean isTold);

  void onConnectionClosed(CloseReason reason);

  /** Nobody has registered it: its connection is aborted, and the peer is told why. */
  void refuse(String why);
}
