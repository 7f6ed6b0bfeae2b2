package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.rtransport.loadgen.workload.Session;

/**
 * Reads 8-byte numbers off a stream. Each is the number of messages, from the first on, that the
 * peer's application took. Only the last number of a batch counts.
 */
final class CumulativeAckReader {
  private final Session.Listener listener;
  private long partial;
  private int partialBytes;

  CumulativeAckReader(Session.Listener listener) {
    this.listener = listener;
  }

  void feed(ByteBuf in) {
    long last = 0;
    while (in.isReadable()) {
      if (partialBytes == 0 && in.readableBytes() >= Long.BYTES) {
        last = in.readLong();
      } else {
        partial = partial << Byte.SIZE | in.readUnsignedByte();
        if (++partialBytes == Long.BYTES) {
          last = partial;
          partialBytes = 0;
          partial = 0;
        }
      }
    }
    if (last > 0) {
      listener.onCompletedThrough(last - 1);
    }
  }
}
