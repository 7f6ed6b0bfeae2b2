package io.rtransport.core.node;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The routes to one network, and which one is taken: of those that do not rest the one with the
 * lowest priority, then with the fewest hops, then the one given first. A route without a way on
 * rests: the next one is taken at once, and this one again when its rest is over. Loop-confined.
 *
 * <p>Source: LNet Health, "Selection Algorithm", which does not say which of several routers is
 * taken.
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
    this.routes = new ArrayList<>(routes);
    this.routes.sort(Comparator.comparingInt(Route::priority).thenComparingInt(Route::hops));
    this.restNs = restNs;
  }

  /** Returns the route to take now; null: all of them rest until {@link #dueNs}. */
  public Route choose(long nowNs) {
    for (Route route : routes) {
      if (!isResting(route, nowNs)) {
        return route;
      }
    }
    return null;
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
