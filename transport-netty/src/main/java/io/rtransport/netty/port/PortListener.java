package io.rtransport.netty.port;

import java.net.InetSocketAddress;

/** Events of a port, for its event loop's driver. Called on the loop only. */
public interface PortListener {
  /**
   * Takes one packet, in {@code buffer} at {@code [offset, offset + length)}. The buffer is the
   * caller's until the call returns; retain it if the bytes are needed longer. The packets of a
   * coalesced read come one after another.
   */
  void onPacket(RtPort port, ReceiveBuffer buffer, int offset, int length, InetSocketAddress from);

  /** Tells that a read batch is over. */
  void onReadComplete(RtPort port);

  /** Tells that {@link RtPort#hasRoom} is true again. */
  void onRoom(RtPort port);

  /**
   * Tells that the system did not send a datagram. Perhaps inside the send.
   *
   * @param to where it was sent to; null if that is not known
   * @param error one with a {@link PortError#failure}
   */
  void onSendFailed(RtPort port, InetSocketAddress to, PortError error);

  /** Tells that the socket is gone. Called exactly once, for every cause. */
  void onClosed(RtPort port);
}
