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
  /** Most ways that are given, and that a connection uses. */
  static final int RAILS_MAX = 8;

  /**
   * One way to a peer.
   *
   * @param local address of ours that it leaves by; null: the system chooses
   * @param remote the peer's address; that of the first rail may be a name without an address yet
   * @param isLearnt whether the peer has told it
   */
  record Rail(InetSocketAddress local, InetSocketAddress remote, boolean isLearnt) {
    /** Makes one that was given. */
    Rail(InetSocketAddress local, InetSocketAddress remote) {
      this(local, remote, false);
    }

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

  /** Returns the addresses of its rails. */
  List<InetSocketAddress> remotes() {
    return rails.stream().map(Rail::remote).toList();
  }

  /**
   * Returns it with rails to addresses that the peer has told, behind the others.
   *
   * @param source address of ours that they leave by; null: the system chooses
   */
  PeerConfig with(List<InetSocketAddress> learnt, InetAddress source) {
    List<Rail> all = new ArrayList<>(rails);
    InetSocketAddress local = source == null ? null : new InetSocketAddress(source, 0);
    learnt.forEach(address -> all.add(new Rail(local, address, true)));
    return new PeerConfig(name, all);
  }

  /**
   * Returns it with some of its rails, but at most {@link #RAILS_MAX}: those that were given, a
   * name without an address first, and behind them those that were learnt; each kind in the order
   * of {@code places}. A refusal over the first rail ends an attempt to connect, and somebody else
   * may have a learnt address by now. One place is kept for a learnt one: of eight that are given
   * the last is left out then.
   */
  PeerConfig by(List<Integer> places) {
    List<Rail> chosen = new ArrayList<>();
    boolean hasLearnt = places.stream().anyMatch(place -> rails.get(place).isLearnt());
    for (boolean isLearnt : new boolean[] {false, true}) {
      int count = hasLearnt && !isLearnt ? RAILS_MAX - 1 : RAILS_MAX;
      for (int place : places) {
        Rail rail = rails.get(place);
        if (rail.isLearnt() == isLearnt && chosen.size() < count) {
          chosen.add(rail.remote().isUnresolved() ? 0 : chosen.size(), rail);
        }
      }
    }
    return new PeerConfig(name, chosen);
  }
}
