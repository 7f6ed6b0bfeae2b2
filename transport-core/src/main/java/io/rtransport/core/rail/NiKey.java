package io.rtransport.core.rail;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * What an interface is known by.
 *
 * @param network its network; empty for none
 * @param address ours, an {@link InetAddress}, or null; or a peer's, with its port
 */
record NiKey(String network, Object address) {
  /** Returns an interface of ours. */
  OurNi ours(boolean isFailed, boolean isUsed) {
    return new OurNi(network, (InetAddress) address, isFailed, isUsed);
  }

  /** Returns an interface that is down; null if its address is not known. */
  DownNi down() {
    if (address instanceof InetSocketAddress socket) {
      return new DownNi(false, network, socket);
    }
    InetAddress ours = (InetAddress) address;
    return ours == null ? null : new DownNi(true, network, new InetSocketAddress(ours, 0));
  }

  /** Returns it as a report shows it. */
  String text() {
    if (address instanceof InetSocketAddress socket) {
      return new Nid(socket, network).toString();
    }
    String host = address == null ? "*" : ((InetAddress) address).getHostAddress();
    return network.isEmpty() ? host : host + "@" + network;
  }
}
