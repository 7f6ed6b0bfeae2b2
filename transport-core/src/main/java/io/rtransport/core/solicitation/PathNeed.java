package io.rtransport.core.solicitation;

/**
 * Decides whether what a peer may have on its way to us should double: when the application took
 * more than half of it within one round trip, the shortest that the path has. A slow reader takes
 * less, and a fast path is too short for it; so only bandwidth × delay asks.
 */
final class PathNeed {
  private boolean isOpen;
  private long sinceNs;
  private long takenBytes;

  /**
   * Told now and then.
   *
   * @param takenBytesSoFar by the application, cumulative
   * @param boundBytes what the peer may have on its way now
   * @param roundTripNs the shortest; 0 without a sample
   */
  boolean isMore(long takenBytesSoFar, long boundBytes, long roundTripNs, long nowNs) {
    long elapsedNs = nowNs - sinceNs;
    if (isOpen && (elapsedNs < roundTripNs || elapsedNs == 0)) {
      return false;
    }
    boolean isMore =
        isOpen
            && 2.0 * (takenBytesSoFar - takenBytes) * roundTripNs > (double) boundBytes * elapsedNs;
    isOpen = true;
    sinceNs = nowNs;
    takenBytes = takenBytesSoFar;
    return isMore;
  }
}
