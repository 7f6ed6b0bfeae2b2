package io.rtransport.core.window;

import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;

/**
 * Source of records. The window sublayer pulls whole records from the sublayer above when it has
 * room. The window never refuses a pulled record later.
 */
public interface RecordSource {
  /**
   * Largest number of records that one {@link #pullRecords} may write. The packet counts them in
   * one byte and may add one record of padding.
   */
  int RECORDS_MAX = Limits.RECORDS_PER_PACKET_MAX - 1;

  /**
   * Returns whether {@link #pullRecords} would write at least one record for this window into a
   * whole empty packet.
   */
  boolean hasRecords(WindowClass windowClass, long nowNs);

  /**
   * Writes whole records at {@code to[index .. limit)} in sending order, for the packet {@code
   * psn}. Some records count as acknowledged when {@code psn} is. They come first, and together
   * they fit the path's shortest packet. If the packet proves too long, the other records may leave
   * in a packet with another number.
   *
   * @return the bytes written; 0 if there is nothing or the next record does not fit into the room
   *     left. A record that can be split is split to fill the packet.
   */
  int pullRecords(
      WindowClass windowClass, int psn, ByteBuffer to, int index, int limit, long nowNs);

  /**
   * Tells the source that the packet {@code psn} has records pulled for other packets, which were
   * too long for the path.
   */
  default void onRepacked(WindowClass windowClass, int psn) {}

  /**
   * Returns the records written by the last {@link #pullRecords} call, at most {@link
   * #RECORDS_MAX}.
   */
  int pulledRecordCount();

  /** Returns the lowest RSN of the peer that has not ended with success, for the header's hint. */
  int completedRsnHint();

  /**
   * Returns whether unsolicited messages wait for the peer to raise its credit limit. The window
   * then asks for an acknowledgement, which carries the limit.
   */
  default boolean isCreditLimited() {
    return false;
  }

  /** Returns the cumulative unsolicited-credit limit to tell the peer, in bytes. */
  long creditLimitBytes();

  /** Tells the source that packets were acknowledged. Records that waited for that can continue. */
  void onAcknowledged(AcknowledgementView view, long nowNs);
}
