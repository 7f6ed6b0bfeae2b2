package io.rtransport.simulator;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * Addresses of a swarm: where the hosts listen, and from where each link's connecting end sends.
 * That end has its own port, another after each move.
 */
final class SwarmAddresses {
  private static final int LISTENING_PORT = 7_400;
  private static final int LINKS_PORT = 20_000;
  private static final int MOVES_MAX = 16;

  private SwarmAddresses() {}

  static InetSocketAddress ofListener(int host) {
    return address(1, host, LISTENING_PORT);
  }

  /**
   * Returns the address of a link's connecting end. Every second move also goes to another network.
   */
  static InetSocketAddress ofLink(int link, int host, int moves) {
    return address(1 + (moves & 1), host, LINKS_PORT + link * MOVES_MAX + moves);
  }

  private static InetSocketAddress address(int network, int host, int port) {
    try {
      byte[] bytes = {10, (byte) network, 0, (byte) (host + 1)};
      return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
    } catch (UnknownHostException e) {
      throw new AssertionError("four bytes are an address", e);
    }
  }
}
