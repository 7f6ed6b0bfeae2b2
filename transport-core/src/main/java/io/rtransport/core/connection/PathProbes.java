package io.rtransport.core.connection;

import io.rtransport.core.window.WindowSublayer;

/**
 * Sends the probes that {@link io.rtransport.core.window.PathMtuSearch} asks for: a PING padded to
 * the length, with an id drawn from the node's secret, so that whoever answers it has received it.
 */
final class PathProbes {
  private PathProbes() {}

  /** After each transmission. */
  static void advance(Connection connection, Endpoint endpoint, WindowSublayer window, long nowNs) {
    if (!window.isMtuProbeDue(0)) {
      return;
    }
    int id = (int) endpoint.drawSecret();
    int length = window.pollMtuProbe(0, id, nowNs);
    if (length > 0) {
      int pathId = window.path(0).id();
      ControlPackets packets = connection.packets();
      int written =
          packets.probe(connection.peerCid(), connection.peerCookie(), id, pathId, length);
      connection.transmitControl(written, nowNs);
    }
  }
}
