package io.rtransport.core.solicitation;

/**
 * Decides whether the limit of bytes that a peer may have on its way to us should double. It
 * doubles when the application took more than half of the limit within one round trip, the shortest
 * of the path. A slow reader takes less, and the round trip of a fast path is too short for it. So
 * only bandwidth × delay makes the limit grow.
 */
final class PathNeed {
  private boolean isOpen;
  private long sinceNs;
  private long takenBytes;

  /**
   * Returns whether the limit should double. Called now and then.
   *
   * @param takenBytesSoFar bytes that the application has taken, cumulative
   * @param boundBytes the present limit, bytes
   * @param roundTripNs the shortest round trip; 0 without a sample
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
