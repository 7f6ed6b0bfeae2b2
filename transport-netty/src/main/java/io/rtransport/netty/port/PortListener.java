package io.rtransport.netty.port;

import java.net.InetSocketAddress;

/** What a port tells its event loop's driver. Called on the loop only. */
public interface PortListener {
  /**
   * One packet arrived, in {@code buffer} at {@code [offset, offset + length)}. The buffer is the
   * caller's until the call returns: to be retained if the bytes are needed longer. The packets of
   * a coalesced read come one after another.
   */
  void onPacket(RtPort port, ReceiveBuffer buffer, int offset, int length, InetSocketAddress from);

  /** The end of a read batch. */
  void onReadComplete(RtPort port);

  /** {@link RtPort#hasRoom} is true again. */
  void onRoom(RtPort port);

  /** The peer's host says that nothing listens at the address that the port is connected to. */
  void onUnreachable(RtPort port);

  /** The socket is gone; exactly once, however it came. */
  void onClosed(RtPort port);
}
