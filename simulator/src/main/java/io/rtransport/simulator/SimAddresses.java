package io.rtransport.simulator;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Addresses of the hosts of worlds. */
public final class SimAddresses {
  private static final int PORT = 7_400;
  private static final int LINKS_PORT = 20_000;
  private static final int MOVES_MAX = 16;

  private static final InetSocketAddress[] OF_A_PAIR = {
    address(PORT, 127, 0, 0, 1), address(PORT, 127, 0, 0, 2)
  };

  private SimAddresses() {}

  /** Returns the address of host 0 or 1 of a pair, as the hosts know it. */
  public static InetSocketAddress of(int host) {
    return OF_A_PAIR[host];
  }

  /** Returns an address that no host has. */
  static InetSocketAddress ofNobody(int number) {
    return address(PORT, 10, 9, 9, number);
  }

  /** Returns the address at which a host of a swarm listens. */
  static InetSocketAddress ofListener(int host) {
    return address(PORT, 10, 1, 0, host + 1);
  }

  /**
   * Returns the address of a link's connecting end. It has its own port, another after each move,
   * and every second move also goes to another network.
   */
  static InetSocketAddress ofLink(int link, int host, int moves) {
    int port = LINKS_PORT + link * MOVES_MAX + moves;
    return address(port, 10, 1 + (moves & 1), 0, host + 1);
  }

  /** Returns the address of a host on a rail. */
  static InetSocketAddress ofRail(int rail, int host) {
    return address(PORT, 10, 0, rail, 2 - host);
  }

  static InetSocketAddress address(int port, int... four) {
    byte[] bytes = new byte[four.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) four[i];
    }
    try {
      return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
    } catch (UnknownHostException e) {
      throw new AssertionError("four bytes are an address", e);
    }
  }
}
