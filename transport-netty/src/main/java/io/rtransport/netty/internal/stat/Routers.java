package io.rtransport.netty.internal.stat;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** The routers of this process that are open. Any thread. */
public final class Routers {
  private static final Set<Supplier<RouterReport>> OPEN = ConcurrentHashMap.newKeySet();

  private Routers() {}

  /** Adds a router, until {@link #remove}. */
  public static void add(Supplier<RouterReport> router) {
    OPEN.add(router);
  }

  public static void remove(Supplier<RouterReport> router) {
    OPEN.remove(router);
  }

  /** Reads all of them, in the order of their names. */
  static List<RouterReport> reports() {
    return OPEN.stream()
        .map(Supplier::get)
        .sorted(Comparator.comparing(RouterReport::name))
        .toList();
  }
}
