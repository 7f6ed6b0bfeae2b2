package io.rtransport.core.connection;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.window.WindowSublayer;

/**
 * First PING of each path that was opened. It tells the peer our id of the path, and its answer
 * gives a round trip. It is not repeated: numbered packets tell both too.
 */
final class OpeningPings {
  private final int[] ids = new int[WindowSublayer.PATHS_MAX];
  private final long[] sentNs = new long[WindowSublayer.PATHS_MAX];
  private final long[] roundTripNs = new long[WindowSublayer.PATHS_MAX];
  private int askedMask;

  /** Sends the PING of a path that has just been opened. */
  void send(Connection connection, int index, long nowNs) {
    ids[index] = (int) connection.endpoint().drawSecret();
    sentNs[index] = nowNs;
    askedMask |= 1 << index;
    connection.ping(ids[index], index, nowNs);
  }

  /** Handles a PONG that came by path {@code index}. Returns whether it answers the path's PING. */
  boolean onPong(Connection connection, int id, int index, long nowNs) {
    if ((askedMask & 1 << index) == 0 || ids[index] != id) {
      return false;
    }
    askedMask &= ~(1 << index);
    connection.counters().increment(CounterId.PONGS_RECEIVED);
    roundTripNs[index] = nowNs - sentNs[index];
    connection.sublayers.onRoundTrip(index, roundTripNs[index], nowNs);
    return true;
  }

  void roundTrip(int index, long ns) {
    roundTripNs[index] = ns;
  }

  /** Returns the round trip that was measured when the path was opened, ns; negative: none. */
  long roundTripNs(int index) {
    return roundTripNs[index];
  }
}
