package io.rtransport.netty.internal.server;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The addresses of this host, and the one form in which an address is compared. */
public final class HostAddresses {
  private static final InternalLogger LOGGER =
      InternalLoggerFactory.getInstance(HostAddresses.class);
  private static final int MAPPED_PREFIX_LENGTH = 12;
  private static final int IPV4_LENGTH = 4;

  private HostAddresses() {}

  /**
   * The addresses that a socket bound to {@code wildcard} takes datagrams at, as far as the system
   * lists them: of the loopback network Linux lists one, though it takes all. Empty if the system
   * does not say.
   */
  public static Set<InetAddress> behind(InetAddress wildcard) {
    try {
      return inOrder(
          NetworkInterface.networkInterfaces()
              .flatMap(NetworkInterface::inetAddresses)
              .filter(
                  address -> wildcard instanceof Inet6Address || address instanceof Inet4Address));
    } catch (SocketException e) {
      LOGGER.warn("this host's addresses can not be had", e);
      return Set.of();
    }
  }

  /**
   * Those of one link come last, for there may be more than can have a port: each virtual interface
   * of a host of containers has one. Whoever asks there names the link, and the system answers from
   * the link's own address by itself.
   */
  public static Set<InetAddress> inOrder(Stream<InetAddress> addresses) {
    return addresses
        .sorted(Comparator.comparing(InetAddress::isLinkLocalAddress))
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /**
   * An IPv4 address that is written as an IPv6 one (::ffff:192.0.2.1) as what it is, which is how
   * all sockets tell where a datagram came from; others as they are.
   */
  public static InetSocketAddress plain(InetSocketAddress address) {
    byte[] bytes = address.getAddress().getAddress();
    if (address.getAddress() instanceof Inet4Address || !isMapped(bytes)) {
      return address;
    }
    byte[] ipv4 = new byte[IPV4_LENGTH];
    System.arraycopy(bytes, MAPPED_PREFIX_LENGTH, ipv4, 0, IPV4_LENGTH);
    try {
      return new InetSocketAddress(InetAddress.getByAddress(ipv4), address.getPort());
    } catch (UnknownHostException e) {
      throw new IllegalStateException("four bytes are an address", e);
    }
  }

  private static boolean isMapped(byte[] bytes) {
    for (int i = 0; i < MAPPED_PREFIX_LENGTH - 2; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return bytes[MAPPED_PREFIX_LENGTH - 2] == -1 && bytes[MAPPED_PREFIX_LENGTH - 1] == -1;
  }
}
