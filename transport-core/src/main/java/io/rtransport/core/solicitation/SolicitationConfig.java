package io.rtransport.core.solicitation;

import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.parameter.DirectionParameters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.window.PathMtuSearch;

/**
 * Values of a connection that this sublayer needs, mostly agreed by both sides.
 *
 * @param cid names this connection in the loop's reorder table; unique among the loop's connections
 * @param agreed what both sides agreed on; one application header must fit into any packet
 * @param congestedThresholdBytes pushes longer than this ask first while the path is congested
 * @param inFlightBytesMax on the longest path, the most granted bytes of a connection that have not
 *     arrived. Also the most unsolicited credit of a peer that takes so much. Both begin smaller
 * @param flushWindowNs how long a submission waits at the most for others to share its packet; 0:
 *     it does not wait
 * @param isUnawaitedTold whether the peer is told for which pushes nobody waits
 * @param isPathMtuDiscovered whether packets may prove too long for the path and then become
 *     shorter
 */
public record SolicitationConfig(
    int cid,
    AgreedParameters agreed,
    int congestedThresholdBytes,
    long inFlightBytesMax,
    long flushWindowNs,
    boolean isUnawaitedTold,
    boolean isPathMtuDiscovered) {

  /** Smallest grant that is worth its cost, unless it is the message's last. */
  static final long GRANT_BYTES_MIN = 16 << 10;

  /**
   * Bytes that are granted ahead at first: twice the two megabytes in flight that fill a fast path,
   * so that no sender waits for a grant. More would only overflow the cache.
   */
  public static final long GRANT_AHEAD_BYTES = 4L << 20;

  /**
   * Bytes of a packet that are not records: 36 of the numbered header, 8 of both hints, and 16
   * reserved behind the records. The trailer uses 4 of these 16.
   */
  private static final int PACKET_OVERHEAD = 36 + 8 + 16;

  public SolicitationConfig {
    range("outstandingMax", agreed.both().outstandingMax(), 1, Limits.OUTSTANDING_MAX);
    int headerRoom = recordsLengthOf(agreed.both().datagramLengthBytes()) - 32;
    range(
        "headerLengthMax",
        agreed.both().headerLengthMax(),
        0,
        Math.min(Limits.HEADER_LENGTH_MAX, headerRoom));
    range("inFlightBytesMax", inFlightBytesMax, 1 << 14, Long.MAX_VALUE);
  }

  boolean isOrdered() {
    return agreed.isOrdered();
  }

  int datagramLengthBytes() {
    return agreed.both().datagramLengthBytes();
  }

  /**
   * Returns how far ahead a credit limit of the peer may be, bytes. A limit further ahead is not
   * taken.
   */
  long takenCreditBytes() {
    return agreed.rx().has(DirectionParameters.FEATURE_LONG_CREDIT)
        ? Limits.CREDIT_AHEAD_BYTES_MAX
        : Limits.CREDIT_BYTES_MAX;
  }

  /** Returns the most unsolicited credit that the peer may get, on the longest path, bytes. */
  long givenCreditBytes() {
    return agreed.tx().has(DirectionParameters.FEATURE_LONG_CREDIT)
        ? inFlightBytesMax
        : Limits.CREDIT_BYTES_MAX;
  }

  /** Returns the bytes of records in a full packet without an acknowledgement. */
  int recordsLengthMax() {
    return recordsLengthOf(datagramLengthBytes());
  }

  /**
   * Returns the bytes at the front of a packet for records whose acknowledgement is recognised by
   * the packet's number. Such records stay in their packet, however short the path's datagrams
   * become.
   */
  int controlLengthMax() {
    return isPathMtuDiscovered
        ? recordsLengthOf(
            PathMtuSearch.floorBytes(datagramLengthBytes(), agreed.both().headerLengthMax()))
        : recordsLengthMax();
  }

  private static int recordsLengthOf(int datagramLengthBytes) {
    return datagramLengthBytes - PACKET_OVERHEAD;
  }

  private static void range(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(name + "=" + value + " must be " + min + ".." + max);
    }
  }
}
