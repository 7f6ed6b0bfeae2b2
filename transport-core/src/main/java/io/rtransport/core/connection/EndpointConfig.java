package io.rtransport.core.connection;

import io.rtransport.core.stats.Limits;

/**
 * Settings of an endpoint, fixed when it is made.
 *
 * @param loopIndex number of its event loop in the process, 0..255; part of every connection id
 * @param connectionsMax connections and half-open handshakes together, 1..65,535
 * @param halfOpenMax handshakes that are not confirmed yet, 1..65,535
 * @param tokenThreshold number of half-open handshakes from which on strangers need a token,
 *     0..halfOpenMax
 * @param halfOpenPerPrefixMax half-open handshakes with a token that one network prefix may have,
 *     1..65,535; applies from tokenThreshold on
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

  /** Returns the defaults for loop {@code loopIndex}. */
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
