package io.rtransport.netty.internal.loop;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.Endpoint;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.netty.port.RtPort;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Decides which packets of strangers may begin a connection with a server channel, and has its
 * channel made once the stranger has confirmed it. Confined to the event loop.
 */
final class ServerAdmission {
  private static final InternalLogger LOGGER =
      InternalLoggerFactory.getInstance(ServerAdmission.class);

  private final LoopDriver driver;
  private final Endpoint endpoint;
  private final ClearHeaderFlyweight clear = new ClearHeaderFlyweight();

  ServerAdmission(LoopDriver driver, Endpoint endpoint) {
    this.driver = driver;
    this.endpoint = endpoint;
  }

  /**
   * Returns whether the packet is unwanted. It begins or confirms a handshake with a server whose
   * backlog is full, or confirms one at a port without a server.
   */
  boolean isUnwanted(RtPort port, ByteBuffer view, int offset, int length, int cid) {
    if (port.isLeft() || !(port.owner() instanceof PortOwner server)) {
      return endpoint.isHalfOpen(cid);
    }
    return server.isActive()
        && !server.hasRoom()
        && length >= ClearHeaderFlyweight.HEADER_LENGTH
        && (clear.wrap(view, offset).type() == PacketType.CONNECT || endpoint.isHalfOpen(cid));
  }

  /** Takes a packet of no connection, and sends the endpoint's answer if there is one. */
  void onStray(
      RtPort port, ByteBuffer view, int offset, int length, InetSocketAddress from, long nowNs) {
    boolean isConnect =
        length >= ClearHeaderFlyweight.HEADER_LENGTH
            && clear.wrap(view, offset).type() == PacketType.CONNECT;
    PortOwner server = isConnect ? serverAt(port) : null;
    ConnectionConfig accepting = server == null ? null : server.handshake();
    int answerLength = endpoint.onStray(view, offset, length, port.ni(), from, accepting, nowNs);
    if (answerLength > 0) {
      port.send(endpoint.answer(), 0, answerLength, from);
    }
  }

  /** Returns the server channel that accepts packets of {@code port}, or null. */
  private static PortOwner serverAt(RtPort port) {
    return port.owner() instanceof PortOwner server && server.isActive() && !port.isLeft()
        ? server
        : null;
  }

  /**
   * Makes a channel for a connection whose peer has proved its address and its intention.
   *
   * @return false if there is no memory for a channel; the connection has ended then
   */
  boolean adopt(Connection connection, RtPort port, long nowNs) {
    PortOwner server = (PortOwner) port.owner();
    boolean isAccepted = server.isActive();
    LoopLink link;
    try {
      link = server.adopt(connection, driver, port, isAccepted);
    } catch (RuntimeException | Error e) {
      LOGGER.error("no channel for a connection of {}", connection.remote(), e);
      endWithoutLink(connection, port, nowNs);
      return false;
    }
    port.retain();
    driver.add(link);
    link.drain(); // it is set up before any packet of the peer is read
    if (!isAccepted) {
      connection.abort(CloseCode.REJECTED.code(), CloseCode.REJECTED.sentence(), nowNs);
      link.drive();
    }
    return true;
  }

  /** Ends and forgets a connection that has no link to drive it. Its peer is told once. */
  private void endWithoutLink(Connection connection, RtPort port, long nowNs) {
    connection.endByDefect(nowNs);
    for (PacketBurst last = connection.pollTransmit(1, nowNs);
        last != null;
        last = connection.pollTransmit(1, nowNs)) {
      port.send(last, connection.remote());
    }
    while (connection.poll(driver.entry())) {
      driver.entry().clear(); // nobody takes it
    }
  }
}
