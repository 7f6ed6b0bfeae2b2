package io.rtransport.core.node;

import io.rtransport.core.stats.Limits;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Addresses of a peer that a node was not given and has learnt from the peer itself, for later
 * connections. A peer may tell the address of a third party. So an address is learnt only once a
 * path of a connection with that peer is open to it: then whoever is there has answered for the
 * peer.
 *
 * <p>It is forgotten when a connection with the peer does not tell it any more, whichever
 * incarnation that is with, and when somebody else answers there. At most {@link #ADDRESSES_MAX}
 * are kept, so the last connection bounds what a peer can make known.
 *
 * <p>One thread at a time changes it; {@link #all} may be called on any thread.
 */
public final class LearntAddresses {
  /** Most addresses that are learnt: as many as a connection knows of its peer. */
  public static final int ADDRESSES_MAX = Limits.NIDS_MAX;

  private final Set<InetSocketAddress> given;
  private volatile List<InetSocketAddress> learnt = List.of();

  /**
   * @param given addresses that are known without the peer; they are never learnt or forgotten
   */
  public LearntAddresses(Collection<InetSocketAddress> given) {
    this.given = Set.copyOf(given);
  }

  /**
   * Takes what a connection with the peer shows.
   *
   * @param told all addresses that the peer tells in this connection
   * @param open addresses that open paths of this connection lead to
   */
  public void onConnection(Collection<InetSocketAddress> told, Collection<InetSocketAddress> open) {
    List<InetSocketAddress> next = new ArrayList<>(learnt);
    next.retainAll(told);
    for (InetSocketAddress address : told) {
      boolean isNew = !given.contains(address) && !next.contains(address);
      if (isNew && open.contains(address) && next.size() < ADDRESSES_MAX) {
        next.add(address);
      }
    }
    learnt = List.copyOf(next);
  }

  /** Forgets an address: somebody else is there. Returns false if it was not learnt. */
  public boolean forget(InetSocketAddress address) {
    List<InetSocketAddress> next = new ArrayList<>(learnt);
    boolean wasLearnt = next.remove(address);
    learnt = List.copyOf(next);
    return wasLearnt;
  }

  /** Returns the addresses, the first learnt first. */
  public List<InetSocketAddress> all() {
    return learnt;
  }
}
