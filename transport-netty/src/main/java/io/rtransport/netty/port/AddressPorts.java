package io.rtransport.netty.port;

import java.net.InetAddress;

/**
 * Maps the host's addresses to the ports of one event loop. A port that is bound to a wildcard asks
 * it for each datagram.
 */
@FunctionalInterface
public interface AddressPorts {
  /**
   * Returns the port at {@code asked}, the address that a datagram was sent to. Returns the asking
   * port if there is no other.
   *
   * @param asked null if the socket does not tell the address
   */
  RtPort at(InetAddress asked);
}
