package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import io.rtransport.core.window.AcknowledgementView;
import io.rtransport.core.window.RecordSource;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * Records for a window without the sublayer above it: RESYNC records that carry only a number. Each
 * must arrive once.
 */
abstract class ResyncRecords implements RecordSource {
  static final int RESYNC_LENGTH = 16;

  private static final int RESYNC = 0x03;

  private int pulled;

  /** Sets how many records the last pull gave. */
  final void pulled(int count) {
    pulled = count;
  }

  static void putNumber(ByteBuffer to, int at, int number) {
    putHeader(to, at, RESYNC, RESYNC_LENGTH);
    to.putInt(at + 4, number).putInt(at + 8, 0).putInt(at + 12, 0);
  }

  static void putHeader(ByteBuffer to, int at, int type, int length) {
    to.put(at, (byte) type).put(at + 1, (byte) 0).putShort(at + 2, (short) length);
  }

  /** Records the numbers in a packet that is new in its window. */
  final void onNumbers(WireView view, BitSet arrived, long nowNs) {
    int at = view.recordsStart();
    for (int i = 0; i < view.recordCount(); i++) {
      if (view.u8(at) == RESYNC) {
        int number = view.i32(at + 4);
        require(!arrived.get(number), Invariant.NO_DUPLICATE, "record %d comes twice", number);
        arrived.set(number);
        onNumber(number, nowNs);
      }
      at += view.u16(at + 2);
    }
  }

  /** Records the arrival of a packet with some of these records, which is new in its window. */
  abstract void onArrival(WireView view, long nowNs);

  /** Returns when the next record can be sent; {@link Long#MAX_VALUE}: now, or all were sent. */
  long nextNs() {
    return Long.MAX_VALUE;
  }

  /** Returns whether all records have arrived. */
  abstract boolean isDone();

  /** Handles the arrival of one number. */
  void onNumber(int number, long nowNs) {}

  @Override
  public final int pulledRecordCount() {
    return pulled;
  }

  @Override
  public final int completedRsnHint() {
    return 0;
  }

  @Override
  public final long creditLimitBytes() {
    return 0;
  }

  @Override
  public final void onAcknowledged(AcknowledgementView view, long nowNs) {}
}
