package io.rtransport.netty.port;

import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramChannel;

/** What a socket can do beyond one datagram a call. Asks the native transports only of their own sockets, so NIO loads none of them. */
final class Offload {
  private Offload() {}

  /** Whether it sends many packets by one call. */
  static boolean isNative(DatagramChannel socket) {
    return socket instanceof EpollDatagramChannel;
  }

  /** Whether the kernel cuts a large send into datagrams (UDP_SEGMENT). */
  static boolean canSegment(DatagramChannel socket) {
    return isNative(socket) && EpollDatagramChannel.isSegmentedDatagramPacketSupported();
  }
}
