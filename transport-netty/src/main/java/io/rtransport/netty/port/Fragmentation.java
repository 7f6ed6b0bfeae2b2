package io.rtransport.netty.port;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import java.net.SocketOption;

/**
 * Keeps the system from cutting datagrams into IP fragments: one that is too long for the way is
 * refused or lost, which path MTU discovery can see, where a fragmented one arrives and seems to
 * fit.
 *
 * <p>Linux sockets are told to set "don't fragment" and to leave it to us what is too long
 * (IP_PMTUDISC_PROBE): what ICMP says, which anybody can send, changes nothing. The JDK's own
 * sockets have an option for it from release 19 on; before, and elsewhere, there is none.
 */
final class Fragmentation {
  private static final int LEVEL_IP = 0;
  private static final int IP_MTU_DISCOVER = 10;
  private static final int LEVEL_IPV6 = 41;
  private static final int IPV6_MTU_DISCOVER = 23;

  /** IP_PMTUDISC_PROBE, and IPv6's. */
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

  /** Forbids it; false if this kind of socket, or the system, cannot. */
  static boolean forbid(DatagramChannel socket) {
    if (socket instanceof NioDatagramChannel) {
      return OF_NIO != null && set(socket, OF_NIO, true);
    }
    // A socket of both families has one of each; one of IPv4 only has none of IPv6's.
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
