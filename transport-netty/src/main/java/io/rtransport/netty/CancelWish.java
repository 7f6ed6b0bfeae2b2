package io.rtransport.netty;

/**
 * Ties a {@link Push} or {@link Pull} to its place among a channel's writes, so that it can be
 * given up on any thread, and before it is written too. The place is the event loop's alone.
 */
final class CancelWish {
  private volatile boolean isMade;
  private volatile WriteQueue writes;
  private OutboundMessage entry;

  void make() {
    isMade = true;
    WriteQueue queue = writes;
    if (queue != null) {
      queue.cancelDue(this);
    }
  }

  boolean isMade() {
    return isMade;
  }

  /** It was written, and stands there until {@link #ended}. */
  void written(WriteQueue queue, OutboundMessage at) {
    entry = at;
    writes = queue;
    if (isMade) {
      queue.cancelDue(this);
    }
  }

  /** Null when it has ended. */
  OutboundMessage entry() {
    return entry;
  }

  void ended() {
    entry = null;
  }
}
