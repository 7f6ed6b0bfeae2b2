package io.rtransport.core.solicitation;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.wire.Flyweights;
import io.rtransport.core.wire.PushUnsolicitedDataFlyweight;
import java.nio.ByteBuffer;

/**
 * Writes what an application has {@link PushSupplier ready} into a packet, a record each, as many
 * as fit, may begin, and have credit. What is the same for all of them, the room in the packet and
 * in the RSN window, is asked once: these are the smallest messages, and a packet holds dozens.
 */
final class ReadyRecords implements PushSupplier.Packet {
  private final TransactionSublayer transactions;
  private final Admission admission;
  private final Counters counters;
  private final PushUnsolicitedDataFlyweight record;
  private ByteBuffer to;
  private int at;
  private int limit;
  private int flags;
  private int countMax;
  private int count;

  ReadyRecords(
      TransactionSublayer transactions, Admission admission, Counters counters, Flyweights write) {
    this.transactions = transactions;
    this.admission = admission;
    this.counters = counters;
    record = write.pushUnsolicited;
  }

  /**
   * Writes at {@code packet[index .. end)}; answers how many bytes.
   *
   * @param recordsMax how many records the packet still takes
   * @param recordFlags of each, beside {@link PushUnsolicitedDataFlyweight#FLAG_WHOLE}
   */
  int write(ByteBuffer packet, int index, int end, int recordsMax, int recordFlags) {
    to = packet;
    at = index;
    limit = end;
    flags = PushUnsolicitedDataFlyweight.FLAG_WHOLE | recordFlags;
    countMax = Math.min(recordsMax, transactions.readyRoom());
    count = 0;
    transactions.fill(this);
    to = null;
    int lengths = at - index;
    counters.add(
        CounterId.MESSAGE_BYTES_SENT, lengths - count * PushUnsolicitedDataFlyweight.FIXED_LENGTH);
    return lengths;
  }

  /** How many records the last {@link #write} wrote. */
  int count() {
    return count;
  }

  @Override
  public long put(byte[] from, int index, int length, long tag) {
    assert length <= PushSupplier.LENGTH_BYTES_MAX : length + " bytes are no small push";
    int end = at + PushUnsolicitedDataFlyweight.FIXED_LENGTH + length;
    if (end > limit || count == countMax || !admission.admitReady(length)) {
      return FULL;
    }
    int rsn = transactions.nextRsn();
    transactions.beginReady(tag);
    record.wrapNew(to, at, flags).rsn(rsn).payloadLength(length);
    to.put(at + PushUnsolicitedDataFlyweight.FIXED_LENGTH, from, index, length);
    at = end;
    count++;
    return Integer.toUnsignedLong(rsn);
  }
}
