package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import io.rtransport.core.window.AcknowledgementView;
import io.rtransport.core.window.RecordSource;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * Numbered records of one length, in the data window: as fast as the window takes them, or one
 * every so often. Each must arrive once. It measures how late each arrives.
 */
final class RailRecords implements RecordSource {
  private static final int RESYNC = 0x03;
  private static final int RESYNC_LENGTH = 16;
  private static final int PAD_LENGTH_MIN = 4;

  private final int count;
  private final int length;
  private final long startNs;
  private final long intervalNs;
  private final BitSet arrived = new BitSet();
  private int sent;
  private int pulled;
  private long arrivedNs = Long.MIN_VALUE;
  private long gapNsMax;
  private long latenessNsMax;

  /**
   * @param length bytes of each record, at least 20
   * @param intervalNs time between two records; 0: all are there at the start
   */
  RailRecords(int count, int length, long startNs, long intervalNs) {
    this.count = count;
    this.length = Math.max(length, RESYNC_LENGTH + PAD_LENGTH_MIN);
    this.startNs = startNs;
    this.intervalNs = intervalNs;
  }

  /** Returns when the next record can be sent; {@link Long#MAX_VALUE}: all were sent. */
  long nextNs() {
    return sent == count ? Long.MAX_VALUE : startNs + sent * intervalNs;
  }

  private boolean isReady(long nowNs) {
    return sent < count && nextNs() <= nowNs;
  }

  @Override
  public boolean hasRecords(WindowClass windowClass, long nowNs) {
    return windowClass == WindowClass.DATA && isReady(nowNs);
  }

  @Override
  public int pullRecords(
      WindowClass windowClass, int psn, ByteBuffer to, int index, int limit, long nowNs) {
    int at = index;
    pulled = 0;
    while (windowClass == WindowClass.DATA
        && at + length <= limit
        && pulled + 2 <= RECORDS_MAX
        && isReady(nowNs)) {
      header(to, at, RESYNC, RESYNC_LENGTH);
      to.putInt(at + 4, sent++).putInt(at + 8, 0).putInt(at + 12, 0);
      header(to, at + RESYNC_LENGTH, 0, length - RESYNC_LENGTH);
      for (int i = RESYNC_LENGTH + 4; i < length; i++) {
        to.put(at + i, (byte) 0);
      }
      at += length;
      pulled += 2;
    }
    return at - index;
  }

  private static void header(ByteBuffer to, int at, int type, int length) {
    to.put(at, (byte) type).put(at + 1, (byte) 0).putShort(at + 2, (short) length);
  }

  /** Records the arrival of a packet that is new in its window. */
  void onArrival(WireView view, long nowNs) {
    int at = view.recordsStart();
    for (int i = 0; i < view.recordCount(); i++) {
      if (view.u8(at) == RESYNC) {
        int number = view.i32(at + 4);
        require(!arrived.get(number), Invariant.NO_DUPLICATE, "record %d comes twice", number);
        arrived.set(number);
        latenessNsMax = Math.max(latenessNsMax, nowNs - (startNs + number * intervalNs));
      }
      at += view.u16(at + 2);
    }
    if (arrivedNs != Long.MIN_VALUE) {
      gapNsMax = Math.max(gapNsMax, nowNs - arrivedNs);
    }
    arrivedNs = nowNs;
  }

  boolean isDone() {
    return arrived.cardinality() == count;
  }

  /** Returns when the last record arrived. */
  long arrivedNs() {
    return arrivedNs;
  }

  /** Returns the longest time between two arrivals, in nanoseconds. */
  long gapNsMax() {
    return gapNsMax;
  }

  /** Returns the longest time from when a record could be sent to its arrival, in nanoseconds. */
  long latenessNsMax() {
    return latenessNsMax;
  }

  @Override
  public int pulledRecordCount() {
    return pulled;
  }

  @Override
  public int completedRsnHint() {
    return 0;
  }

  @Override
  public long creditLimitBytes() {
    return 0;
  }

  @Override
  public void onAcknowledged(AcknowledgementView view, long nowNs) {}

  @Override
  public String toString() {
    return String.format("%d of %d sent, %d arrived", sent, count, arrived.cardinality());
  }
}
