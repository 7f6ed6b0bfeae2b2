package io.rtransport.netty.internal.loop;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.netty.port.RtPort;

/**
 * A server channel that owns ports, as the event loops that read them see it. On any of these
 * loops.
 */
public interface PortOwner {
  /** One event loop's part of a server channel. Any thread. */
  interface Member {
    LoopDriver driver();

    /** Returns this loop's port with the same address as {@code other}, a port of another loop. */
    RtPort like(RtPort other);
  }

  /** Returns the event loop of the channel's own handlers. Any thread. */
  EventLoop eventLoop();

  /** Returns whether it accepts: it is bound, and does not close. */
  boolean isActive();

  /** Returns whether there is room for another connection that is not read yet. */
  boolean hasRoom();

  /** Returns the offer for connections that begin now. */
  ConnectionConfig handshake();

  /** Returns the part whose loop {@code cid} names; null if there is none, or only one part. */
  Member member(int cid);

  /**
   * Makes the channel of a connection whose initiator has confirmed it.
   *
   * @param isAccepted whether the channel becomes a child of the server channel, and enters its
   *     pipeline
   * @return its link
   */
  LoopLink adopt(Connection connection, LoopDriver driver, RtPort port, boolean isAccepted);

  /**
   * Tells that the connection of such a channel is set up: {@code child} must enter the pipeline.
   */
  void accept(Channel child);

  /** Tells that one of its sockets is gone. On that socket's loop. */
  void onPortClosed();
}
