package io.rtransport.core.node;

/**
 * A network and the router through which it is reached. Source: LNet Health, "Selection Algorithm".
 *
 * @param network name of the network, as names of nodes are
 * @param router name of the router, a peer
 * @param hops routers on the way to the network, 1..8
 * @param priority 0..65,535; the lowest is taken first
 */
public record Route(String network, String router, int hops, int priority) {
  /** Most routers on the way. */
  public static final int HOPS_MAX = 8;

  /** The last priority. */
  public static final int PRIORITY_MAX = 65_535;

  /** Checks the values. */
  public Route {
    name("network", network);
    name("router", router);
    range("hops", hops, 1, HOPS_MAX);
    range("priority", priority, 0, PRIORITY_MAX);
  }

  private static void name(String field, String name) {
    if (!NodeName.isName(name)) {
      throw new IllegalArgumentException(
          field + "=" + name + ", valid: 1 to 64 letters, digits, '.', '_' and '-'");
    }
  }

  private static void range(String field, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(field + "=" + value + ", valid: " + min + ".." + max);
    }
  }
}
