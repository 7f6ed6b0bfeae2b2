package io.rtransport.netty.port;

import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.uring.IoUringDatagramChannel;

/**
 * What a socket can do beyond one datagram a call. Asks the native transports only of their own
 * sockets, so NIO starts none of them.
 */
final class Offload {
  private Offload() {}

  /** Whether it sends many packets by one call. */
  static boolean isBatching(DatagramChannel socket) {
    return socket instanceof EpollDatagramChannel;
  }

  /** Whether the kernel cuts a large send into datagrams (UDP_SEGMENT). */
  static boolean canSegment(DatagramChannel socket) {
    return socket instanceof EpollDatagramChannel
        ? EpollDatagramChannel.isSegmentedDatagramPacketSupported()
        : isAsynchronous(socket) && IoUringDatagramChannel.isSegmentedDatagramPacketSupported();
  }

  /**
   * Whether the kernel works on what it was given while the event loop goes on: sends and reads end
   * in a later turn.
   */
  static boolean isAsynchronous(DatagramChannel socket) {
    return socket instanceof IoUringDatagramChannel;
  }
}
