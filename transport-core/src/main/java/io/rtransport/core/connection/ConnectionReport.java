package io.rtransport.core.connection;

import io.rtransport.core.rail.PairHealth;
import io.rtransport.core.stats.PathReport;
import io.rtransport.core.window.Path;
import io.rtransport.core.window.WindowSublayer;
import java.util.ArrayList;
import java.util.List;

/**
 * State of one connection and its paths at one moment.
 *
 * @param isEstablished whether it is set up and has not ended
 * @param ownTransactions transactions of this side that have begun and not ended
 * @param peerTransactions transactions of the peer, likewise
 * @param paths the open paths; at least one
 */
public record ConnectionReport(
    boolean isEstablished, int ownTransactions, int peerTransactions, List<PathReport> paths) {

  /**
   * Reads a connection. It makes nothing that the connection does not have: an idle one stays
   * small.
   *
   * @param connection called on its event loop, outside of its calls
   */
  public static ConnectionReport of(Connection connection) {
    boolean isEstablished = connection.isEstablished();
    SublayerStack stack = isEstablished ? connection.sublayers.inUse() : null;
    List<PathReport> paths = new ArrayList<>(2);
    for (int rest = connection.openPaths(); rest != 0; rest &= rest - 1) {
      int index = Integer.numberOfTrailingZeros(rest);
      paths.add(path(connection.peerPaths, index, stack == null ? null : stack.window));
    }
    return new ConnectionReport(
        isEstablished,
        stack == null ? 0 : stack.transaction.outstanding(),
        stack == null ? 0 : stack.transaction.peers().size(),
        paths);
  }

  private static PathReport path(PeerPaths peerPaths, int index, WindowSublayer window) {
    OpenPath open = peerPaths.path(index);
    PairHealth health = peerPaths.health(index);
    Path path = window == null ? null : window.path(index);
    return new PathReport(
        index,
        health == null ? null : health.localName(),
        health == null ? null : health.peerName(),
        open.remote(),
        path != null && (window.usablePaths() >>> index & 1) == 0,
        path == null ? 0 : path.smoothedRttNs(),
        path == null ? 0 : path.unacknowledgedCount(),
        path == null ? 0 : path.inFlightBytes(),
        open.datagramsSent(),
        open.bytesSent(),
        open.datagramsReceived(),
        open.bytesReceived(),
        path == null ? 0 : path.resends().on(),
        path == null ? 0 : path.resends().from(),
        path == null ? 0 : path.resends().movedFrom(),
        health == null ? -1 : health.lower());
  }

  /** Returns how many paths take no packets. */
  public int suspectCount() {
    int suspect = 0;
    for (PathReport path : paths) {
      suspect += path.isSuspect() ? 1 : 0;
    }
    return suspect;
  }

  /**
   * Returns the longest smoothed round trip of the paths that take packets, ns; 0 without a sample.
   */
  public long rttNs() {
    long longest = 0;
    for (PathReport path : paths) {
      longest = path.isSuspect() ? longest : Math.max(longest, path.rttNs());
    }
    return longest;
  }

  /** Returns the packets in flight on all paths. */
  public int packetsInFlight() {
    int packets = 0;
    for (PathReport path : paths) {
      packets += path.packetsInFlight();
    }
    return packets;
  }

  /** Returns the bytes in flight on all paths. */
  public long bytesInFlight() {
    long bytes = 0;
    for (PathReport path : paths) {
      bytes += path.bytesInFlight();
    }
    return bytes;
  }
}
