package io.rtransport.simulator;

import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.random.RandomGenerator;

/** Numbered records, some hundreds in each window. */
final class NumberedRecords extends ResyncRecords {
  private final int[] total = new int[2];
  private final int[] sent = new int[2];
  private final BitSet[] arrived = {new BitSet(), new BitSet()};
  private final RandomGenerator random;
  private final int fillMax;

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
    int pulled = 0;
    while (at + RESYNC_LENGTH <= limit && pulled < most && sent[window] < total[window]) {
      putNumber(to, at, sent[window]++);
      at += RESYNC_LENGTH;
      pulled++;
    }
    pulled(pulled);
    return at - index;
  }

  @Override
  void onArrival(WireView view, long nowNs) {
    onNumbers(view, arrived[view.type() == WireView.REQUEST ? 0 : 1], nowNs);
  }

  @Override
  boolean isDone() {
    return arrived[0].cardinality() == total[0] && arrived[1].cardinality() == total[1];
  }

  @Override
  public String toString() {
    return String.format(
        "requests %d/%d/%d, data %d/%d/%d",
        sent[0], arrived[0].cardinality(), total[0], sent[1], arrived[1].cardinality(), total[1]);
  }
}
