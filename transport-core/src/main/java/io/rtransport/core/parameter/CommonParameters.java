package io.rtransport.core.parameter;

import io.rtransport.core.stats.Limits;

/**
 * What holds for both directions: the half of an agreement that is the same on both sides.
 *
 * @param isOrdered whether messages and ends come in the order of submission, in both directions:
 *     unless neither side asks for that
 * @param datagramLengthBytes UDP payload, the lesser
 * @param outstandingMax unended transactions a direction, the lesser
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
   * Fixed headers, record header and what is held back: what a packet needs beside an application
   * header, bytes.
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
