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

/** Addresses of this host, and the one form in which addresses are compared. */
public final class HostAddresses {
  private static final InternalLogger LOGGER =
      InternalLoggerFactory.getInstance(HostAddresses.class);
  private static final int MAPPED_PREFIX_LENGTH = 12;
  private static final int IPV4_LENGTH = 4;

  private HostAddresses() {}

  /**
   * Returns the addresses at which a socket bound to {@code wildcard} takes datagrams, as far as
   * the system lists them. Of the loopback network Linux lists one address, though it takes all.
   * Empty if the system does not say.
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
   * Returns the addresses with the link-local ones last. There may be more of these than can have a
   * port: each virtual interface of a host of containers has one. A peer that asks there names the
   * link, and then the system itself answers from the link's own address.
   */
  public static Set<InetAddress> inOrder(Stream<InetAddress> addresses) {
    return addresses
        .sorted(Comparator.comparing(InetAddress::isLinkLocalAddress))
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /**
   * Returns an IPv4 address written as an IPv6 one (::ffff:192.0.2.1) as IPv4; other addresses
   * unchanged. All sockets report a datagram's source in that form.
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
