package io.rtransport.core.window;

import io.rtransport.core.wire.RecordFlyweight;
import io.rtransport.core.wire.RecordType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.random.RandomGenerator;

/**
 * A source of numbered records of random size: 4 bytes header, 8 bytes of identity, filling that
 * follows from the identity.
 */
final class ToyRecords implements RecordSource {
  static final int LENGTH_MIN = RecordFlyweight.HEADER_LENGTH + 8;

  private final ArrayDeque<int[]> requests = new ArrayDeque<>();
  private final ArrayDeque<int[]> data = new ArrayDeque<>();
  private final RecordFlyweight record = new RecordFlyweight();
  private int requestId;
  private int dataId;
  private int count;
  private long credit;
  int acknowledgedCalls;
  boolean isCreditLimited;

  void submit(WindowClass windowClass, int length) {
    boolean isRequest = windowClass == WindowClass.REQUEST;
    (isRequest ? requests : data)
        .add(new int[] {isRequest ? requestId++ : dataId++, Math.max(LENGTH_MIN, length)});
  }

  void submitRandom(WindowClass windowClass, int records, int lengthMax, RandomGenerator random) {
    for (int i = 0; i < records; i++) {
      submit(windowClass, random.nextInt(LENGTH_MIN, lengthMax + 1));
    }
  }

  int submitted(WindowClass windowClass) {
    return windowClass == WindowClass.REQUEST ? requestId : dataId;
  }

  void credit(long bytes) {
    credit = bytes;
  }

  @Override
  public boolean hasRecords(WindowClass windowClass, long nowNs) {
    return !queue(windowClass).isEmpty();
  }

  private ArrayDeque<int[]> queue(WindowClass windowClass) {
    return windowClass == WindowClass.REQUEST ? requests : data;
  }

  @Override
  public int pullRecords(
      WindowClass windowClass, int psn, ByteBuffer to, int index, int limit, long nowNs) {
    count = 0;
    int at = index;
    ArrayDeque<int[]> queue = queue(windowClass);
    while (!queue.isEmpty() && at + queue.peek()[1] <= limit && count < RECORDS_MAX) {
      int[] next = queue.poll();
      record
          .wrap(to, at)
          .type(
              windowClass == WindowClass.REQUEST
                  ? RecordType.PUSH_SOLICITED_REQUEST
                  : RecordType.PUSH_UNSOLICITED_DATA)
          .flags(0)
          .length(next[1]);
      to.putLong(at + RecordFlyweight.HEADER_LENGTH, next[0]);
      for (int i = LENGTH_MIN; i < next[1]; i++) {
        to.put(at + i, filling(next[0], i));
      }
      at += next[1];
      count++;
    }
    return at - index;
  }

  static byte filling(long id, int i) {
    return (byte) (id * 31 + i);
  }

  @Override
  public int pulledRecordCount() {
    return count;
  }

  @Override
  public int completedRsnHint() {
    return (int) (credit >>> 4);
  }

  @Override
  public long creditLimitBytes() {
    return credit;
  }

  @Override
  public boolean isCreditLimited() {
    return isCreditLimited;
  }

  @Override
  public void onAcknowledged(AcknowledgementView view, long nowNs) {
    acknowledgedCalls++;
  }
}
