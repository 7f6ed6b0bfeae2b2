package io.rtransport.core.connection;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.PingFlyweight;
import io.rtransport.core.wire.PongFlyweight;
import io.rtransport.core.wire.RejectFlyweight;
import io.rtransport.core.wire.VersionNegotiationFlyweight;
import io.rtransport.core.wire.WireText;
import java.nio.ByteBuffer;

/**
 * Dispatcher of a connection's unnumbered packets, after the door has checked them. It passes each
 * packet to the class that decides about it. The window takes ACKs. All connections of an event
 * loop share one stage: it keeps no state.
 */
final class ControlStage {
  private final PingFlyweight ping = new PingFlyweight();
  private final PongFlyweight pong = new PongFlyweight();

  /** Handles one packet. Returns false if it is for the window. */
  boolean onPacket(Connection connection, PacketBurst burst, int i, long nowNs) {
    ByteBuffer buffer = burst.buffer(i);
    int offset = burst.offset(i);
    int length = burst.length(i);
    int arrival = burst.pathIndex(i);
    int type = PacketType.of(burst, i);
    connection.peerPaths.learn(type, buffer, offset, arrival);
    switch (type) {
      case PacketType.REQUEST, PacketType.DATA, PacketType.ACK -> {
        return false;
      }
      case PacketType.RETRY, PacketType.ACCEPT, PacketType.REJECT, PacketType.VERSION_NEGOTIATION ->
          onHandshake(connection, type, buffer, offset, length, arrival, nowNs);
      case PacketType.PING -> {
        if (connection.isEstablished()) {
          ping.wrap(buffer, offset);
          long creditLimit = connection.sublayers.creditLimitBytes(connection.agreed());
          int pongLength =
              connection
                  .packets()
                  .pong(
                      connection.peerCid(),
                      connection.peerCookie(),
                      ping.id(),
                      ping.pathId(),
                      creditLimit);
          // Back where the PING came from, if that is an open path.
          int path = connection.peerPaths.openOr(arrival, connection.peerPaths.best());
          connection.transmitControl(pongLength, path, nowNs);
        }
      }
      case PacketType.PONG -> {
        if (connection.isEstablished()) {
          int id = pong.wrap(buffer, offset).id();
          if (!connection.sublayers.onPong(id, arrival, nowNs)) {
            connection.liveness().onPong(id);
          }
        }
      }
      case PacketType.PATH_CHALLENGE -> {
        if (connection.isEstablished()) {
          connection.counters().increment(CounterId.PATH_CHALLENGES_RECEIVED);
          if (arrival >= 0 || !connection.hasRails()) {
            connection.peerPaths.answer(buffer, offset, length, arrival, nowNs);
          } // else PeerPaths has answered it already, on its way here
        }
      }
      case PacketType.PATH_RESPONSE -> {
        // PeerPaths has read it already, on its way here
      }
      case PacketType.CLOSE -> {
        if (connection.clientHandshake() == null) {
          connection.closing().onClose(buffer, offset, length, arrival, nowNs);
        }
      }
      case PacketType.CLOSE_ACK -> connection.closing().onCloseAck(nowNs);
      default -> connection.counters().increment(CounterId.DROP_STATE);
    }
    return true;
  }

  private void onHandshake(
      Connection connection,
      int type,
      ByteBuffer buffer,
      int offset,
      int length,
      int arrival,
      long nowNs) {
    ClientHandshake clientHandshake = connection.clientHandshake();
    if (clientHandshake == null) {
      // A late copy, most likely the ACCEPT of a repeated CONNECT. The handshake is over, so only
      // confirm again.
      connection.counters().increment(CounterId.DROP_STATE);
      if (type == PacketType.ACCEPT && connection.isEstablished()) {
        connection.window().forceAck(nowNs);
      }
      return;
    }
    if (type == PacketType.RETRY) {
      if (arrival >= 0) {
        clientHandshake.onRetry(0, buffer, offset, nowNs);
      } // else PeerPaths has passed it on already, with its pair
    } else if (type == PacketType.ACCEPT) {
      if (clientHandshake.onAccept(buffer, offset, nowNs)) {
        connection.window().forceAck(nowNs); // confirms the handshake
        connection.liveness().expectAnswer();
      }
    } else if (type == PacketType.VERSION_NEGOTIATION) {
      onVersions(connection, clientHandshake, buffer, offset, nowNs);
    } else {
      onReject(connection, clientHandshake, buffer, offset, length, nowNs);
    }
  }

  /**
   * Handles VERSION_NEGOTIATION: the target speaks other versions. An answer that lists our own
   * version contradicts itself and is not believed, because such a target would have sent another
   * answer.
   */
  private void onVersions(
      Connection connection,
      ClientHandshake clientHandshake,
      ByteBuffer buffer,
      int offset,
      long nowNs) {
    VersionNegotiationFlyweight versions = new VersionNegotiationFlyweight().wrap(buffer, offset);
    boolean isBelieved = clientHandshake.isNonce(versions.nonce());
    for (int i = 0; i < versions.count(); i++) {
      isBelieved &= versions.versionAt(i) != ClearHeaderFlyweight.VERSION;
    }
    if (!isBelieved) {
      connection.counters().increment(CounterId.DROP_STATE);
      return;
    }
    connection.end(
        new CloseReason(CloseCode.VERSION.code(), CloseCode.VERSION.sentence(), true), nowNs);
    connection.forget(nowNs);
  }

  private void onReject(
      Connection connection,
      ClientHandshake clientHandshake,
      ByteBuffer buffer,
      int offset,
      int length,
      long nowNs) {
    RejectFlyweight reject = new RejectFlyweight().wrap(buffer, offset);
    if (!clientHandshake.isNonce(reject.nonce())) {
      connection.counters().increment(CounterId.DROP_STATE);
      return;
    }
    String text = WireText.read(buffer, reject.textOffset(), reject.textLength(length));
    clientHandshake.onRejected(0, nowNs);
    connection.end(new CloseReason(reject.code(), text, true), nowNs);
    connection.forget(nowNs);
  }
}
