package io.rtransport.netty.internal.loop;

import io.rtransport.core.outcome.SendFailure;
import io.rtransport.core.rail.Nid;
import io.rtransport.netty.port.RtPort;
import java.net.InetSocketAddress;

/** Events of ports and of a server's addresses, as one connection takes them. Loop-confined. */
public interface PortEvents {
  /**
   * Tells that the system did not send a datagram by a port of its own. Perhaps inside the send.
   */
  void onSendFailed(RtPort port, InetSocketAddress to, SendFailure failure);

  /**
   * Tells that a port of its own has closed. If the event loop ends and nothing was left to be
   * done, that counts as a normal close.
   */
  void onPortClosed(RtPort port);

  /**
   * Tells that a server channel has given up one of its addresses. If the channel is the one of
   * this connection, the peer is told, and other paths take what was on that address.
   *
   * @param owner the server channel
   * @param ni number of the address
   */
  void onAddressLeft(Object owner, int ni, Nid nid);

  /** Tells that a server channel listens at one more address, likewise. */
  void onAddressJoined(Object owner, int ni, Nid nid);
}
