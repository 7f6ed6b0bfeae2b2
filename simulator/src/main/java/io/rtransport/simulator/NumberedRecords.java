package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import io.rtransport.core.window.AcknowledgementView;
import io.rtransport.core.window.RecordSource;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.random.RandomGenerator;

/** Records that carry only a number, some hundreds in each window. Each must arrive once. */
final class NumberedRecords implements RecordSource {
  private static final int RESYNC = 0x03;
  private static final int RECORD_LENGTH = 16;

  private final int[] total = new int[2];
  private final int[] sent = new int[2];
  private final BitSet[] arrived = {new BitSet(), new BitSet()};
  private final RandomGenerator random;
  private final int fillMax;
  private int pulled;

  NumberedRecords(RandomGenerator random) {
    this.random = random;
    total[0] = 200 + random.nextInt(3_000);
    total[1] = 1_000 + random.nextInt(20_000);
    fillMax = 1 + random.nextInt(200);
  }

  @Override
  public boolean hasRecords(WindowClass windowClass, long nowNs) {
    return sent[windowClass.ordinal()] < total[windowClass.ordinal()];
  }

  @Override
  public int pullRecords(
      WindowClass windowClass, int psn, ByteBuffer to, int index, int limit, long nowNs) {
    int window = windowClass.ordinal();
    int at = index;
    int most = 1 + random.nextInt(fillMax);
    pulled = 0;
    while (at + RECORD_LENGTH <= limit && pulled < most && sent[window] < total[window]) {
      to.put(at, (byte) RESYNC).put(at + 1, (byte) 0).putShort(at + 2, (short) RECORD_LENGTH);
      to.putInt(at + 4, sent[window]++).putInt(at + 8, 0).putInt(at + 12, 0);
      at += RECORD_LENGTH;
      pulled++;
    }
    return at - index;
  }

  /** Records the arrival of a packet with some of these records, which is new in its window. */
  void onArrival(WireView view) {
    if (!view.isNumbered()) {
      return;
    }
    int window = view.type() == WireView.REQUEST ? 0 : 1;
    int at = view.recordsStart();
    for (int i = 0; i < view.recordCount(); i++) {
      if (view.u8(at) == RESYNC) {
        int number = view.i32(at + 4);
        require(
            !arrived[window].get(number), Invariant.NO_DUPLICATE, "record %d comes twice", number);
        arrived[window].set(number);
      }
      at += view.u16(at + 2);
    }
  }

  boolean isDone() {
    return arrived[0].cardinality() == total[0] && arrived[1].cardinality() == total[1];
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
    return String.format(
        "requests %d/%d/%d, data %d/%d/%d",
        sent[0], arrived[0].cardinality(), total[0], sent[1], arrived[1].cardinality(), total[1]);
  }
}
