package io.rtransport.core.node;

import io.rtransport.core.stats.Limits;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Addresses of a peer that a node was not given and has learnt from the peer itself, for later
 * connections. A peer may tell the address of a third party. So an address is learnt only once a
 * path of a connection with that peer is open to it: then whoever is there has answered for the
 * peer.
 *
 * <p>A peer may tell other addresses at each of its listeners. So what one connection does not tell
 * may hold still. An address is forgotten
 *
 * <ul>
 *   <li>when a connection that has told it, and had a path to it, takes it back,
 *   <li>when a connection with another incarnation of the peer does not tell it,
 *   <li>when somebody else answers there.
 * </ul>
 *
 * <p>At most {@link #ADDRESSES_MAX} are kept. When they are full, a new one takes the place of the
 * one that was learnt first among those that the connection does not tell. So a peer makes no more
 * known by any number of connections.
 *
 * <p>One thread at a time changes it; {@link #all} may be called on any thread.
 */
public final class LearntAddresses {
  /** Most addresses that are learnt: as many as a connection knows of its peer. */
  public static final int ADDRESSES_MAX = Limits.NIDS_MAX;

  /**
   * Incarnation of a peer that is not asked for it; such a peer counts as the same all the time.
   */
  public static final long UNKNOWN_INCARNATION = 0;

  private final Set<InetSocketAddress> given;
  private final boolean isNameGiven;
  private volatile List<InetSocketAddress> learnt = List.of();
  private InetSocketAddress named; // what a given name stood for last; null: not known
  private long incarnation = UNKNOWN_INCARNATION;
  private OfConnection last; // null: none yet

  /**
   * @param given addresses that are known without the peer; they are never learnt or forgotten. One
   *     of them may be a name without an address
   */
  public LearntAddresses(Collection<InetSocketAddress> given) {
    this.given = Set.copyOf(given);
    this.isNameGiven = given.stream().anyMatch(InetSocketAddress::isUnresolved);
  }

  /**
   * Begins to learn from a connection with the peer, and ends to learn from the one before it.
   *
   * @param incarnation of the peer, or {@link #UNKNOWN_INCARNATION}
   * @param remote address at which it was set up; null: not known
   */
  public OfConnection connected(long incarnation, InetSocketAddress remote) {
    boolean isKnown = remote == null || given.contains(remote) || learnt.contains(remote);
    if (isNameGiven && !isKnown) {
      named = remote; // nothing else leads there
    }
    last = new OfConnection(incarnation);
    return last;
  }

  /** What one connection with the peer shows. */
  public final class OfConnection {
    private final long ofPeer;

    /** Only these can be taken back: at set-up two listeners may have told theirs. */
    private Set<InetSocketAddress> shownBefore = Set.of();

    private OfConnection(long ofPeer) {
      this.ofPeer = ofPeer;
    }

    /**
     * Takes what the connection shows now. Does nothing if another connection was begun since.
     *
     * @param told all addresses that the peer tells in this connection
     * @param open addresses that open paths of this connection lead to
     */
    public void onAddresses(
        Collection<InetSocketAddress> told, Collection<InetSocketAddress> open) {
      if (this == last) {
        Set<InetSocketAddress> now = Set.copyOf(told);
        List<InetSocketAddress> next = new ArrayList<>(learnt);
        next.removeIf(each -> !now.contains(each) && (shownBefore.contains(each) || isOtherLife()));
        for (InetSocketAddress address : told) {
          if (open.contains(address) && isUnknown(address, next)) {
            learn(address, now, next);
          }
        }
        Set<InetSocketAddress> shown = new HashSet<>(shownBefore);
        shown.addAll(open);
        shown.retainAll(now);
        shownBefore = shown;
        incarnation = ofPeer;
        learnt = List.copyOf(next);
      }
    }

    private boolean isOtherLife() {
      return ofPeer != incarnation;
    }

    private boolean isUnknown(InetSocketAddress address, List<InetSocketAddress> next) {
      return !given.contains(address) && !address.equals(named) && !next.contains(address);
    }

    private void learn(
        InetSocketAddress address, Set<InetSocketAddress> now, List<InetSocketAddress> next) {
      for (int i = 0; i < next.size() && next.size() == ADDRESSES_MAX; i++) {
        if (!now.contains(next.get(i))) {
          next.remove(i);
        }
      }
      if (next.size() < ADDRESSES_MAX) {
        next.add(address);
      }
    }
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
