package io.rtransport.netty.internal.loop;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.ConnectionConfig;
import io.rtransport.netty.port.RtPort;

/**
 * A server channel as the event loops see it that read its ports: the owner of those. On any of
 * these loops.
 */
public interface PortOwner {
  /** One event loop's part of a server channel. Any thread. */
  interface Member {
    LoopDriver driver();

    /** The port that is bound to what {@code other}, of another loop, is bound to. */
    RtPort like(RtPort other);
  }

  /** The one that its own handlers run on. Any thread. */
  EventLoop eventLoop();

  /** Whether it accepts: it is bound, and does not close. */
  boolean isActive();

  /** Whether there is room for another connection that is not read yet. */
  boolean hasRoom();

  /** What is offered to those who connect now. */
  ConnectionConfig handshake();

  /** The part whose loop {@code cid} names; null if none, or if there is one only. */
  Member member(int cid);

  /**
   * Makes the channel of a connection whose initiator has confirmed it.
   *
   * @param isAccepted whether the channel is the server channel's child, and enters its pipeline
   * @return its link
   */
  LoopLink adopt(Connection connection, LoopDriver driver, RtPort port, boolean isAccepted);

  /** The connection of such a channel is set up: {@code child} is to enter the pipeline. */
  void accept(Channel child);

  /** One of its sockets is gone. On that one's loop. */
  void onPortClosed();
}
