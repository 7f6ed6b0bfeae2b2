package io.rtransport.core.connection;

import io.rtransport.core.stats.Limits;

/**
 * What an endpoint is told once.
 *
 * @param loopIndex which event loop of the process it is, 0..255: stands in every connection id
 * @param connectionsMax connections and half-open handshakes together, 1..65,535
 * @param halfOpenMax handshakes not yet confirmed, 1..65,535
 * @param tokenThreshold from how many half-open handshakes a token is demanded of strangers, 0..halfOpenMax
 * @param halfOpenPerPrefixMax from tokenThreshold on, how many handshakes with a token one network prefix may have half-open, 1..65,535
 * @param sendTurnBytes what a connection hands to its link before it is the others' turn, but for its last burst, 1..2^30 ({@link SendTurn})
 */
public record EndpointConfig(
    int loopIndex,
    int connectionsMax,
    int halfOpenMax,
    int tokenThreshold,
    int halfOpenPerPrefixMax,
    int sendTurnBytes) {
  /** Half a mebibyte: more than an acknowledgement lets go as a rule, so that a connection alone is not slowed. */
  static final int SEND_TURN_BYTES_DEFAULT = 512 << 10;

  private static final int SEND_TURN_BYTES_MAX = 1 << 30;

  public EndpointConfig {
    within("loopIndex", loopIndex, 0, 255);
    within("connectionsMax", connectionsMax, 1, Limits.CONNECTIONS_MAX);
    within("halfOpenMax", halfOpenMax, 1, Limits.CONNECTIONS_MAX);
    within("tokenThreshold", tokenThreshold, 0, halfOpenMax);
    within("halfOpenPerPrefixMax", halfOpenPerPrefixMax, 1, Limits.CONNECTIONS_MAX);
    within("sendTurnBytes", sendTurnBytes, 1, SEND_TURN_BYTES_MAX);
  }

  /** With turns of the default length. */
  public EndpointConfig(
      int loopIndex,
      int connectionsMax,
      int halfOpenMax,
      int tokenThreshold,
      int halfOpenPerPrefixMax) {
    this(
        loopIndex,
        connectionsMax,
        halfOpenMax,
        tokenThreshold,
        halfOpenPerPrefixMax,
        SEND_TURN_BYTES_DEFAULT);
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
