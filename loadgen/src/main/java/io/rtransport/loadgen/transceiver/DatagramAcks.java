package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import java.util.zip.CRC32C;

/**
 * Acknowledgement of the raw UDP transport: runs of datagram numbers that arrived, as {@code marker
 * u64 (all ones) | run count u32 | checksum u32 | (first u64, count u32) …}. It collects them at
 * the receiver, and reads them at the sender.
 */
final class DatagramAcks {
  /** Most runs of an acknowledgement. Further runs go into another one. */
  static final int RUNS_MAX = 64;

  private static final long MARKER = -1;
  private static final int HEADER_BYTES = 16;
  private static final int RUN_BYTES = 12;

  private final int runsMax;
  private final long[] firsts = new long[RUNS_MAX];
  private final int[] counts = new int[RUNS_MAX];
  private int runs;
  private int datagrams;

  /** Listener of a reader. */
  interface Consumer {
    void onAcknowledged(long first, int count);
  }

  /**
   * Creates an empty acknowledgement.
   *
   * @param mtuBytes the longest datagram, so also the longest acknowledgement
   */
  DatagramAcks(int mtuBytes) {
    runsMax = Math.min(RUNS_MAX, (mtuBytes - HEADER_BYTES) / RUN_BYTES);
  }

  void add(long number) {
    datagrams++;
    if (runs > 0 && firsts[runs - 1] + counts[runs - 1] == number) {
      counts[runs - 1]++;
    } else {
      firsts[runs] = number;
      counts[runs++] = 1;
    }
  }

  boolean isEmpty() {
    return runs == 0;
  }

  boolean isFull() {
    return runs == runsMax;
  }

  int datagrams() {
    return datagrams;
  }

  int lengthBytes() {
    return HEADER_BYTES + runs * RUN_BYTES;
  }

  /** Writes the collected runs, and begins again. */
  void writeTo(ByteBuf to) {
    int start = to.writerIndex();
    to.writeLong(MARKER).writeInt(runs).writeInt(0);
    for (int i = 0; i < runs; i++) {
      to.writeLong(firsts[i]).writeInt(counts[i]);
    }
    to.setInt(start + 12, checksum(to, start + HEADER_BYTES, runs * RUN_BYTES));
    runs = 0;
    datagrams = 0;
  }

  static boolean isAck(ByteBuf from, int index, int length) {
    return length >= HEADER_BYTES && from.getLong(index) == MARKER;
  }

  /** Reads an acknowledgement. A damaged one is ignored. */
  static void read(ByteBuf from, int index, int length, Consumer consumer) {
    int runs = from.getInt(index + 8);
    if (runs < 1 || runs > RUNS_MAX || HEADER_BYTES + runs * RUN_BYTES != length) {
      return;
    }
    int body = index + HEADER_BYTES;
    if (checksum(from, body, runs * RUN_BYTES) != from.getInt(index + 12)) {
      return;
    }
    for (int i = 0; i < runs; i++) {
      consumer.onAcknowledged(
          from.getLong(body + i * RUN_BYTES), from.getInt(body + i * RUN_BYTES + 8));
    }
  }

  private static int checksum(ByteBuf from, int index, int length) {
    CRC32C crc = new CRC32C();
    crc.update(from.nioBuffer(index, length));
    return (int) crc.getValue();
  }
}
