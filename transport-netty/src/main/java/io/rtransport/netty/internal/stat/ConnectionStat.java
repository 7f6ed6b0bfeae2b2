package io.rtransport.netty.internal.stat;

import io.rtransport.core.connection.ConnectionReport;
import java.net.InetSocketAddress;
import java.util.Comparator;

/**
 * One connection of a report.
 *
 * @param cid its own id
 * @param peer the peer's address of its first path
 * @param waitingBytes what the application has written and is not yet in a packet, as the water
 *     marks count it
 */
public record ConnectionStat(
    int cid, InetSocketAddress peer, long waitingBytes, ConnectionReport report) {
  /** Those first that a person looks for: with suspect paths, then with most to send. */
  static final Comparator<ConnectionStat> WORTH_A_LOOK =
      Comparator.<ConnectionStat>comparingInt(c -> -c.report.suspectCount())
          .thenComparingLong(c -> -(c.waitingBytes + c.report.bytesInFlight()))
          .thenComparingInt(c -> -c.report.ownTransactions() - c.report.peerTransactions())
          .thenComparingLong(c -> Integer.toUnsignedLong(c.cid));
}
