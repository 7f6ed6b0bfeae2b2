package io.rtransport.netty.port;

import io.netty.channel.ChannelFuture;
import io.netty.channel.unix.Errors.NativeIoException;
import io.rtransport.core.burst.PacketBurst;
import java.net.InetSocketAddress;

/**
 * A run of packets in the retransmission store that the kernel can cut out of one send (GSO). The
 * packets have equal length, the last perhaps shorter, and lie end to end. The run also knows
 * whether the kernel refused it.
 *
 * @param sent promise of the send
 * @param offset of the first packet, in the store
 * @param lengthBytes of all packets together
 * @param segmentBytes of each packet but the last
 * @param to recipient, or null over a connected socket
 */
record SegmentRun(
    ChannelFuture sent, int offset, int lengthBytes, int segmentBytes, InetSocketAddress to) {
  /** Limits of one send: the UDP limit in bytes, and the kernel's UDP_MAX_SEGMENTS. */
  static final int LENGTH_MAX = 65_507;

  static final int SEGMENTS_MAX = 64;

  /**
   * Errors of a kernel or an interface that does not segment: no checksum offload, an IPsec route,
   * segments beyond the route's MTU.
   */
  private static final int EIO = 5;

  private static final int EINVAL = 22;

  /**
   * Finds the packets from {@code first} on that can go out as one send. Returns the index after
   * the last of them.
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

  /** Returns whether the kernel refused to cut the run, so that none of it has left. */
  boolean isRefused() {
    return sent.cause() instanceof NativeIoException e
        && (e.expectedErr() == -EIO || e.expectedErr() == -EINVAL);
  }
}
