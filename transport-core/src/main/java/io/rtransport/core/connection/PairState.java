package io.rtransport.core.connection;

/**
 * What a pair is to a connection. A test prints the table of states and events in
 * docs/reference/protocol.md 9.3.
 */
enum PairState {
  /** Not known. */
  UNKNOWN,
  /** Valid packets came from there. The connection is asking whether the peer is there. */
  CHALLENGED,
  /** This side opens the pair, and asks whether the peer is there. */
  OPENING,
  /** A path is open: the peer is there. */
  CURRENT,
  /** The peer was there shortly before. Packets from there may still be on their way. */
  FORMER
}
