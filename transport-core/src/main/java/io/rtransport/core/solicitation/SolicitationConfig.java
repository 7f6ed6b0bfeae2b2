package io.rtransport.core.solicitation;

import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.parameter.DirectionParameters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.window.PathMtuSearch;

/**
 * What both sides agreed on, as far as this sublayer needs it.
 *
 * @param cid names this connection in the loop's reorder table; unique among the loop's connections
 * @param agreed one header must fit into any packet
 * @param congestedThresholdBytes pushes longer than this ask first while the path is congested
 * @param inFlightBytesMax on the longest path, granted bytes of a connection that have not arrived,
 *     and unsolicited credit that a peer may come to have that takes so much: they begin smaller
 * @param flushWindowNs how long a submission waits for others to share its packet, at the most; 0 =
 *     it does not
 * @param isUnawaitedTold whether the peer is told of which pushes nobody waits for the end
 * @param isPathMtuDiscovered whether packets may prove too long for the path, and are made shorter
 *     then
 */
public record SolicitationConfig(
    int cid,
    AgreedParameters agreed,
    int congestedThresholdBytes,
    long inFlightBytesMax,
    long flushWindowNs,
    boolean isUnawaitedTold,
    boolean isPathMtuDiscovered) {

  /** A grant below this costs more than it brings, unless it is the message's last. */
  static final long GRANT_BYTES_MIN = 16 << 10;

  /**
   * Grants ahead at first. Two megabytes in flight fill a fast path; more only spills the cache.
   * Twice that, so that grants are never waited for.
   */
  public static final long GRANT_AHEAD_BYTES = 4L << 20;

  /**
   * Numbered header with both hints, trailer and what is held back for it: what a packet has beside
   * records.
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

  /** A credit limit of the peer's that is further ahead is not taken. */
  long takenCreditBytes() {
    return agreed.rx().has(DirectionParameters.FEATURE_LONG_CREDIT)
        ? Limits.CREDIT_AHEAD_BYTES_MAX
        : Limits.CREDIT_BYTES_MAX;
  }

  /** Unsolicited credit that the peer may come to have, on the longest path. */
  long givenCreditBytes() {
    return agreed.tx().has(DirectionParameters.FEATURE_LONG_CREDIT)
        ? inFlightBytesMax
        : Limits.CREDIT_BYTES_MAX;
  }

  /** Bytes of records in a full packet that carries no acknowledgement. */
  int recordsLengthMax() {
    return recordsLengthOf(datagramLengthBytes());
  }

  /**
   * Bytes at the front of a packet in which records stand whose acknowledgement is waited for by
   * packet number: they stay in it however short the path's datagrams become.
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
