package io.rtransport.core.window;

/**
 * Since when a path is silent: no acknowledgement has shown that a packet arrived on it. {@link
 * Suspicion} judges by it. Loop-confined.
 */
final class Silence {
  private long fromNs;

  /** Whether, and when, an acknowledgement last showed that a packet arrived on the path. */
  private boolean isProven;

  private long provenNs;

  /** Of the acknowledgement that is being processed. */
  private boolean isArrivalSeen;

  /** Returns since when the path is silent, if something is unacknowledged on it. */
  long fromNs() {
    return fromNs;
  }

  /**
   * Returns whether an acknowledgement at or after {@code sinceNs} showed that a packet arrived on
   * the path.
   */
  boolean isProvenSince(long sinceNs) {
    return isProven && provenNs - sinceNs >= 0;
  }

  /**
   * Begins anew: the path has answered a PING or returned, or a packet left while none was
   * unacknowledged on it.
   */
  void onShown(long nowNs) {
    fromNs = nowNs;
  }

  void onArrivalSeen() {
    isArrivalSeen = true;
  }

  /** Ends the processing of an acknowledgement that retired a packet of the path. */
  void onAcknowledgementEnd(long nowNs) {
    if (isArrivalSeen) {
      isProven = true;
      isArrivalSeen = false;
      provenNs = nowNs;
      fromNs = nowNs;
    }
  }
}
