package io.rtransport.core.connection;

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

  /**
   * Notes the PING of a path that was opened.
   *
   * @param id the PING's, which nobody can guess
   * @param roundTrip round trip of the challenge, ns; negative: not known
   */
  void onSent(int index, int id, long roundTrip, long nowNs) {
    ids[index] = id;
    sentNs[index] = nowNs;
    roundTripNs[index] = roundTrip;
    askedMask |= 1 << index;
  }

  /** Handles a PONG that came by path {@code index}. Returns whether it answers the path's PING. */
  boolean onPong(int id, int index, long nowNs) {
    if ((askedMask & 1 << index) == 0 || ids[index] != id) {
      return false;
    }
    askedMask &= ~(1 << index);
    roundTripNs[index] = nowNs - sentNs[index];
    return true;
  }

  /** Returns the round trip that was measured when the path was opened, ns; negative: none. */
  long roundTripNs(int index) {
    return roundTripNs[index];
  }
}
