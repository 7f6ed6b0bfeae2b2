package io.rtransport.netty.port;

import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.unix.UnixChannelOption;
import java.net.StandardSocketOptions;

/** Sets SO_REUSEPORT, which has another name in each of Netty's transports. */
final class PortSharing {
  private static final ChannelOption<Boolean> NIO_REUSEPORT =
      NioChannelOption.of(StandardSocketOptions.SO_REUSEPORT);

  private PortSharing() {}

  /**
   * Lets other sockets be bound to the same address. Returns false if this kind of socket, or the
   * system, cannot.
   */
  static boolean allow(DatagramChannel socket) {
    boolean isNio = socket instanceof NioDatagramChannel;
    return socket.config().setOption(isNio ? NIO_REUSEPORT : UnixChannelOption.SO_REUSEPORT, true);
  }
}
