package io.rtransport.simulator;

import java.net.InetSocketAddress;

/**
 * Entry of a translator (NAT) or firewall that leads nowhere: it eats everything from one source
 * port, or to it, or both.
 */
final class DeadEntry {
  /** Which datagrams an entry eats, seen from the host whose port it is. */
  enum Way {
    THERE,
    BACK,
    BOTH
  }

  private final Way way;
  private InetSocketAddress port; // null until it is dead

  DeadEntry(Way way) {
    this.way = way;
  }

  /** Lets the entry of a port die. One that was dead works again. */
  void dies(InetSocketAddress ofPort) {
    port = ofPort;
  }

  boolean eats(Datagram datagram) {
    return way != Way.BACK && datagram.source.equals(port)
        || way != Way.THERE && datagram.destination.equals(port);
  }
}
