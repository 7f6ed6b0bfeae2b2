package io.rtransport.core.parameter;

import io.rtransport.core.stats.Limits;

/**
 * Part of an agreement that is the same for both directions.
 *
 * @param isOrdered whether messages and ends come in the order of submission, in both directions:
 *     true if at least one side asks for it
 * @param datagramLengthBytes UDP payload, the lesser
 * @param outstandingMax transactions of a direction that have not ended, the lesser
 * @param solicitThresholdBytes pushes above it ask first, the lesser
 * @param headerLengthMax application header, the lesser, and no more than fits a packet
 * @param idleTimeoutNs the lesser, but at least twice the larger total timeout
 * @param livenessTotalNs the larger of both sides' total timeouts
 */
public record CommonParameters(
    boolean isOrdered,
    int datagramLengthBytes,
    int outstandingMax,
    int solicitThresholdBytes,
    int headerLengthMax,
    long idleTimeoutNs,
    long livenessTotalNs) {
  /**
   * Room that a packet needs in addition to an application header, bytes: fixed headers, record
   * header and a reserve.
   */
  public static final int HEADER_ROOM = 128;

  public CommonParameters {
    if (datagramLengthBytes < Limits.DATAGRAM_LENGTH_MIN
        || datagramLengthBytes > Limits.DATAGRAM_LENGTH_MAX) {
      throw new IllegalArgumentException(
          "datagramLengthBytes=" + datagramLengthBytes + ", valid: 576..8192");
    }
  }
}
