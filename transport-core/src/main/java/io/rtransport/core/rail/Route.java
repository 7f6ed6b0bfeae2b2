package io.rtransport.core.rail;

/**
 * Way to a peer that is on no network of ours.
 *
 * @param router the peer that forwards
 * @param hops routers up to the destination, 0 or more
 * @param priority routes with the lowest value are taken first, 0 or more
 */
public record Route(PeerView router, int hops, int priority) {
  public Route {
    check("hops", hops);
    check("priority", priority);
  }

  private static void check(String name, int value) {
    if (value < 0) {
      throw new IllegalArgumentException(name + "=" + value + ", valid: 0 or more");
    }
  }
}
