package io.rtransport.netty.node;

import io.rtransport.netty.RtRail;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A peer and how it is reached.
 *
 * @param name that it calls itself
 * @param rails the ways to it, at least one
 */
record PeerConfig(String name, List<Rail> rails) {
  /**
   * One way to a peer.
   *
   * @param local address of ours that it leaves by; null: the system chooses
   * @param remote the peer's address; that of the first rail may be a name without an address yet
   */
  record Rail(InetSocketAddress local, InetSocketAddress remote) {
    /** Returns the address of ours that it leaves by; null: not known. */
    InetAddress source() {
      return local == null || local.getAddress().isAnyLocalAddress() ? null : local.getAddress();
    }
  }

  Rail first() {
    return rails.get(0);
  }

  /** Returns all but the first. */
  List<RtRail> others() {
    return rails.stream().skip(1).map(rail -> new RtRail(rail.local, rail.remote)).toList();
  }

  /** Returns the addresses of ours that its rails name. */
  Set<InetAddress> sources() {
    Set<InetAddress> sources = new LinkedHashSet<>();
    for (Rail rail : rails) {
      if (rail.source() != null) {
        sources.add(rail.source());
      }
    }
    return sources;
  }

  /**
   * Returns it with some of its rails, in this order; but a name without an address stays first.
   */
  PeerConfig by(List<Integer> places) {
    List<Rail> chosen = new ArrayList<>();
    for (int place : places) {
      Rail rail = rails.get(place);
      chosen.add(rail.remote().isUnresolved() ? 0 : chosen.size(), rail);
    }
    return new PeerConfig(name, chosen);
  }
}
