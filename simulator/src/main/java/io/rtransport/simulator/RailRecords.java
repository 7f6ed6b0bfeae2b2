package io.rtransport.simulator;

import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * Numbered records of one length, in the data window: as fast as the window takes them, or one
 * every so often. It measures how late each arrives.
 */
final class RailRecords extends ResyncRecords {
  private static final int PAD_LENGTH_MIN = 4;

  private final int count;
  private final int length;
  private final long startNs;
  private final long intervalNs;
  private final BitSet arrived = new BitSet();
  private int sent;
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

  @Override
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
    int pulled = 0;
    while (windowClass == WindowClass.DATA
        && at + length <= limit
        && pulled + 2 <= RECORDS_MAX
        && isReady(nowNs)) {
      putNumber(to, at, sent++);
      putHeader(to, at + RESYNC_LENGTH, 0, length - RESYNC_LENGTH);
      for (int i = RESYNC_LENGTH + 4; i < length; i++) {
        to.put(at + i, (byte) 0);
      }
      at += length;
      pulled += 2;
    }
    pulled(pulled);
    return at - index;
  }

  @Override
  void onArrival(WireView view, long nowNs) {
    onNumbers(view, arrived, nowNs);
    if (arrivedNs != Long.MIN_VALUE) {
      gapNsMax = Math.max(gapNsMax, nowNs - arrivedNs);
    }
    arrivedNs = nowNs;
  }

  @Override
  void onNumber(int number, long nowNs) {
    latenessNsMax = Math.max(latenessNsMax, nowNs - (startNs + number * intervalNs));
  }

  @Override
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
  public String toString() {
    return String.format("%d of %d sent, %d arrived", sent, count, arrived.cardinality());
  }
}
