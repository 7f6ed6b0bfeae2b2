package io.rtransport.netty.queue;

/** What may happen to a rail of a connection: to one of its paths to the peer. */
public enum RtQueueRailEvent {
  /** It is open: packets are tried there. */
  OPENED,
  /** It works: it has answered, for the first time or again. Packets take it. */
  WORKS,
  /** It is suspect: only others are answered. Its packets were sent again over these. */
  SUSPECTED,
  /** The peer was found at another address of this rail. */
  MOVED,
  /** It is closed for good. */
  CLOSED
}
