package io.rtransport.netty.port;

import io.netty.channel.ChannelFuture;
import io.netty.channel.unix.Errors.NativeIoException;
import io.rtransport.core.wire.PacketBurst;
import java.net.InetSocketAddress;

/**
 * Packets of equal length, the last perhaps shorter, that lie end to end in the retransmission
 * store, so that the kernel can cut them out of one send (GSO): which they are, and whether the
 * kernel refused to.
 *
 * @param sent the send's promise
 * @param offset of the first, in the store
 * @param lengthBytes of all together
 * @param segmentBytes of each but the last
 * @param to whom, or null over a connected socket
 */
record SegmentRun(
    ChannelFuture sent, int offset, int lengthBytes, int segmentBytes, InetSocketAddress to) {
  /** The most that one send may hold: UDP's own limit, and the kernel's UDP_MAX_SEGMENTS. */
  static final int LENGTH_MAX = 65_507;

  static final int SEGMENTS_MAX = 64;

  /**
   * Errors of a kernel or an interface that does not segment: no checksum offload, an IPsec route,
   * segments beyond the route's MTU.
   */
  private static final int EIO = 5;

  private static final int EINVAL = 22;

  /**
   * Packet {@code first} of {@code burst} and those behind it that can go out as one send; the
   * index after them.
   */
  static int end(PacketBurst burst, int first) {
    int end = first + 1;
    if (burst.token(first) == PacketBurst.TRANSIENT) {
      return end;
    }
    int segmentLength = burst.length(first);
    int runLength = segmentLength;
    while (end < burst.count()
        && end - first < SEGMENTS_MAX
        && !burst.isDropped(end)
        && burst.token(end) != PacketBurst.TRANSIENT
        && burst.offset(end) == burst.offset(end - 1) + burst.length(end - 1)
        && burst.length(end - 1) == segmentLength
        && burst.length(end) <= segmentLength
        && runLength + burst.length(end) <= LENGTH_MAX) {
      runLength += burst.length(end);
      end++;
    }
    return end;
  }

  /** Whether the kernel would not cut it, so that none of it has left. */
  boolean isRefused() {
    return sent.cause() instanceof NativeIoException e
        && (e.expectedErr() == -EIO || e.expectedErr() == -EINVAL);
  }
}
