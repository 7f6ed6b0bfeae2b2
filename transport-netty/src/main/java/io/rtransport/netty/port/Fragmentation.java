package io.rtransport.netty.port;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import java.net.SocketOption;

/**
 * Keeps the system from cutting datagrams into IP fragments. A datagram that is too long for the
 * path is then refused or lost, and path MTU discovery sees that. A fragmented datagram would
 * arrive and seem to fit.
 *
 * <p>Linux sockets are told to set "don't fragment", and to leave the decision about the length to
 * RT (IP_PMTUDISC_PROBE). ICMP messages change nothing then, because anybody can send them. The
 * JDK's own sockets have an option for it from release 19 on. Older JDKs and other systems have
 * none.
 */
final class Fragmentation {
  private static final int LEVEL_IP = 0;
  private static final int IP_MTU_DISCOVER = 10;
  private static final int LEVEL_IPV6 = 41;
  private static final int IPV6_MTU_DISCOVER = 23;

  /** Value of IP_PMTUDISC_PROBE, and of IPv6's option. */
  private static final int PROBE = 3;

  private static final ChannelOption<Integer> OF_IPV4 =
      new IntegerUnixChannelOption("RT_IP_MTU_DISCOVER", LEVEL_IP, IP_MTU_DISCOVER);
  private static final ChannelOption<Integer> OF_IPV6 =
      new IntegerUnixChannelOption("RT_IPV6_MTU_DISCOVER", LEVEL_IPV6, IPV6_MTU_DISCOVER);

  private static final ChannelOption<Boolean> OF_NIO = ofNio();

  private Fragmentation() {}

  @SuppressWarnings("unchecked") // the JDK's own declaration
  private static ChannelOption<Boolean> ofNio() {
    try {
      Class<?> options = Class.forName("jdk.net.ExtendedSocketOptions");
      Object option = options.getField("IP_DONTFRAGMENT").get(null);
      return NioChannelOption.of((SocketOption<Boolean>) option);
    } catch (ReflectiveOperationException e) {
      return null; // a JDK before 19
    }
  }

  /** Forbids fragmentation. Returns false if this kind of socket, or the system, cannot. */
  static boolean forbid(DatagramChannel socket) {
    if (socket instanceof NioDatagramChannel) {
      return OF_NIO != null && set(socket, OF_NIO, true);
    }
    // A socket of both families has both options; an IPv4 socket has no IPv6 option.
    set(socket, OF_IPV6, PROBE);
    return set(socket, OF_IPV4, PROBE);
  }

  private static <T> boolean set(DatagramChannel socket, ChannelOption<T> option, T value) {
    try {
      return socket.config().setOption(option, value);
    } catch (ChannelException | UnsupportedOperationException e) {
      return false;
    }
  }
}
