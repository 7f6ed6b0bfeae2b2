package io.rtransport.core.node;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The routes to one network, and which of them may be taken now. A route without a way on rests:
 * another one is taken at once, and this one again when its rest is over. Which of those that do
 * not rest is taken {@link io.rtransport.core.rail.NiSelection} says. Loop-confined.
 */
public final class RouteTable {
  /** Most routes to one network. */
  public static final int ROUTES_MAX = 16;

  private final List<Route> routes;
  private final long restNs;
  private final Map<Route, Long> restsUntilNs = new HashMap<>();

  /**
   * @param routes 1..16, in the order in which they were given
   * @param restNs how long a route without a way on is not taken; more than 0
   */
  public RouteTable(List<Route> routes, long restNs) {
    if (routes.isEmpty() || routes.size() > ROUTES_MAX) {
      throw new IllegalArgumentException("routes=" + routes.size() + ", valid: 1.." + ROUTES_MAX);
    }
    this.routes = List.copyOf(routes);
    this.restNs = restNs;
  }

  /** Returns those that do not rest, in the order given; none: until {@link #dueNs}. */
  public List<Route> awake(long nowNs) {
    return routes.stream().filter(route -> !isResting(route, nowNs)).toList();
  }

  /**
   * Returns how long it is until a route other than {@code taken} can be taken, ns. 0: now; {@link
   * Long#MAX_VALUE}: there is no other.
   */
  public long otherWaitNs(Route taken, long nowNs) {
    long waitNs = Long.MAX_VALUE;
    for (Route route : routes) {
      if (!route.equals(taken)) {
        long until = restsUntilNs.getOrDefault(route, nowNs);
        waitNs = Math.min(waitNs, Math.max(0, until - nowNs));
      }
    }
    return waitNs;
  }

  private boolean isResting(Route route, long nowNs) {
    Long until = restsUntilNs.get(route);
    return until != null && nowNs - until < 0;
  }

  /** Returns when a route can be taken at the soonest, if all of them rest. */
  public long dueNs(long nowNs) {
    long waitNs = restNs;
    for (Route route : routes) {
      long until = restsUntilNs.getOrDefault(route, nowNs);
      waitNs = Math.min(waitNs, Math.max(0, until - nowNs));
    }
    return nowNs + waitNs;
  }

  /** Notes that a route had no way on: it rests from now on. */
  public void onNoWay(Route route, long nowNs) {
    restsUntilNs.put(route, nowNs + restNs);
  }

  /** Notes that a route led to its destination. */
  public void onWay(Route route) {
    restsUntilNs.remove(route);
  }
}
