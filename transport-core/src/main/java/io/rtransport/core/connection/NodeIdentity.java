package io.rtransport.core.connection;

import java.util.random.RandomGenerator;

/**
 * What endpoints behind one address have in common, so that a peer sees one node: it is the same
 * incarnation on each, and each takes the tokens of all. They must share a clock. Any thread.
 *
 * @param incarnation drawn anew whenever the node starts
 * @param tokens that strangers prove their address with
 */
public record NodeIdentity(long incarnation, TokenMint tokens) {
  /**
   * A new one.
   *
   * @param secrets must be unpredictable outside a simulator, and take calls of all the endpoints'
   *     threads
   */
  public static NodeIdentity draw(RandomGenerator secrets, long nowNs) {
    return new NodeIdentity(secrets.nextLong(), new TokenMint(secrets, nowNs));
  }
}
