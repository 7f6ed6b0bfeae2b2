package io.rtransport.netty.port;

import java.net.InetAddress;

/**
 * Which port of the same event loop stands for one of the host's addresses. A port that is bound to
 * a wildcard asks it of each datagram.
 */
@FunctionalInterface
public interface AddressPorts {
  /**
   * The port at {@code asked}, the address that a datagram was sent to, or the one that asks if
   * there is none.
   *
   * @param asked null where the socket does not tell
   */
  RtPort at(InetAddress asked);
}
