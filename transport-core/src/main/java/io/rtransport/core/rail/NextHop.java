package io.rtransport.core.rail;

import java.util.List;
import java.util.Set;

/**
 * Peer or router that a message can go to next.
 *
 * @param route the way that leads over it
 * @param nis those of its interfaces that have not failed and are on a network of ours
 * @param health health of the best of {@code nis}
 * @param turn when one of {@code nis} was selected last ({@link Turns})
 */
record NextHop(Route route, List<? extends NiView> nis, int health, long turn) {
  static NextHop of(Route route, Set<String> networks, Turns turns) {
    List<? extends NiView> nis =
        addressable(route.router()).stream()
            .filter(ni -> !ni.isFailed() && networks.contains(ni.network()))
            .toList();
    int health = nis.stream().mapToInt(NiView::health).max().orElse(0);
    long turn = nis.stream().mapToLong(turns::of).max().orElse(0);
    return new NextHop(route, nis, health, turn);
  }

  /**
   * Returns the interfaces that messages may be sent to: of a peer with one rail only the first.
   */
  static List<? extends NiView> addressable(PeerView peer) {
    List<? extends NiView> nis = peer.nis();
    return peer.isMultiRail() ? nis : nis.subList(0, Math.min(1, nis.size()));
  }

  PeerView router() {
    return route.router();
  }

  /** Returns whether the best interface has no health left. */
  boolean isDead() {
    return health == 0;
  }
}
