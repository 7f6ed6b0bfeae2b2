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
   * Tells that nothing listens at the address that the port is connected to: the peer's host
   * reported it.
   */
  void onUnreachable(RtPort port);

  /** Tells that the socket is gone. Called exactly once, for every cause. */
  void onClosed(RtPort port);
}
