package io.rtransport.netty.port;

import java.net.InetSocketAddress;

/**
 * Opens ports: the seam at which a test puts a network of its own. Called on the port's event loop.
 */
@FunctionalInterface
public interface PortFactory {
  /**
   * @param local to bind to, or null for any
   * @param remote to connect to, or null to take packets from everybody
   * @throws Exception if the address can not be had
   */
  RtPort open(
      PortContext context, PortConfig config, InetSocketAddress local, InetSocketAddress remote)
      throws Exception;

  /**
   * Whether several may get the same port, which then takes packets from everybody, whatever {@code
   * remote} says.
   */
  default boolean isShared() {
    return false;
  }
}
