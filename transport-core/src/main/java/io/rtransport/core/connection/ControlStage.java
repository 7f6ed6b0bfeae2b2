package io.rtransport.core.connection;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.CloseCode;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.PathDataFlyweight;
import io.rtransport.core.wire.PingFlyweight;
import io.rtransport.core.wire.PongFlyweight;
import io.rtransport.core.wire.RejectFlyweight;
import io.rtransport.core.wire.VersionNegotiationFlyweight;
import io.rtransport.core.wire.WireText;
import java.nio.ByteBuffer;

/**
 * Takes the unnumbered packets of a connection, which have passed the door, to whoever decides
 * about them. ACKs are the window's. One for all connections of an event loop: it keeps nothing of
 * any.
 */
final class ControlStage {
  private final ClearHeaderFlyweight clear = new ClearHeaderFlyweight();
  private final PingFlyweight ping = new PingFlyweight();
  private final PongFlyweight pong = new PongFlyweight();
  private final PathDataFlyweight pathData = new PathDataFlyweight();

  void onPacket(Connection connection, ByteBuffer buffer, int offset, int length, long nowNs) {
    switch (clear.wrap(buffer, offset).type()) {
      case PacketType.REQUEST, PacketType.DATA, PacketType.ACK -> {
        // the window's
      }
      case PacketType.RETRY, PacketType.ACCEPT, PacketType.REJECT, PacketType.VERSION_NEGOTIATION ->
          onHandshake(connection, clear.type(), buffer, offset, length, nowNs);
      case PacketType.PING -> {
        if (connection.isEstablished()) {
          ping.wrap(buffer, offset);
          long creditLimit = connection.solicitation().creditLimitBytes();
          int pongLength =
              connection
                  .packets()
                  .pong(
                      connection.peerCid(),
                      connection.peerCookie(),
                      ping.id(),
                      ping.pathId(),
                      creditLimit);
          connection.transmitControl(pongLength, nowNs);
        }
      }
      case PacketType.PONG -> {
        if (connection.isEstablished()) {
          int id = pong.wrap(buffer, offset).id();
          if (!connection.window().onPong(id)) {
            connection.liveness().onPong(id);
          }
        }
      }
      case PacketType.PATH_CHALLENGE -> {
        if (connection.isEstablished()) {
          connection.counters().increment(CounterId.PATH_CHALLENGES_RECEIVED);
          long data = pathData.wrap(buffer, offset).data();
          int responseLength =
              connection
                  .packets()
                  .pathData(
                      PacketType.PATH_RESPONSE,
                      connection.peerCid(),
                      connection.peerCookie(),
                      data);
          connection.transmitControl(responseLength, nowNs);
        }
      }
      case PacketType.PATH_RESPONSE -> {
        // PeerAddress's, who has seen it on its way here
      }
      case PacketType.CLOSE -> {
        if (connection.clientHandshake() == null) {
          connection.closing().onClose(buffer, offset, length, nowNs);
        }
      }
      case PacketType.CLOSE_ACK -> connection.closing().onCloseAck(nowNs);
      default -> connection.counters().increment(CounterId.DROP_STATE);
    }
  }

  private void onHandshake(
      Connection connection, int type, ByteBuffer buffer, int offset, int length, long nowNs) {
    ClientHandshake clientHandshake = connection.clientHandshake();
    if (clientHandshake == null) {
      // A late copy: the ACCEPT of a repeated CONNECT, most likely. What it answers is settled;
      // confirm again.
      connection.counters().increment(CounterId.DROP_STATE);
      if (type == PacketType.ACCEPT && connection.isEstablished()) {
        connection.window().forceAck(nowNs);
      }
      return;
    }
    if (type == PacketType.RETRY) {
      clientHandshake.onRetry(buffer, offset, nowNs);
    } else if (type == PacketType.ACCEPT) {
      if (clientHandshake.onAccept(buffer, offset, nowNs)) {
        connection.window().forceAck(nowNs); // confirms
        connection.liveness().expectAnswer();
      }
    } else if (type == PacketType.VERSION_NEGOTIATION) {
      onVersions(connection, clientHandshake, buffer, offset, nowNs);
    } else {
      onReject(connection, clientHandshake, buffer, offset, length, nowNs);
    }
  }

  /**
   * The target speaks other versions. Who names ours among them contradicts itself: it would have
   * answered.
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
    connection.end(new CloseReason(reject.code(), text, true), nowNs);
    connection.forget(nowNs);
  }
}
