package io.rtransport.netty;

import io.rtransport.core.connection.Connection;

/**
 * A channel's connection as its queues of reads and writes use it, and the parts that drive it.
 * Loop-confined.
 */
abstract class Link {
  public abstract Connection connection();

  /** Tells that the application has to be told of something. It happens at the end of the turn. */
  public abstract void due();

  /** Takes the connection's entries and packets, after it was changed. */
  public abstract void drive();

  /** Returns the turn's time, ns. */
  public abstract long nowNs();

  /** Tells this side's application why; the peer does not get the reason. */
  abstract void tell(Throwable cause);

  /**
   * Tells that something waits to be submitted or transmitted. It happens at the end of the turn.
   */
  public abstract void pumpDue();

  /** Tells that a message waits to be read. It is read at the end of the turn. */
  public abstract void readDue();

  /** Tells that more may be read, but not within the current call. */
  public abstract void readDueSoon();

  /** Tells that the core has taken the last of the flushed writes. */
  public abstract void onDrained();

  /** Returns whether the core builds packets. Then no verb may be called. */
  public abstract boolean isTransmitting();

  /** Returns whether a burst is being read. If so, the end of its batch follows. */
  public abstract boolean isReceiving();

  /**
   * Returns whether the channel has ever been registered. Before that its handlers cannot be told
   * anything.
   */
  public abstract boolean hasHandlers();

  /**
   * Returns whether a message that begins now is put off: without handlers nobody can say where its
   * bytes go.
   */
  public abstract boolean putsOff();

  /**
   * Returns whether the peer closes the connection, rather than only its output. Then the peer says
   * why when all is settled.
   */
  public abstract boolean isPeerClosing();
}
