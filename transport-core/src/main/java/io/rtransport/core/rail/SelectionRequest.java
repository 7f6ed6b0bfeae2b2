package io.rtransport.core.rail;

import java.util.List;
import java.util.Map;

/**
 * What selection has to know of a message. Immutable.
 *
 * <p>LNet Health, "Algorithm Parameters", names scenarios by letters: the source is given (A) or
 * any (B), the destination is local (1) or reached by routes (2).
 *
 * @param source our interface that the message has to leave by; null for any
 * @param nextHops the routers of the routes; of a local destination only the peer itself
 * @param used how often the message was sent by each next hop, by name
 */
public record SelectionRequest(NiView source, List<Hop> nextHops, Map<String, Integer> used) {
  public SelectionRequest {
    nextHops = List.copyOf(nextHops);
    used = Map.copyOf(used);
  }
}
