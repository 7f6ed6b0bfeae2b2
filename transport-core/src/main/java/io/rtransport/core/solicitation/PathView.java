package io.rtransport.core.solicitation;

/** Facts about the path to the peer that this sublayer asks of the window below. */
public interface PathView {
  /**
   * Returns whether the path is congested: messages waited for the congestion window at the end of
   * the last transmission, or packets were lost within a round trip.
   */
  boolean isCongested();

  /** Returns how many bytes the congestion window takes now, at least 0. */
  default long roomBytes() {
    return Long.MAX_VALUE;
  }

  /**
   * Returns whether several more packets may leave before anything is acknowledged. Then a late
   * acknowledgement delays nothing.
   */
  default boolean hasRoomToSpare() {
    return true;
  }

  /** Returns the smoothed round trip, in ns; 0 without a sample. */
  long srttNs();

  /** Returns the least round trip seen lately, in ns; 0 without a sample. */
  default long leastRttNs() {
    return srttNs();
  }

  /** Returns whether packets of the peer are missing below the highest that came. */
  default boolean hasGap() {
    return false;
  }
}
