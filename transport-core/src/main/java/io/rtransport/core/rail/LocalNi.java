package io.rtransport.core.rail;

import java.net.InetSocketAddress;

/**
 * Network interface of this side.
 *
 * @param network name of its network; empty for none
 * @param address its address, of which peers are told; null if it is not known or not to be told
 */
public record LocalNi(String network, InetSocketAddress address) {
  /** An interface without a network's name, whose address is not told. */
  public static final LocalNi UNNAMED = new LocalNi("", null);

  public LocalNi {
    if (!Nid.isNetwork(network)) {
      throw new IllegalArgumentException(
          "network=" + network + ", valid: up to 16 of a-z, 0-9, '.', '_' and '-'");
    }
  }

  /** Returns the interface that {@code nid} names. */
  public static LocalNi of(Nid nid) {
    return new LocalNi(nid.network(), nid.address());
  }

  /** Returns its NID, or null if its address is not told. */
  public Nid nid() {
    return address == null ? null : new Nid(address, network);
  }
}
