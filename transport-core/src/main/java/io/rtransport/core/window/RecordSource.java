package io.rtransport.core.window;

import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;

/**
 * Source of records. The window sublayer pulls whole records from the sublayer above when it has
 * room. They are never pushed, and never refused later.
 */
public interface RecordSource {
  /**
   * Limit of the records that one {@link #pullRecords} may write: the packet counts them in one
   * byte, and may add one of padding.
   */
  int RECORDS_MAX = Limits.RECORDS_PER_PACKET_MAX - 1;

  /**
   * Whether {@link #pullRecords} would write at least one record for this window, given a whole
   * empty packet.
   */
  boolean hasRecords(WindowClass windowClass, long nowNs);

  /**
   * Writes whole records at {@code to[index .. limit)}, in the order in which they are to be sent,
   * for the packet numbered {@code psn}. Records whose acknowledgement the source takes from that
   * of {@code psn} stand first, and are short enough together for the shortest packet of the path:
   * others may leave with another number after all, if the packet proves too long.
   *
   * @return bytes written; 0 when there is nothing or the next record does not fit into what is
   *     left (a record that can be split is split to fill the packet)
   */
  int pullRecords(
      WindowClass windowClass, int psn, ByteBuffer to, int index, int limit, long nowNs);

  /**
   * Notes that the packet {@code psn} has records that were pulled for others, which were too long
   * for the path.
   */
  default void onRepacked(WindowClass windowClass, int psn) {}

  /** Records written by the last {@link #pullRecords} call, at most {@link #RECORDS_MAX}. */
  int pulledRecordCount();

  /** The lowest RSN of the peer that has not ended with success, for the header's hint. */
  int completedRsnHint();

  /**
   * Returns whether unsolicited messages wait for the peer to raise its credit limit: then an
   * acknowledgement, which carries it, is asked for.
   */
  default boolean isCreditLimited() {
    return false;
  }

  /** The cumulative unsolicited-credit limit to tell the peer, in bytes. */
  long creditLimitBytes();

  /**
   * The window has seen that packets up to now unacknowledged were acknowledged: records waiting
   * for that can move on.
   */
  void onAcknowledged(AcknowledgementView view, long nowNs);
}
