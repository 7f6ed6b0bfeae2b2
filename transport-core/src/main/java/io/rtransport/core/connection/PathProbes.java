package io.rtransport.core.connection;

import io.rtransport.core.window.WindowSublayer;

/**
 * Sender of the probes that {@link io.rtransport.core.window.PathMtuSearch} asks for. A probe is a
 * PING that is padded to the wanted length. Its id is drawn from the node's secret source, so only
 * a receiver of the probe can answer it.
 */
final class PathProbes {
  private PathProbes() {}

  /** Sends a probe if one is due. Called after each transmission. */
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
