package io.rtransport.core.solicitation;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.wire.Flyweights;
import io.rtransport.core.wire.PushUnsolicitedDataFlyweight;
import java.nio.ByteBuffer;

/**
 * Writes pushes that an application has {@link PushSupplier ready} into a packet, one record each.
 * It writes as many as fit, may begin, and have credit. The room in the packet and in the RSN
 * window is the same for all of them, so it is read once. These are the smallest messages, and a
 * packet holds dozens of them.
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
   * Writes records at {@code packet[index .. end)}. Returns how many bytes it wrote.
   *
   * @param recordsMax how many records the packet still takes
   * @param recordFlags flags of each record for whose end nobody waits, beside {@link
   *     PushUnsolicitedDataFlyweight#FLAG_WHOLE}
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

  /** Returns how many records the last {@link #write} wrote. */
  int count() {
    return count;
  }

  @Override
  public void awaited() {
    flags = PushUnsolicitedDataFlyweight.FLAG_WHOLE;
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
