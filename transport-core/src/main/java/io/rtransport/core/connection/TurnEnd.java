package io.rtransport.core.connection;

import io.rtransport.core.solicitation.SolicitationSublayer;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.window.WindowSublayer;
import java.util.function.LongSupplier;

/**
 * Sender of the unnumbered packets that the window owes at the end of a turn: probes of path MTUs,
 * PINGs of paths, and the acknowledgement that no numbered packet took along. Part of a
 * connection's sublayers. It knows the connection only as the owner of packets.
 */
final class TurnEnd {
  private final Object connection;
  private final LoopResources loop;
  private final LongSupplier secrets;
  private final Counters counters;
  private final int peerCid;
  private final long peerCookie;
  private final OpenPaths paths;
  private final WindowSublayer window;
  private final SolicitationSublayer solicitation;

  /**
   * @param connection owner of the packets in the loop's {@link ControlQueue}
   * @param secrets draws the ids of PINGs, which nobody can guess
   */
  TurnEnd(
      Object connection,
      LoopResources loop,
      LongSupplier secrets,
      Counters counters,
      int peerCid,
      long peerCookie,
      OpenPaths paths,
      WindowSublayer window,
      SolicitationSublayer solicitation) {
    this.connection = connection;
    this.loop = loop;
    this.secrets = secrets;
    this.counters = counters;
    this.peerCid = peerCid;
    this.peerCookie = peerCookie;
    this.paths = paths;
    this.window = window;
    this.solicitation = solicitation;
  }

  /** Sends what is due, after the numbered packets of the turn. */
  void send(long nowNs) {
    sendMtuProbes(nowNs);
    sendPings(nowNs);
    if (window.hasAckDue(nowNs)) {
      sendAck(nowNs);
    }
  }

  private void sendMtuProbes(long nowNs) {
    for (int i = paths.first(); i < Limits.PATHS_MAX; i++) {
      if (paths.isOpen(i) && window.isMtuProbeDue(i)) {
        int pathId = paths.path(i).id();
        int id = (int) secrets.getAsLong();
        int length =
            PathProbes.write(loop.packets(), peerCid, peerCookie, window, i, pathId, id, nowNs);
        if (length > 0) {
          add(length, i);
        }
      }
    }
  }

  private void sendPings(long nowNs) {
    for (int i = window.duePathPing(nowNs); i >= 0; i = window.duePathPing(nowNs)) {
      int id = (int) secrets.getAsLong();
      int length = window.pathPingBytes(i);
      window.onPathPinged(i, id, nowNs);
      counters.increment(CounterId.PINGS_SENT);
      int pathId = paths.path(i).id();
      add(loop.packets().probe(peerCid, peerCookie, id, pathId, length), i);
    }
  }

  private void sendAck(long nowNs) {
    window.creditLimitBytes(solicitation.creditLimitBytes());
    int mask = window.ackPaths();
    int length = window.pollAck(loop.packets().buffer(), 0, nowNs);
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      add(length, Integer.numberOfTrailingZeros(rest));
    }
  }

  private void add(int length, int pathIndex) {
    loop.control().add(connection, counters, loop.packets().buffer(), length, pathIndex);
  }
}
