package io.rtransport.core.connection;

import io.rtransport.core.stats.Limits;

/**
 * What an endpoint is told once.
 *
 * @param loopIndex which event loop of the process it is, 0..255: stands in every connection id
 * @param connectionsMax connections and half-open handshakes together, 1..65,535
 * @param halfOpenMax handshakes not yet confirmed, 1..65,535
 * @param tokenThreshold from how many half-open handshakes a token is demanded of strangers,
 *     0..halfOpenMax
 * @param halfOpenPerPrefixMax from tokenThreshold on, how many handshakes with a token one network
 *     prefix may have half-open, 1..65,535
 */
public record EndpointConfig(
    int loopIndex,
    int connectionsMax,
    int halfOpenMax,
    int tokenThreshold,
    int halfOpenPerPrefixMax) {
  public EndpointConfig {
    within("loopIndex", loopIndex, 0, 255);
    within("connectionsMax", connectionsMax, 1, Limits.CONNECTIONS_MAX);
    within("halfOpenMax", halfOpenMax, 1, Limits.CONNECTIONS_MAX);
    within("tokenThreshold", tokenThreshold, 0, halfOpenMax);
    within("halfOpenPerPrefixMax", halfOpenPerPrefixMax, 1, Limits.CONNECTIONS_MAX);
  }

  /** Defaults for loop {@code loopIndex}. */
  public static EndpointConfig ofLoop(int loopIndex) {
    return new EndpointConfig(
        loopIndex,
        Limits.CONNECTIONS_MAX,
        Limits.HALF_OPEN_MAX,
        Limits.HALF_OPEN_MAX / 2,
        Limits.HALF_OPEN_PER_PREFIX_MAX);
  }

  private static void within(String name, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(name + "=" + value + " must be in " + min + ".." + max);
    }
  }
}
