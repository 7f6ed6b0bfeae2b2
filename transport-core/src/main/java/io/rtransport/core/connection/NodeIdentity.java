package io.rtransport.core.connection;

import java.util.random.RandomGenerator;

/**
 * Identity that several endpoints behind one address share, so that a peer sees one node. They have
 * the same incarnation, and each accepts the tokens of all. The endpoints must share a clock. Any
 * thread.
 *
 * @param incarnation drawn anew whenever the node starts
 * @param tokens mint of the tokens by which strangers prove their address
 */
public record NodeIdentity(long incarnation, TokenMint tokens) {
  /**
   * Draws a new identity.
   *
   * @param secrets must be unpredictable outside a simulator, and must allow calls from the threads
   *     of all the endpoints
   */
  public static NodeIdentity draw(RandomGenerator secrets, long nowNs) {
    return new NodeIdentity(secrets.nextLong(), new TokenMint(secrets, nowNs));
  }
}
