package io.rtransport.netty.node;

import io.rtransport.core.node.Route;
import io.rtransport.core.node.RouteTable;
import java.util.Map;

/**
 * To whom a node connects to reach a peer: the peer itself, or the router that the best route
 * names. For one thread at a time.
 */
final class Ways {
  private final PeerConfig direct;
  private final RouteTable routes;
  private final Map<String, PeerConfig> routers;
  private Route taken;

  private Ways(PeerConfig direct, RouteTable routes, Map<String, PeerConfig> routers) {
    this.direct = direct;
    this.routes = routes;
    this.routers = routers;
  }

  /** Returns the way to a peer on a network of this node's. */
  static Ways to(PeerConfig peer) {
    return new Ways(peer, null, Map.of());
  }

  /** Returns the ways to a peer behind routers. */
  static Ways through(RouteTable routes, Map<String, PeerConfig> routers) {
    return new Ways(null, routes, routers);
  }

  /** Returns whether messages pass routers. */
  boolean isRouted() {
    return routes != null;
  }

  /** Returns to whom to connect now; null: all routes rest until {@link #dueNs}. */
  PeerConfig choose(long nowNs) {
    if (routes == null) {
      return direct;
    }
    taken = routes.choose(nowNs);
    return taken == null ? null : routers.get(taken.router());
  }

  /**
   * Returns how long it is until another way than the one chosen last can be taken, ns. 0: now;
   * {@link Long#MAX_VALUE}: there is no other.
   */
  long otherWaitNs(long nowNs) {
    return routes == null ? Long.MAX_VALUE : routes.otherWaitNs(taken, nowNs);
  }

  long dueNs(long nowNs) {
    return routes == null ? nowNs : routes.dueNs(nowNs);
  }

  /** Notes that the way chosen last did not lead there: it rests. */
  void onNoWay(long nowNs) {
    if (taken != null) {
      routes.onNoWay(taken, nowNs);
    }
  }

  /** Notes that it did. */
  void onWay() {
    if (taken != null) {
      routes.onWay(taken);
    }
  }
}
