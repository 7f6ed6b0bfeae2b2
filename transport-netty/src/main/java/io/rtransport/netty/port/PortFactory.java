package io.rtransport.netty.port;

import java.net.InetSocketAddress;

/** Opens ports. A test can put its own network here. Called on the port's event loop. */
@FunctionalInterface
public interface PortFactory {
  /**
   * @param local to bind to, or null for any
   * @param remote to connect to, or null to take packets from every sender
   * @throws Exception if the address is not available
   */
  RtPort open(
      PortContext context, PortConfig config, InetSocketAddress local, InetSocketAddress remote)
      throws Exception;

  /**
   * Returns whether several callers may get the same port. Such a port takes packets from every
   * sender and ignores {@code remote}.
   */
  default boolean isShared() {
    return false;
  }
}
