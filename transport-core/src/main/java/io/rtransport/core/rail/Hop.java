package io.rtransport.core.rail;

import java.util.List;

/**
 * Peer or router that a message can go to next.
 *
 * @param name its name
 * @param priority of the route over it; the lowest is taken first. 0 of the peer itself
 * @param hops routers up to the destination. 0 of the peer itself
 * @param pairs the pairs of interfaces by which it is reached
 */
public record Hop(String name, int priority, int hops, List<NiPair> pairs) {
  public Hop {
    pairs = List.copyOf(pairs);
  }
}
