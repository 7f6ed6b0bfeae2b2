package io.rtransport.core.solicitation;

/** What this sublayer asks of the window below about the way to the peer. */
public interface PathView {
  /**
   * Whether messages waited for the congestion window at the end of the last transmission, or
   * packets were lost within a round trip.
   */
  boolean isCongested();

  /** Bytes that the congestion window takes now, at least 0. */
  default long roomBytes() {
    return Long.MAX_VALUE;
  }

  /**
   * Whether several packets more may leave before anything is acknowledged: an acknowledgement that
   * comes late holds nothing up then.
   */
  default boolean hasRoomToSpare() {
    return true;
  }

  /** The smoothed round trip, in ns; 0 when there is no sample. */
  long srttNs();

  /** The least round trip seen lately, in ns; 0 when there is no sample. */
  default long leastRttNs() {
    return srttNs();
  }

  /** Whether packets of the peer are missing below the highest that came. */
  default boolean hasGap() {
    return false;
  }
}
