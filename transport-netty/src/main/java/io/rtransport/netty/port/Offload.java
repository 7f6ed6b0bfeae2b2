package io.rtransport.netty.port;

import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.uring.IoUringDatagramChannel;

/**
 * Abilities of a socket beyond one datagram for each call. It asks a native transport only about
 * its own sockets, so NIO loads no native transport.
 */
final class Offload {
  private Offload() {}

  /** Returns whether the socket sends many packets by one call. */
  static boolean isBatching(DatagramChannel socket) {
    return socket instanceof EpollDatagramChannel;
  }

  /** Returns whether the kernel cuts a large send into datagrams (UDP_SEGMENT). */
  static boolean canSegment(DatagramChannel socket) {
    return socket instanceof EpollDatagramChannel
        ? EpollDatagramChannel.isSegmentedDatagramPacketSupported()
        : isAsynchronous(socket) && IoUringDatagramChannel.isSegmentedDatagramPacketSupported();
  }

  /**
   * Returns whether the kernel does its work while the event loop goes on. Sends and reads then end
   * in a later turn.
   */
  static boolean isAsynchronous(DatagramChannel socket) {
    return socket instanceof IoUringDatagramChannel;
  }
}
