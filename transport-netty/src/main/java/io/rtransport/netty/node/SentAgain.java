package io.rtransport.netty.node;

/** Why a message is sent again. */
enum SentAgain {
  /**
   * Its attempt ended without an answer: the connection is lost, or could not take it. Or the peer
   * had forgotten this node.
   */
  LOSS,
  /** The router of its attempt does not answer. */
  SILENCE,
  /** The router of its attempt had no way on. */
  NO_WAY
}
