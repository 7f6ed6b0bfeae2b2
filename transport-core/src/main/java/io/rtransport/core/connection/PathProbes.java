package io.rtransport.core.connection;

import io.rtransport.core.window.WindowSublayer;

/**
 * Sender of the probes that {@link io.rtransport.core.window.PathMtuSearch} asks for. A probe is a
 * PING that is padded to the wanted length. Its id is drawn from the node's secret source, so only
 * a receiver of the probe can answer it.
 */
final class PathProbes {
  private PathProbes() {}

  /**
   * Writes the probe that is due on a path into the buffer of the connection's packets.
   *
   * @return its length; 0 if there is none after all
   */
  static int write(Connection connection, WindowSublayer window, int pathIndex, long nowNs) {
    int id = (int) connection.endpoint().drawSecret();
    int length = window.pollMtuProbe(pathIndex, id, nowNs);
    if (length == 0) {
      return 0;
    }
    int pathId = connection.peerPaths.path(pathIndex).id();
    return connection
        .packets()
        .probe(connection.peerCid(), connection.peerCookie(), id, pathId, length);
  }
}
