package io.rtransport.core.solicitation;

import io.rtransport.core.stats.Limits;
import io.rtransport.core.window.PathMtuSearch;

/**
 * What both sides agreed on, as far as this sublayer needs it.
 *
 * @param cid names this connection in the loop's reorder table; unique among the loop's connections
 * @param firstOwnRsn RSN of the first own transaction
 * @param firstOwnSsn SSN of the first own solicited push
 * @param firstPeerRsn RSN of the peer's first transaction
 * @param firstPeerSsn SSN of the peer's first solicited push
 * @param datagramLengthBytes UDP payload of a full packet
 * @param txInitialCreditBytes what we may push unasked at first
 * @param rxInitialCreditBytes what the peer may
 * @param outstandingMax unended transactions a direction, 16..16,384
 * @param solicitThresholdBytes pushes longer than this ask first
 * @param congestedThresholdBytes and those longer than this while the path is congested
 * @param headerLengthMax application header, bytes; one must fit into any packet
 * @param txMessageLengthMax the largest message that the peer takes
 * @param rxMessageLengthMax the largest message that we take
 * @param grantAheadBytes granted bytes of a connection that have not arrived, on the longest path:
 *     they begin smaller
 * @param takenCreditBytes a credit limit of the peer's that is further ahead is not taken
 * @param givenCreditBytes unsolicited credit that the peer may come to have, on the longest path
 * @param flushWindowNs how long a submission waits for others to share its packet, at the most; 0 =
 *     it does not
 * @param ackDelayNsMax how long this side may hold an acknowledgement
 * @param isUnawaitedTold whether the peer is told of which pushes nobody waits for the end
 * @param isPathMtuDiscovered whether packets may prove too long for the path, and are made shorter
 *     then
 * @param isOrdered whether messages and ends come in the order of submission
 */
public record SolicitationConfig(
    int cid,
    int firstOwnRsn,
    int firstOwnSsn,
    int firstPeerRsn,
    int firstPeerSsn,
    int datagramLengthBytes,
    int txInitialCreditBytes,
    int rxInitialCreditBytes,
    int outstandingMax,
    int solicitThresholdBytes,
    int congestedThresholdBytes,
    int headerLengthMax,
    long txMessageLengthMax,
    long rxMessageLengthMax,
    long grantAheadBytes,
    long takenCreditBytes,
    long givenCreditBytes,
    long flushWindowNs,
    long ackDelayNsMax,
    boolean isUnawaitedTold,
    boolean isPathMtuDiscovered,
    boolean isOrdered) {

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
    range("outstandingMax", outstandingMax, 1, Limits.OUTSTANDING_MAX);
    range(
        "headerLengthMax",
        headerLengthMax,
        0,
        Math.min(Limits.HEADER_LENGTH_MAX, recordsLengthOf(datagramLengthBytes) - 32));
    range("grantAheadBytes", grantAheadBytes, 1 << 14, Long.MAX_VALUE);
  }

  /** Bytes of records in a full packet that carries no acknowledgement. */
  int recordsLengthMax() {
    return recordsLengthOf(datagramLengthBytes);
  }

  /**
   * Bytes at the front of a packet in which records stand whose acknowledgement is waited for by
   * packet number: they stay in it however short the path's datagrams become.
   */
  int controlLengthMax() {
    return isPathMtuDiscovered
        ? recordsLengthOf(PathMtuSearch.floorBytes(datagramLengthBytes, headerLengthMax))
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
