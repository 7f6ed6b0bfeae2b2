package io.rtransport.simulator;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Records that one host took out of packets that had become too long. Only these records, and the
 * bytes of messages in them, may leave a second time.
 */
final class DisplacedView {
  private static final int FLAG_WHOLE = 1;
  private static final int FLAG_HEADER = 2;

  /**
   * Requests, grants, and data records without a byte. Each may leave as often as it was displaced.
   */
  private final Map<ByteBuffer, Integer> whole = new HashMap<>();

  /** Bytes of messages, by type and RSN. */
  private final Map<Long, List<long[]>> ranges = new HashMap<>();

  /** Adds the records of a packet that it left out. Returns their number. */
  int add(byte[] records) {
    WireView view = new WireView().wrap(ByteBuffer.wrap(records), 0, records.length);
    int count = 0;
    for (int at = 0; at < records.length; at += view.u16(at + 2)) {
      int length = view.u16(at + 2);
      long[] range = rangeOf(view, at, length);
      if (range == null) {
        whole.merge(copy(view, at, length), 1, Integer::sum);
      } else {
        ranges.computeIfAbsent(key(view, at), k -> new ArrayList<>()).add(range);
      }
      count++;
    }
    return count;
  }

  /**
   * Consumes the permission for this record to leave a second time. Returns whether there was one.
   */
  boolean take(WireView view, int at, int length) {
    long[] range = rangeOf(view, at, length);
    if (range == null) {
      return whole.computeIfPresent(copy(view, at, length), (k, n) -> n - 1) != null && purge();
    }
    List<long[]> allowed = ranges.get(key(view, at));
    for (int i = 0; allowed != null && i < allowed.size(); i++) {
      long[] from = allowed.get(i);
      if (from[0] <= range[0] && range[1] <= from[1]) {
        allowed.remove(i);
        if (from[0] < range[0]) {
          allowed.add(new long[] {from[0], range[0]});
        }
        if (range[1] < from[1]) {
          allowed.add(new long[] {range[1], from[1]});
        }
        return true;
      }
    }
    return false;
  }

  private boolean purge() {
    whole.values().removeIf(n -> n == 0);
    return true;
  }

  private static long key(WireView view, int at) {
    return (long) view.u8(at) << 32 | view.i32(at + 4) & 0xFFFF_FFFFL;
  }

  private static ByteBuffer copy(WireView view, int at, int length) {
    byte[] bytes = new byte[length];
    view.copy(at, bytes, length);
    return ByteBuffer.wrap(bytes);
  }

  /** Returns the range of message bytes that a record carries, or null. */
  private static long[] rangeOf(WireView view, int at, int length) {
    boolean isWhole = (view.u8(at + 1) & FLAG_WHOLE) != 0;
    long offset;
    int fixed;
    switch (view.u8(at)) {
      case WireView.PUSH_SOLICITED_DATA -> {
        offset = Integer.toUnsignedLong(view.i32(at + 8));
        fixed = 12;
      }
      case WireView.PUSH_UNSOLICITED_DATA -> {
        offset = isWhole ? 0 : Integer.toUnsignedLong(view.i32(at + 8));
        fixed = isWhole ? 8 : 16;
        boolean hasHeader = (view.u8(at + 1) & FLAG_HEADER) != 0;
        fixed += hasHeader ? 2 + view.u16(at + fixed) : 0;
      }
      case WireView.PULL_DATA -> {
        offset = isWhole ? 0 : Integer.toUnsignedLong(view.i32(at + 8));
        fixed = isWhole ? 8 : 16;
      }
      default -> {
        return null;
      }
    }
    return length == fixed ? null : new long[] {offset, offset + length - fixed};
  }
}
