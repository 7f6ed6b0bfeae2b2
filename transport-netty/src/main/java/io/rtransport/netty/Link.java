package io.rtransport.netty;

import io.rtransport.core.connection.Connection;

/** A channel's way to its connection, as its queues of reads and writes use it. Loop-confined. */
abstract class Link {
  public abstract Connection connection();

  /** Something waits to be submitted or transmitted: it is at the end of the turn. */
  public abstract void pumpDue();

  /** A message waits to be read: it is at the end of the turn. */
  public abstract void readDue();

  /** More may be read, but not in the call that says so. */
  public abstract void readDueSoon();

  /** The core has taken the last of what was flushed. */
  public abstract void onDrained();

  /** Whether a burst is being read: then the end of its batch follows. */
  public abstract boolean isReceiving();

  /**
   * Whether the channel has ever been registered: before that its handlers can be told of nothing.
   */
  public abstract boolean hasHandlers();

  /** Whether a message that begins now is to be put off: nobody can say yet where it goes. */
  public abstract boolean putsOff();

  /**
   * Whether the peer does not only begin nothing more, but closes: then it says why when all is
   * settled.
   */
  public abstract boolean isPeerClosing();
}
