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
   * Writes the probe that is due on a path into the buffer of {@code packets}.
   *
   * @param pathId our id of the path
   * @param id drawn at random for it
   * @return its length; 0 if there is none after all
   */
  static int write(
      ControlPackets packets,
      int peerCid,
      long peerCookie,
      WindowSublayer window,
      int pathIndex,
      int pathId,
      int id,
      long nowNs) {
    int length = window.pollMtuProbe(pathIndex, id, nowNs);
    return length > 0 ? packets.probe(peerCid, peerCookie, id, pathId, length) : 0;
  }
}
