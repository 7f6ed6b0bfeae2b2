package io.rtransport.core.queue;

/** Answer to a request for room in a completion queue. */
public enum Claim {
  /** The room is the caller's: exactly that many entries will follow, or be given back. */
  TAKEN,
  /** There is no room now. Polling makes room. */
  BACK_PRESSURED,
  /** The queue is closed for good. */
  CLOSED
}
